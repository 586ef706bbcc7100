## Title and tags
card-title-open = { $what ->
    [hang] Training may hang; nothing captured yet
    [slow] Training got slower; nothing captured yet
    [suspected] Training may be slower; nothing captured yet
   *[manual] Nothing captured yet
}
card-title-capturing = { $what ->
    [hang] Training may be hung: capturing
    [slow] Training slowed down: capturing
    [suspected] Training may be slower: capturing
   *[manual] Capturing stacks
}
card-title-suspects = { $what ->
    [hang] Training hung: look at rank { $ranks } first
    [slow] Training slow: look at rank { $ranks } first
    [moving] Training is moving: look at rank { $ranks } first
   *[manual] Captured: look at rank { $ranks } first
}
card-title-nobody = { $what ->
    [hang] Training hung: no rank stands out
    [slow] Training slow: no rank stands out
    [moving] Training is moving: no rank is suspect
   *[manual] Captured: no rank stands out
}
card-title-no-report = Captured, but the report is not available
card-title-failed = Capture failed
card-title-resumed = Training resumed
card-title-ended = { $end ->
    [failed] Job failed
    [succeeded] Job succeeded
    [stopped] Job stopped
   *[unknown] Job ended
}
card-title-closed = Closed
card-kind-hang = hang
card-kind-slow = slow
card-kind-manual = manual
card-progress-frozen = frozen
card-progress-moving = moving
card-progress-unknown = progress unknown
card-confidence-high = confidence: high
card-confidence-medium = confidence: medium
card-confidence-low = confidence: low

## Summary
card-job = Job { $job }
card-ranks = { $seen } of { $expected } ranks seen
card-nodes = { $done } of { $asked } nodes answered
card-captured-at = captured { $time }
card-print-id = Print ID { $print_id }
card-message = **Alert**: { $text }
card-capturing = **Capturing**: { $done } of { $asked } nodes answered. This takes some seconds; the card updates itself.
card-preparing = **Preparing the capture**: the nodes are about to be asked for their stacks; the card updates itself.
card-previous = Below is what the previous capture showed.
card-failed = **No stacks were captured**: { $why }
card-failed-hint = Press “Re-capture” to try again; if the job has ended, look at its logs instead.
card-failed-unknown = **No stacks were captured**, for an unknown reason.
card-no-report = The capture is finished, but its report cannot be read (it may have expired). Capture again.

## Findings
card-suspects = **Look at these ranks first**
card-suspect = <text_tag color='red'>rank { $rank }</text_tag> { $node }
card-at = is at { $where }
card-reason = 　Why: { $text }
card-control = <text_tag color='green'>rank { $rank }</text_tag> for comparison · is at { $where } ({ $count } ranks there)
card-groups = **Ranks by where their main thread is**
card-column-ranks = Ranks (count)
card-column-where = Is at
card-cell-ranks = { $ranks } ({ $count })
card-missing = **No usable stack**
card-missing-rank = <text_tag color='neutral'>rank { $rank }</text_tag>{ $node }: { $reason }
card-missing-more = { $reason }
card-missing-node = <text_tag color='neutral'>node</text_tag> { $node }: { $reason }
card-nccl = **NCCL**: { $text }
card-nccl-communicator = ·　{ $text }
card-nccl-not-asked = **NCCL**: this capture did not query NCCL RAS, so there is no communication status; that does not mean that communication failed.
card-photo = A photo of a moment: it does not give the root cause by itself. When a job is stuck for long, capture again after a while and compare.
card-photo-short = A capture is a photo of a moment: it does not give the root cause by itself.
card-caution = Note: { $text }
card-next-steps = What to check next ({ $count })
card-more = … and { $count } more in the report

## Buttons and footer
card-button-recapture = Re-capture
card-button-compare = Compare
card-button-report = Open report
card-button-busy = A capture is under way
card-button-needs-two = Comparing needs two finished captures: press “Re-capture” first
card-confirm-title = Capture again?
card-confirm-text = The stacks of the training processes on all nodes are read once more. This may pause the processes briefly; think twice for jobs that cannot bear any delay.
card-by-person = { $who } { $action }
card-by-event = Updated by an event
card-action-capture = started a capture
card-action-recapture = started a re-capture
card-action-compare = asked for a comparison
card-button-ack = I take care
card-button-silence = Silence
card-button-bundle = Support bundle
card-silence-30m = Silence for 30 minutes
card-silence-2h = Silence for 2 hours
card-silence-end = Silence until the job ends
card-silence-off = End the silence
card-choose-before = Before
card-choose-after = After
card-acked = 🙋 { $who } takes care of it ({ $time })
card-silenced = 🔕 { $who } has silenced the alerts until the job ends
card-silenced-until = 🔕 { $who } has silenced the alerts until { $time }
card-title-acked = [in hand]{" "}
card-title-silenced = [silenced]{" "}
card-picture = One square for each rank, from left to right, top to bottom; its colour is the group, red frames are suspects, crossed squares have no stack.
card-action-ack = takes care of it
card-action-silence = silenced the alerts
card-action-unsilence = ended the silence
card-action-bundle = asked for a support bundle
card-action-other = updated the card
card-revision = revision { $revision }

## Comparison
card-comparison-title = Two captures compared
card-comparison-count-frozen = <text_tag color='red'>{ $count } frozen</text_tag>
card-comparison-count-moved = <text_tag color='green'>{ $count } moved</text_tag>
card-comparison-count-new = <text_tag color='blue'>{ $count } new</text_tag>
card-comparison-count-gone = <text_tag color='neutral'>{ $count } gone</text_tag>
card-comparison-count-unknown = <text_tag color='neutral'>{ $count } without a stack</text_tag>
card-change-frozen = frozen
card-change-moved = moved
card-change-new = new
card-change-gone = gone
card-change-unknown = no stack
card-column-rank = Rank
card-column-change = Change
card-column-before = Before
card-column-after = After
card-comparison-captures = Before: Print ID { $before } · After: Print ID { $after }
card-comparison-suspect = rank { $rank } (suspect)
card-comparison-photo = The same place in two snapshots may be chance: hold it against the log.
card-and-more = … and { $count } more rows

## Plain text, when the card cannot be sent
card-fallback-suspect = rank { $rank } ({ $node }): { $reason }
card-fallback-link = Report: { $link }

## State events: titles and the first error
card-title-news-failed = Job failed
card-title-news-succeeded = Job succeeded
card-title-news-stopped = Job stopped
card-title-news-cancelled = Job cancelled
card-title-news-timeout = Job timed out and was stopped
card-title-news-worker-failed = A worker of the job failed
card-title-news-preempted = Job pre-empted, queued again
card-title-news-stalled-restarts = Restarted again and again without progress
card-title-news-env-check-failed = Environment check found a fault
card-title-news-unhealthy = A node of the job is unhealthy
card-title-news-other = The job's state changed
card-title-hidden = Job looks successful, its log has an error
card-kind-state = state
card-event = **Event**: { $text }
card-hidden-failure = **Hidden failure suspected**: the job looks successful, and its log has an error that the training did not survive.
card-error-first = **First error** · { $place }
card-error-unsure = **No certain first error; the nearest line** · { $place }
card-error-second = **Second candidate, close to the first** · { $place }
card-error-in-event = words of the event
card-error-where = 　At: { $where }
card-error-advice = 　Advice: { $text }
card-error-ranks = { $count } ranks show the same
card-error-none = **First error**: the logs that came have no error of a known pattern.
card-error-only-event = These are the words of the event; no log of the job has come yet.
card-error-no-log = **First error**: no log of this job has come, so it cannot be told. Events may carry the end of a log in `logs`; `rankscope watch` does so by itself.
card-error-consequences = { $count } more lines look like errors and are taken for its consequences or for output of the shutdown.
card-stage = **Stage**: { $title }
card-finding = ·　{ $text }
card-no-hang-source = Captures are to start by themselves, but no alert of a hang or a slow-down has ever come: none will start. Connect the platform's alerts, or run `rankscope watch`.
card-fallback-error = First error: { $text }

## Slow-down
card-slow-steps = **Slower**: steps { $first }–{ $last } took { $mean } { $rule ->
    [robust] (median)
   *[other] on average
}, the baseline is { $baseline }: { $percent } % slower ({ $times } times the baseline)
card-slow-numbers = **Slower**: a step took { $mean }, the baseline is { $baseline }: { $percent } % slower ({ $times } times the baseline)
card-slow-tier-platform = Told by: the platform's slow-down detection, passed on as it is (its threshold 0.8 means 80 % slower, that is 1.8 times the baseline)
card-slow-tier-seed = Told by: the platform's rule (windows of 5 steps against the fastest one), applied by rankscope to the training log (its threshold 0.8 means 80 % slower, that is 1.8 times the baseline)
card-slow-tier-robust = Told by: the robust rule (medians), so only **suspected**; the platform's rule did not fire · { $detail ->
    [severe] severe
    [moderate] moderate
    [drift] slower bit by bit
   *[unknown] degree not told
}
card-slow-during = Meanwhile { $what }: this may well be why, so it is for information only
card-slow-and = {" "}and{" "}
card-slow-recovered = **Recovered**: { $mean } on average up to step { $step }
card-chart-title = Time per step ({ $unit })
card-chart-steps = time per step
card-chart-baseline = baseline

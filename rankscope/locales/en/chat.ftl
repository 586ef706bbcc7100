chat-help =
    I show where every rank of a training job is right now, and whom the other ranks wait for.
    Use me when a job makes no progress, seems to hang, never gets past its first batch, or when only some ranks are stuck.
chat-help-notes =
    The first letters of a job id are enough. In a group, mention me first.
    A capture is like a photo of the scene; it does not find the root cause by itself. Two captures some time apart, compared, tell more.
chat-line-capture = /capture JOB-ID [--samples N] [--native RANK,…]  capture the stacks of all ranks once
chat-line-compare = /compare JOB-ID [FIRST SECOND]  compare two captures (the last two, or by Print ID or its last digits)
chat-line-report = /report JOB-ID or PRINT-ID  the report: whom to look at first and why, with a link to its page
chat-line-stack = /stack JOB-ID 5 or worker-0-gpu-0  where one rank is
chat-line-nccl = /nccl JOB-ID  the NCCL status of the last capture
chat-line-errors = /errors JOB-ID  the first error in its log: whose it is, what to check first, at which stage
chat-line-jobs = /jobs  list the jobs, those in trouble first
chat-line-status = /status  whether the bot, the agents and the queues are well
chat-line-silence = /silence JOB-ID [30m | 2h | end | off]  mute a job's alerts for a while, until the job ends, or hear them again
chat-line-subscribe = /subscribe [JOB or PATTERN* [off]]  tell this chat of jobs' incidents, or list what it is told of
chat-line-audit = /audit JOB-ID  who did what to a job lately
chat-line-lang = /lang zh or en  choose the language of this chat
chat-line-help = /help  show this text
chat-usage-missing =
    Something is missing. Usage: { $line }
    { $known ->
        [none] No job is known yet.
       *[other] Known jobs: { $known }
    }
chat-usage-word = Something is missing. Usage: { $line }
chat-usage-many = This was too much: { $extra }. Usage: { $line }
chat-usage-bad = I do not understand “{ $word }”. Usage: { $line }
chat-unknown-command = I do not know “{ $word }”. Send /help to see all commands.
chat-unknown-command-suggest = I do not know “{ $word }”. Did you mean /{ $suggestion }? Send /help to see all commands.
chat-unknown-menu = The menu item “{ $key }” is none that I know; I know help, jobs and status. This is what you can write:
chat-unknown-job = There is no job “{ $word }”. Known jobs: { $known }
chat-unknown-job-nearest = There is no job “{ $word }”. The nearest is { $nearest }. Known jobs: { $known }
chat-unknown-job-none =
    There is no job “{ $word }”, and no job is known at all.
    Check that the rankscope agent runs on the compute nodes and reaches the bot.
chat-ambiguous-job = Several jobs begin with “{ $word }”: { $matches }. Please write more of the id.
chat-list-more = { $names } … { $count } in all
chat-separator = ,{" "}

chat-state-unknown = in an unknown state
chat-state-queued = queued
chat-state-deploying = being deployed
chat-state-running = running
chat-state-hang = suspected to hang
chat-state-slow = slow
chat-state-failed = failed
chat-state-succeeded = finished
chat-state-stopped = stopped

chat-not-running-before = Job { $job } is { $state }; it has no processes to capture yet. Look at the job's events, and capture once it runs.
chat-not-running-failed = Job { $job } has failed and exited; its stacks can usually no longer be captured. Look at the job's logs, events and fault-tolerance log, and find the earliest error.
chat-not-running-over = Job { $job } is { $state }; its processes are gone and can no longer be captured. To look back, see the job's logs, events and fault-tolerance log.
chat-not-running-message = Last message: { $message }
chat-not-running-url = Job page: { $url }
chat-not-running-output = Output folder: { $path }

chat-no-such-ranks = Job { $job } has no rank { $ranks }: its ranks are 0 to { $last }. Nothing was captured.
chat-capture-started = Capturing job { $job }. This usually takes seconds to tens of seconds; the result appears on the card.
chat-capture-joined = Job { $job } is being captured already ({ $done } of { $asked } nodes done), so no second capture was started; the result appears on the same card.
chat-capture-joined-starting = A capture of job { $job } has just started, so no second one was; the result appears on the same card.
chat-no-agent =
    No capture agent sees a process of job { $job }, so it cannot be captured now.
    Check that 1. the rankscope agent runs on the job's nodes; 2. the agent reaches the bot (/healthz); 3. both have the same RANKSCOPE_AGENT_SECRET.

chat-suspect = rank { $rank } ({ $node }): { $reason }
chat-suspects-more = { $count } more suspect ranks: see the card.
chat-finished-suspects = Job { $job } was captured. Suspect ranks:
chat-finished-none = Job { $job } was captured. No rank can be named. { $verdict }
chat-finished-missing = Ranks or nodes without a stack: { $count }. They may be the cause too; see the report.
chat-capture-failed = The capture of job { $job } failed: { $reason }
chat-capture-failed-next = You can capture again with the button on the card.
chat-flapping = Job { $job } is in trouble again soon after it had resumed (time { $times }); this card goes on, no new one is sent.
chat-too-soon = Job { $job } was captured a moment ago; please capture again in { $seconds } s.
chat-compare-finished = Two captures of job { $job } compared: { $text }
chat-compare-failed = The comparison for job { $job } was not finished: { $reason }

chat-jobs-title = { $count } jobs:
chat-jobs-none =
    No job is known yet.
    Check that the rankscope agent runs on the compute nodes and reaches the bot.
chat-jobs-row = { $job }  { $state }{ $facts }
chat-jobs-nodes = { $count } nodes
chat-jobs-ranks = { $count } ranks
chat-jobs-captured = last captured { $time }
chat-jobs-capturing = being captured
chat-jobs-silenced = silenced { $until }
chat-until-end = until the job ends
chat-until-time = until { $time }

chat-status-title = rankscope { $version }
chat-status-agents = Agents: { $count } alive (nodes: { $nodes })
chat-status-no-agents = Agents: none is alive; check the rankscope agent on the compute nodes
chat-status-captures = Capturing: { $jobs }
chat-status-no-captures = Capturing: nothing
chat-status-queues = Waiting: { $chat } for messages and cards, { $work } for captures and analyses
chat-status-unsent = Messages not sent yet: { $count }
chat-status-silenced = Silenced jobs: { $jobs }
chat-status-routes = Routes: { $count } from { $file }
chat-status-routes-broken = ⚠ The routes file is broken, and the last good one stays in force. { $error }
chat-status-on-call = On call ({ $rota }): { $person }
chat-status-routed = Open incident of { $job }: { $route }
chat-status-no-route = no route fits, default chat

chat-silenced = The alerts of job { $job } are silenced { $until }. It can still be captured by hand; /silence { $job } off ends this.
chat-unsilenced = The alerts of job { $job } are heard again.
chat-not-silenced = Job { $job } is not silenced.
chat-language = This chat is in English from now on.

chat-subscribed = This chat is told when an incident of { $pattern } begins and ends. /subscribe { $pattern } off ends this.
chat-subscribe-all = To hear about all of them, use /subscribe { $pattern }
chat-subscribe-full = This chat has { $most } subscriptions, the most it can have. End one first, or use a pattern such as jo-llm*.
chat-unsubscribed = This chat is no longer told of: { $patterns }
chat-not-subscribed = That is not one of this chat's subscriptions: { $known }
chat-subscriptions = This chat is told of the incidents of { $count } patterns: { $patterns }
chat-subscriptions-none = This chat has no subscriptions. /subscribe JOB-ID tells it when an incident of a job begins and ends; * stands for any letters, as in jo-llm*.

chat-no-report = There is no report of job { $job } yet. Use /capture { $job } first.
chat-report-title = Job { $job }  captured { $time }  Print ID { $print_id }
chat-report-link = Report page: { $link }
chat-unknown-capture = There is no capture “{ $word }” (they are kept for { $days } days). { $known ->
        [none] This job has no finished capture.
       *[other] Finished captures: { $known }
    }
chat-compare-one = Job { $job } has { $count } finished captures; comparing needs two. Capture first.
chat-compare-same = Comparing needs two different captures.
chat-comparing = Comparing two captures of job { $job } ({ $before } and { $after }); the answer follows.

chat-stack-title = Job { $job }  rank { $rank } ({ $node }, { $key })  Print ID { $print_id }
chat-stack-thread = Main thread, innermost first:
chat-stack-moved = It changed between the samples; this is the last one.
chat-stack-frozen = It was at the same place in all samples.
chat-stack-none = Its main thread was not captured: { $reason }
chat-stack-more = … { $count } more frames
chat-stack-helpers = { $count } helper processes more; see the report page.
chat-stack-not-understood = “{ $word }” is no place. Write a rank, such as 5, or a place, such as worker-0-gpu-0.
chat-stack-not-found = The last capture of job { $job } has no “{ $word }”. Ranks in it: { $ranks }

chat-nccl-title = NCCL status of job { $job } (captured { $time }):
chat-nccl-not-asked = This capture did not query NCCL RAS, so there is no communication status; that does not mean that communication failed.
chat-nccl-next = What to check next:

chat-audit-title = Last actions on job { $job }, the latest first:
chat-audit-none = Nobody has acted on job { $job } yet.
chat-audit-row = { $time }  { $who }  { $what }: { $outcome }
chat-act-capture = capture
chat-act-recapture = re-capture
chat-act-compare = compare
chat-act-ack = acknowledge
chat-act-silence = silence
chat-act-unsilence = end the silence
chat-act-bundle = support bundle
chat-act-escalate = escalate
chat-act-subscribe = subscribe
chat-act-unsubscribe = unsubscribe
chat-act-lang = choose the language
chat-act-mute = muted by a route
chat-act-other = other action
chat-outcome-started = started
chat-outcome-done = done
chat-outcome-joined = was under way
chat-outcome-refused = not allowed
chat-outcome-too-soon = too soon
chat-outcome-not-possible = not possible
chat-outcome-other = other

chat-refused = You may not { $what }. Operators (RANKSCOPE_OPERATORS) and the job's owner may; everybody may look.
chat-refused-chat = You may not { $what } in a group. Operators (RANKSCOPE_OPERATORS) may, and in a private chat with the bot everybody.

chat-toast-capturing = Capturing… the card will show the result
chat-toast-comparing = Comparing… the result will be a reply in the thread
chat-toast-already-requested = Somebody has already asked for this; please wait
chat-toast-already-requested-by = Already requested by { $who }; please wait
chat-toast-running = A capture is running ({ $done } of { $asked } nodes done); please wait
chat-toast-running-starting = A capture is running; please wait
chat-toast-running-by = The capture { $who } asked for is running ({ $done } of { $asked } nodes done); please wait
chat-toast-running-starting-by = { $who } has just asked for a capture; please wait
chat-toast-stale = The card was updated meanwhile; please look at it again first
chat-toast-expired = This record has expired (kept for { $days } days); use /capture
chat-toast-resumed = The job has resumed and this card is closed; use /capture if needed
chat-toast-ended = The job has ended and cannot be captured; see its logs and events
chat-toast-closed = This incident is closed; use /capture if needed
chat-toast-one-capture = A comparison needs two captures; capture again first
chat-toast-unknown-button = This button is no longer used; /help lists the commands
chat-toast-unavailable = The bot is busy; please press again in a moment
chat-toast-acknowledged = Everybody sees now that you take care of it
chat-toast-already-acked = { $who } takes care of it already
chat-toast-silenced = The alerts are silenced { $until }
chat-toast-unsilenced = The alerts are heard again
chat-toast-not-silenced = This job is not silenced
chat-toast-bundling = Preparing the support bundle; the file will be a reply in the thread
chat-toast-no-report = There is no report yet; a bundle needs a finished capture
chat-toast-too-soon = This job was captured a moment ago; press again in { $seconds } s
chat-toast-same-captures = Please choose two different captures
chat-toast-refused = You may not { $what }; operators and the job's owner may
chat-duration-30m = for 30 minutes
chat-duration-2h = for 2 hours
chat-duration-end = until the job ends

chat-bundle-title = Support bundle of job { $job }
chat-bundle-job = Job
chat-bundle-capture = Capture
chat-bundle-report = Report
chat-bundle-stacks = Stacks of suspect and control ranks
chat-bundle-nccl = NCCL status
chat-bundle-period = To be added for the same period
chat-bundle-deeds = Who did what
chat-bundle-suspect = Suspect rank { $rank }
chat-bundle-control = Control rank { $rank }
chat-bundle-missing = (missing)
chat-bundle-spec-text = { $ranks } ranks on { $nodes } nodes
chat-bundle-fact-job-id = Job id
chat-bundle-fact-state = State
chat-bundle-fact-first-error = First error
chat-bundle-fact-message = Last message
chat-bundle-error = { $text } ({ $place })
chat-bundle-unsure-error = perhaps { $text } ({ $place }); the line alone does not prove it
chat-bundle-no-error = none found in the logs that came: { $logs }
chat-bundle-no-log = not known, as no log of the job has come
chat-bundle-in-event = in the event
chat-bundle-fact-tolerance-log = Fault-tolerance log
chat-bundle-fact-spec = Resources
chat-bundle-fact-image = Image
chat-bundle-fact-command = Start command
chat-bundle-fact-output = Output path
chat-bundle-fact-page = Job page
chat-bundle-fact-captured = Captured
chat-bundle-fact-ranks = Ranks seen
chat-bundle-fact-report = Report page
chat-bundle-add-logs = Missing: the job's logs around { $time }. Download them from the job page and add them.
chat-bundle-add-tolerance = Missing: the fault-tolerance log of the same period. Download it from the job page and add it.
chat-bundle-add-metrics = Missing: screenshots of GPU, network and storage metrics of the same period. Take them from the monitoring pages and add them.
chat-bundle-failed = The support bundle of job { $job } could not be made: { $reason }

## First error
chat-errors-title = First error of { $job } ({ $state })
chat-errors-logs = From the log of { $logs }
chat-errors-first = First error { $place }
chat-errors-unsure = No certain first error; the nearest line { $place }
chat-errors-second = Second candidate, close to it { $place }
chat-errors-facts = { $layer }{ $rank }{ $where }
chat-errors-rank = , rank { $rank }
chat-errors-where = , at { $where }
chat-errors-none = The logs that came have no error of a known pattern.
chat-errors-consequences = { $count } more lines look like errors and are taken for consequences or output of the shutdown.
chat-errors-stage = Stage: { $title }
chat-errors-no-log = No log of { $job } has come, so its first error cannot be told.
    What helps: events that carry the end of a log in their field logs; rankscope watch where the log can be read; or rankscope errors LOG on the file itself.
chat-errors-in-event = (words of the event)
chat-status-no-hang-source = ⚠ Captures are to start by themselves, but no alert of a hang or a slow-down has ever come: none will start. Connect the platform's alerts, or run rankscope watch.

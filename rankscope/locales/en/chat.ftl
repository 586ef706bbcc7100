chat-help =
    I show where every rank of a training job is right now, and whom the other ranks wait for.
    Use me when a job makes no progress, seems to hang, never gets past its first batch, or when only some ranks are stuck.

    /capture JOB-ID  capture the stacks of all ranks once (the first letters of the id are enough)
    /help  show this text

    In a group, mention me first. A capture is like a photo of the scene; it does not find the root cause by itself. Two captures some time apart, compared, tell more.
chat-usage-capture =
    /capture needs one job id, for example: /capture jo-1a2b
    { $known ->
        [none] No job is known yet.
       *[other] Known jobs: { $known }
    }
chat-usage-capture-many = /capture takes one job id at a time; this was too much: { $extra }
chat-unknown-command = I do not know “{ $word }”. Send /help to see all commands.
chat-unknown-command-suggest = I do not know “{ $word }”. Did you mean /{ $suggestion }? Send /help to see all commands.
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

chat-toast-capturing = Capturing… the card will show the result
chat-toast-comparing = Comparing… the result will be a reply in the thread
chat-toast-already-requested = Somebody has already asked for this; please wait
chat-toast-running = A capture is running ({ $done } of { $asked } nodes done); please wait
chat-toast-running-starting = A capture is running; please wait
chat-toast-stale = The card was updated meanwhile; please look at it again first
chat-toast-expired = This record has expired (kept for { $days } days); use /capture
chat-toast-resumed = The job has resumed and this card is closed; use /capture if needed
chat-toast-ended = The job has ended and cannot be captured; see its logs and events
chat-toast-closed = This incident is closed; use /capture if needed
chat-toast-one-capture = A comparison needs two captures; capture again first
chat-toast-unknown-button = This button is no longer used; /help lists the commands
chat-toast-unavailable = The bot is busy; please press again in a moment

demo-given-redis = Using the Redis of REDIS_URL.
demo-started-redis = Redis is up (embedded).
demo-started-emulator = The Feishu emulator is up: { $url }
demo-started-parts = Bot ({ $url }), RQ workers and the agents of { $nodes } are up.
demo-started-job = Training job { $job } is started: { $ranks } processes on two nodes; its log is being watched.
demo-restart = { $name } ended ({ $ending }) and is started again.
demo-lost = { $name } ended ({ $ending }). The demo goes on without it: the next capture says what is missing.
demo-stopped = Stopped everything.
demo-kept = Logs and data are in { $folder }

demo-happens-none = Nothing goes wrong with the job; ask for a capture yourself.
demo-happens-fifo = After step { $step } the data worker of one rank blocks opening a file; the card comes some seconds later.
demo-happens-spin = After step { $step } one rank goes round in circles in its preprocessing; the card comes some seconds later.
demo-happens-sigstop = After step { $step } one rank is stopped (SIGSTOP); the card comes some seconds later.
demo-happens-killed = After step { $step } one rank is killed and nobody tells the others; the card comes some seconds later.
demo-happens-slow = After step { $step } one rank has much more to do in each step; the card comes some seconds later.

demo-open = Open the chat: { $url }
demo-try =
    Try, in the chat:
      · the buttons of the card: Re-capture, then Compare, then Open report
      · /capture { $job }
      · /help, or a command that does not exist
    Ctrl-C stops everything.

demo-wrong-names = Capture { $number } names { $named }, it should be { $expected }.
demo-wrong-progress = Capture { $number } says that the job is { $progress }, but it moves.
demo-wrong-comparison = The comparison says of rank { $rank }: “{ $change }”.
demo-truth = What was done to the job: fault “{ $fault }”, rank { $rank }.
demo-nobody-none = As it should be, nobody was named: all { $ranks } ranks are at work.
demo-nobody-slow = Nobody was named: the job moves, and a photo shows slow rank { $rank } at work like the others.
demo-named-once = Named: rank { $rank } on { $node }, and no other.
demo-named-frozen = The stuck rank: rank { $rank } on { $node }. No other was named, and the comparison says that it is frozen.
demo-named-gone = The stuck rank: rank { $rank } on { $node }. No other was named, and the comparison says that it is gone.
demo-named-circling = The stuck rank: rank { $rank } on { $node }. No other was named, and the comparison says that it is still in the same loop.
demo-named-absent = The stuck rank: rank { $rank } on { $node }. No other was named; it is dead, so the comparison has only the others, which stand still.

demo-happens-oom = After step { $step } one rank gets a document so long that its GPU memory ends, and with it the job; the card comes some seconds later.
demo-platform-told = The training job has ended (exit code { $code }); the platform tells the bot, with the end of the log.
demo-named-failed = The card of the failed job shows its first error, of rank { $rank }, and the stage; /errors says the same.
demo-lacks = The card lacks { $what }.
demo-card-slowness = by how much the job is slower
demo-card-chart = the chart of step times
demo-card-error = the first error
demo-card-rank = the rank that failed
demo-card-stage = the stage
demo-card-command = the first error in the answer to /errors

# Names
nccl-and = , {""}
nccl-semicolon = ; {""}
nccl-processes-more = { $who } and { $count } more
nccl-behind-ahead = { $who } (ahead: { $ahead })
nccl-comm = communicator { $hash } ({ $size } ranks)
nccl-comms = { $count } communicator(s) of { $size } ranks
nccl-ranks = ranks { $ranks }
nccl-ranks-local = its ranks { $ranks }
nccl-rank = rank { $rank }
nccl-rank-at = rank { $rank } ({ $where })
nccl-rank-local = its rank { $rank }
nccl-rank-local-at = its rank { $rank } ({ $where })
nccl-some-ranks = { $count } rank(s) the answer does not name
nccl-all-ranks = all ranks
nccl-and-more = { $who } and { $count } more it does not name
nccl-all-collectives = collectives (one total)
nccl-counts = { $kind } launches { $low } against { $high }
nccl-state = { $count } { $state }
nccl-error-unnamed = an error without a name (such as ncclTimeout, from 2.30 on)
nccl-stage-init = initialising
nccl-stage-async = asynchronous
nccl-failure = { $error } ({ $stage }) from { $who }

# What is seen
nccl-seen-dead = NCCL considers { $count } process(es) dead (DEAD): { $who }.
nccl-seen-dead-unnamed = NCCL considers { $count } process(es) dead (DEAD); the answer does not name them.
nccl-seen-incomplete = { $count } process(es) did not answer (INCOMPLETE): { $who }.
nccl-seen-incomplete-unnamed = { $count } process(es) did not answer (INCOMPLETE); the answer does not name them.
nccl-seen-missing = Missing from { $comm }: { $count } rank(s) (INCOMPLETE): { $who }.
nccl-seen-missing-cut = Missing from { $comm }: { $count } rank(s) (INCOMPLETE); this NCCL cuts its list short, known are { $who }.
nccl-seen-missing-unnamed = Missing from { $comm }: { $count } rank(s) (INCOMPLETE, { $answered } answered); the answer does not name them.
nccl-seen-error = Errors in { $comm }: { $what }.
nccl-seen-abort = In { $comm } { $count } rank(s) are aborting (ABORT).
nccl-seen-transition = In transition (being made or taken down): { $comm }, { $states }.
nccl-seen-stalled-comm = In { $comm }: behind and standing still between the two answers: { $who }; { $counts }.
nccl-seen-stalled-crossed = In { $comm } the ranks' counts cross each other ({ $counts }) and stood still between the two answers, as if the ranks had gone different ways in the program.
nccl-seen-mismatch-crossed = In { $comm } the ranks' counts cross each other at this moment ({ $counts }); none is simply behind.
nccl-seen-lagging = In { $comm }: moving between the two answers, but not { $who }; { $counts }.
nccl-seen-moving-comm = In { $comm }: caught behind: { $who }; { $counts }; but the counts are moving.
nccl-seen-mismatch-comm = In { $comm }: behind at this moment: { $who }; { $counts }.
nccl-seen-init-stuck = In { $comm }: still initialising (INIT) in both answers: { $who }; the communicator shows as { $status }.
nccl-seen-initialising = In { $comm }: still initialising (INIT): { $who }; the communicator shows as { $status }.
nccl-seen-rendezvous = The job summary is all zeros: the ranks have not all met yet, at least one has not joined.
nccl-seen-no-communicators = RAS answers but has no communicators: not initialised yet, or all taken down.
nccl-seen-moving = Between the two answers ranks launched further collectives: moving.
nccl-seen-still-even = All ranks launched equally many collectives, and none was launched between the two answers; RAS cannot tell who is to blame.
nccl-seen-even = RAS sees no difference between the ranks; that does not prove progress.
nccl-seen-events = These are { $count } events of MONITOR, not a status; the latest of note: { $event }, { $who }.
nccl-seen-same-process = One process, { $who }, is behind in { $comms } communicators at this moment.
nccl-seen-culprit = The others wait for { $who }: behind in { $comms } communicator(s) that stand still between the two answers.
nccl-seen-culprits = The others wait for { $count } that are behind: { $who }.
nccl-seen-circle = { $count } that are behind seem to wait for each other: { $who }. Check the order of calls in the process groups.
nccl-seen-passing = Some rows are all zeros or NOCOMM: a communicator may be in transition (being made or taken down).
nccl-more = { $count } more are not shown.

# Notes
nccl-note-timeouts = { $count } timeout(s) while collecting: some process did not answer in time.
nccl-note-retries = The handshake was retried { $count } time(s): a process takes connections on this port but says nothing, perhaps frozen (SIGSTOP, state D, a debugger).
nccl-note-not-comparable = The two answers cannot be compared: they share no communicator, or one is unreliable. Perhaps another job, or the job was restarted.
nccl-note-too-close = The two answers are only { $seconds } s apart, less than 10 s; that is too short to say that it stands still.
nccl-note-other-size = RAS sees { $gpus } GPUs, the job is configured for { $expected }: perhaps another job on the same port, or ranks that have not joined.
nccl-caution-abridged = This answer lacks its section headings, like an excerpt; whether it is whole cannot be checked.

# What it does not mean
nccl-not-dead = DEAD only says that RAS could not reach it for 60 s: it may have been killed or frozen, or the network may be down.
nccl-not-incomplete = No answer is not death: it may have been killed less than 60 s ago, be frozen, or its node be cut off.
nccl-not-error = Ranks with Remote process error mostly suffer from another's failure; look at those with other errors first.
nccl-not-abort = ABORT follows from some error; it is not the cause.
nccl-not-stalled = The counts say who has not launched, not why.
nccl-not-init-stuck = Standing in initialisation blames nobody: it may wait for a rank that has not joined.
nccl-not-lagging = Slow is not stuck: only another look tells whether it catches up.
nccl-not-rendezvous = This is no communication error: NCCL has not begun to communicate.
nccl-not-transition = A transition causes false MISMATCH and NOCOMM; nobody can be named by it.
nccl-not-initialising = INIT is normal at start-up and while a process group is made.
nccl-not-mismatch = A live job is often caught one or two launches apart; one answer does not show that anybody is stuck.
nccl-not-still-even = Counts that stand still are normal for a job under CUDA graphs or with very long steps.
nccl-not-moving = Moving does not mean that all is well: a rank may be slow, or stuck in an operation that is not counted.
nccl-not-no-communicators = No communicators does not mean a communication failure.
nccl-not-events = Events tell of processes coming and going in the RAS network, not of communicators.
nccl-not-even = That RAS sees no difference does not mean that the job is not stuck.
nccl-not-unreliable = Nothing in a cut or damaged answer can be taken as a finding.
nccl-not-completed = Counts are launches, not completions: with equal counts the GPUs may still be stuck.
nccl-not-counted = Not counted: Send/Recv (pipeline parallelism), AllToAll, Gather, Scatter, and collectives captured in CUDA graphs.
nccl-not-kinds = 2.24 and 2.25 have one total; which collective it is cannot be seen.

# What to do next
nccl-next-dead = Next: see on that node whether the process is there, the kernel log (OOM, Xid) and the rank's log; the job usually has to be restarted.
nccl-next-incomplete = Next: see the state and stack of that process; ask again after about 60 s: if it has become DEAD, treat it as a dead process.
nccl-next-error = Next: see the log of the rank that failed first and the kernel log of its node (Xid, network card).
nccl-next-abort = Next: find the log of the rank that failed first.
nccl-next-stalled = Next: see the stack of the rank that is behind; where it stands is what the others wait for.
nccl-next-init-stuck = Next: see the stacks of these ranks, and check that all members of that process group are making it.
nccl-next-lagging = Next: ask again after 10 s or more, and see the stacks of these ranks.
nccl-next-rendezvous = Next: check the number of ranks, the master's address and port, and find the rank that has not started or joined.
nccl-next-transition = Next: ask again after 10 s or more.
nccl-next-initialising = Next: ask again after 10 s or more; if it is still INIT, see the stacks of these ranks.
nccl-next-mismatch = Next: ask again after 10 s or more; only equal counts in both answers mean standing still.
nccl-next-still-even = Next: see stacks and GPU utilisation; compare last enqueued and last completed in PyTorch's log.
nccl-next-moving = Next: see whether the step time has grown; capture stacks if needed.
nccl-next-no-communicators = Next: ask again once training communicates; if the job is ending, this is normal.
nccl-next-events = Next: ask for the status of the communicators with STATUS.
nccl-next-even = Next: see stacks and GPU utilisation; if a hang is suspected, ask again after 10 s or more.
nccl-next-again = Next: ask again; if it is cut again, ask another process or node.
nccl-next-unreliable-once = Next: NCCL { $version } gives garbage and may read beyond its memory when ranks are missing (fixed in 2.29.2), so do not ask repeatedly; see stacks and logs instead.

# Unreliable
nccl-line-unreliable = The answer of NCCL RAS is unreliable, ask again; nothing was concluded from it.
nccl-sign-no-head = The version lines are missing at its beginning.
nccl-sign-cut = The answer is not whole: it does not reach the section Warnings at its end.
nccl-sign-midline = The answer breaks off within a line.
nccl-sign-misplaced = A line stands where it cannot: { $line }
nccl-sign-unknown-line = A line that this version does not print: { $line }
nccl-sign-job = Numbers of the job summary contradict each other.
nccl-sign-table = The table of communicators is incomplete or out of order.
nccl-sign-zeros = A communicator of zeros (common while a communicator initialises, NVIDIA/nccl#2346, or #1762).
nccl-sign-row = Numbers of group { $group } contradict each other.
nccl-sign-blocks = The table of communicators and the details below it contradict each other.
nccl-sign-hash = The name { $hash } of a communicator is no hash but misread memory.
nccl-sign-block = Details and totals of communicator { $hash } contradict each other.
nccl-sign-processes = The list of processes and its total contradict each other.
nccl-sign-json = The JSON is not of RAS's form: { $why }
nccl-sign-json-cut = The JSON is not whole: { $why }
nccl-sign-json-count = The JSON says another number of communicators than it lists.

# No answer
nccl-problem-refused = Connection refused: no process listens on this address.
nccl-problem-unreachable = This address cannot be reached.
nccl-problem-unresolved = The name of the host cannot be resolved.
nccl-problem-not-ras = What answers is not NCCL RAS.
nccl-problem-frozen = A process takes the connection but says nothing.
nccl-problem-silent = The process got the question but did not finish its answer in time.
nccl-problem-cut = The connection broke; the answer is not whole.
nccl-problem-empty = The answer is empty: the process that answered may have ended meanwhile.
nccl-problem-too-large = The answer exceeds the size limit and was given up.
nccl-problem-other-job = Another job answered on the same port.
nccl-problem-old-client = This ncclras does not know the option it was given (JSON needs 2.28.7 or later).
nccl-problem-no-report = It holds no status, only notices of the client or the protocol.
nccl-problem-foreign = This is no answer of NCCL RAS.

nccl-unavailable-too-old = NCCL { $version } has no RAS (2.24 or later is needed): this is expected.
nccl-unavailable-not-loaded = The trainers have not loaded NCCL (a CPU or gloo job, or before the first collective), so there is no RAS to ask: this is expected.
nccl-unavailable-disabled = RAS is switched off by NCCL_RAS_ENABLE: this is expected.
nccl-unavailable-not-initialised = Training has not initialised an NCCL communicator yet, so RAS has not started: this is expected.
nccl-unavailable-destroyed = All communicators have been taken down, there is no status to see: this is expected.
nccl-unavailable-job-over = The job is over and RAS with it: this is expected.
nccl-unavailable-refused = NCCL RAS cannot be reached: no process listens on this address.
nccl-unavailable-unreachable = NCCL { $version } has RAS, training runs and has initialised NCCL, and still RAS cannot be reached: check its listening address and the way to it.
nccl-unavailable-unresolved = The host of RAS cannot be resolved.
nccl-unavailable-not-ras = What answers on this address is not NCCL RAS.
nccl-unavailable-frozen = The process that listens on the RAS port says nothing, perhaps frozen (SIGSTOP, state D, a debugger).
nccl-unavailable-silent = The process got the question but did not finish its answer in time.
nccl-unavailable-starting = The job is starting; asking RAS now is risky, so it was not asked.
nccl-unavailable-dangerous = A communicator may be initialising; asking NCCL { $version } now may crash the job, so it was not asked.
nccl-unavailable-version-unknown = Which NCCL the process has loaded is not known, nor whether asking is safe, so it was not asked.
nccl-unavailable-old-client = This ncclras is too old for the option it was given.
nccl-unavailable-no-failure = This is no evidence of an NCCL communication failure, nor is it because a single node could not use NCCL.
nccl-unavailable-what-is-lost = Without RAS communicators, missing ranks, DEAD and INCOMPLETE cannot be seen; report and stacks are not affected.

nccl-condition-version-yes = Condition 1, NCCL 2.24 or later: holds.
nccl-condition-version-no = Condition 1, NCCL 2.24 or later: does not hold.
nccl-condition-version-unknown = Condition 1, NCCL 2.24 or later: not known.
nccl-condition-enabled-yes = Condition 2, RAS not switched off: holds.
nccl-condition-enabled-no = Condition 2, RAS not switched off: does not hold.
nccl-condition-enabled-unknown = Condition 2, RAS not switched off: not known.
nccl-condition-running-yes = Condition 3, the job is running: holds.
nccl-condition-running-no = Condition 3, the job is running: does not hold.
nccl-condition-running-unknown = Condition 3, the job is running: not known.
nccl-condition-initialised-yes = Condition 4, training has initialised NCCL: holds.
nccl-condition-initialised-no = Condition 4, training has initialised NCCL: does not hold.
nccl-condition-initialised-unknown = Condition 4, training has initialised NCCL: not known.

nccl-check-version = First check the NCCL version of the image: below 2.24 there is no RAS, and that it cannot be reached is expected.
nccl-check-disabled = Check whether RAS is switched off: NCCL_RAS_ENABLE in the environment or in /etc/nccl.conf.
nccl-check-not-initialised = Check whether training has not initialised NCCL yet (does the log show NCCL's initialisation?).
nccl-check-destroyed = Check whether the communicators were already taken down, or the job was over, when it was asked.
nccl-check-address = Check whether the listening address of RAS can be reached from here: NCCL_RAS_ADDR, network namespace, a port taken by another user.
nccl-check-image = If RAS is needed, choose a PyTorch/CUDA combination with NCCL 2.24 or later, confirm it with torch.cuda.nccl.version(), fix it when the image is built and run a minimal communication check; exchanging only the NCCL library of an existing environment is not advised.
nccl-check-client = Ask again without -f json, or with the ncclras of the job's own NCCL version.
nccl-check-frozen = See the state (T, t, D) and the stack of the listening process; other ranks of the same node may still answer.
nccl-check-later = Ask again once training iterates.
nccl-check-upgrade = Ask again once no communicator is initialising; NCCL 2.28.7 and later can be asked in JSON.
nccl-elsewhere-logs = Instead see the training log: errors with NCCL, RDMA, all_reduce, barrier or timeout.
nccl-elsewhere-launch = Instead see the launch command: are rank, number of processes and master address passed correctly?
nccl-elsewhere-metrics = Instead see the metrics: are network, GPU utilisation and memory as expected?
nccl-elsewhere-stacks = Instead see the stacks: do only some ranks stand in communication and others in data loading or checkpoint saving?

# Whether to ask
nccl-ask-allowed = NCCL { $version } may be asked.
nccl-ask-walk-bug = NCCL { $version } gives garbage when ranks are missing (fixed in 2.29.2): ask no more than needed.
nccl-ask-init-race = NCCL { $version } gives false NOCOMM and rows of zeros while a communicator initialises.
nccl-ask-new-version = NCCL { $version } is newer than { $last }, the last one studied: compare with the raw answer.

# Command line
nccl-cli-outcome = Outcome: { $outcome }   NCCL { $version }   format: { $format }
nccl-cli-job = Job: { $nodes } node(s), { $processes } process(es), { $gpus } GPU(s)
nccl-cli-job-derived = Job (as its communicators show it): { $nodes } node(s), { $processes } process(es), { $gpus } GPU(s)
nccl-cli-progress-frozen = Between the two answers: standing still
nccl-cli-progress-moving = Between the two answers: moving
nccl-cli-progress-unknown = Between the two answers: cannot be told
nccl-cli-seen = Seen:
nccl-cli-not-meant = It does not mean:
nccl-cli-next = What next:
nccl-cli-unknown-lines = Lines not understood:

# Why a report names a rank
nccl-blame-dead = NCCL RAS considers its process dead: unreachable for 60 s or more.
nccl-blame-silent = Its process did not answer NCCL RAS (INCOMPLETE).
nccl-blame-behind = By NCCL RAS it has launched fewer collectives than the others in { $comms } communicator(s), and nothing moved between two answers.

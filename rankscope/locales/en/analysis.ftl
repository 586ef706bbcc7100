## What a rank is doing (a phrase after "is")
analysis-at-collective = waiting in the collective { $op }
analysis-at-p2p = waiting in the point-to-point call { $op }
analysis-at-backward = in the backward pass
analysis-at-backward-waiting = in the backward pass, waiting for a gradient all-reduce
analysis-at-device_sync = waiting for the device in { $op }
analysis-at-start_up = waiting for the other ranks at start-up ({ $op })
analysis-at-data = getting data
analysis-at-storage = reading or writing a file or checkpoint
analysis-at-compile = compiling
analysis-at-build_lock = waiting for a lock file
analysis-at-debugger = in a debugger
analysis-at-shutdown = leaving the program
analysis-at-serving_idle = waiting for work from its engine
analysis-at-lock_queue = waiting for a lock, a queue or a thread
analysis-at-network = waiting for a network service
analysis-at-user = in the program's own code
analysis-at-stopped = stopped
analysis-at-dead = dead
analysis-at-no_dump = without a stack
analysis-somewhere-how = { $doing }, at { $site }, { $how }
analysis-somewhere-blocked = blocked in { $site }, { $how }
analysis-somewhere = { $doing }, at { $site }

## Kernel waits
analysis-doing-lock = waiting for a lock
analysis-doing-poll = waiting for something to arrive
analysis-doing-sleep = sleeping on purpose
analysis-doing-pipe = waiting for a pipe
analysis-doing-fifo = opening a FIFO whose other end nobody holds
analysis-doing-socket = waiting for a socket
analysis-doing-storage = waiting for the file system
analysis-doing-stop = stopped
analysis-doing-child = waiting for a child process
analysis-inner-worker-blocked = its data worker is blocked in { $site }, { $how }
analysis-inner-workers-blocked = its { $count } data workers are blocked in { $site }, { $how }
analysis-inner-worker-at = its data worker is in { $site }
analysis-inner-workers-at = its { $count } data workers are in { $site }
analysis-inner-worker-running = its data worker is running in { $site }
analysis-inner-workers-running = its { $count } data workers are running in { $site }
analysis-inner-thread-how = its thread { $name } is in { $site }, { $how }
analysis-inner-thread = its thread { $name } is in { $site }
analysis-kernel-lock = In the kernel it sleeps on a lock (futex).
analysis-kernel-poll = In the kernel it polls for something to arrive.
analysis-kernel-sleep = It sleeps on purpose (time.sleep), as in a retry loop.
analysis-kernel-pipe = In the kernel it waits for a pipe whose other end does not answer.
analysis-kernel-fifo = In the kernel it opens a FIFO whose other end nobody holds.
analysis-kernel-socket = In the kernel it waits for data from a socket.
analysis-kernel-storage = In the kernel it waits for a file system or disk.
analysis-kernel-stop = The kernel holds it stopped.
analysis-kernel-child = In the kernel it waits for a child process.

## Reasons
analysis-reason-waited_for-twice = It is { $where }, at the very same place in both samples ({ $seconds } apart).
analysis-reason-waited_for-phase = It is { $where }; between the samples it did not get out of this part of the program.
analysis-reason-waited_for-once = It is { $where }.
analysis-reason-inner-twice = Inside it, { $inner }; the main thread waits for that, at the same place in both samples ({ $seconds } apart).
analysis-reason-inner-phase = Inside it, { $inner }; the main thread waits for that in both samples.
analysis-reason-inner-once = Inside it, { $inner }; the main thread waits for that.
analysis-reason-working-twice = It is { $where } and uses a CPU: an endless loop, or much slower than the others.
analysis-reason-working-phase = It is { $where }, works, and does not get out of this part of the program.
analysis-reason-stopped = Its process is stopped (state T): by a signal, a debugger or a job control system.
analysis-reason-dead = Its process is dead: { $error }
analysis-reason-vanished = Its process was there in the first sample and gone in the last.
analysis-reason-missing = The job has { $expected } ranks, but this one has no trainer process on the nodes that answered.
analysis-reason-silent_node = Its node did not answer; all ranks that were seen wait for others.
analysis-reason-no_dump = It gave no stack: { $error } A rank without a stack is often the culprit.
analysis-reason-uninterruptible = It is { $where }, in uninterruptible sleep (state D) in every sample.
analysis-reason-gil = Its thread { $thread } keeps Python's global lock in every sample, at { $site }; the main thread cannot go on, wherever it is.
analysis-reason-gil-once = Its thread { $thread } holds Python's global lock at this moment, at { $site }.
analysis-reason-mismatch = It is { $where }, while most others are { $majority }: the ranks disagree about the next operation.
analysis-reason-ahead = Seen from where they part, it is further on: it is ahead, or it skipped an operation.
analysis-reason-behind = Seen from where they part, its call comes earlier: it is behind, or one round ahead in the loop.
analysis-reason-absent = It is { $where }, while its tensor-parallel partners still wait in an operation inside the layer: it skipped that operation, or they made one too many.
analysis-reason-odd_collective = It is { $where } from inside a pipeline exchange, while its peers go through the same exchange without a collective.
analysis-reason-waiting = Other ranks wait: { $ranks } ({ $count }), { $doing }.
analysis-reason-main-thread = Its main thread is { $where }.
analysis-reason-workers = It has { $count } data worker(s).
analysis-reason-no-workers = It waits for dataloader workers, and none was found beside it.
analysis-unnamed-thread = (unnamed)
analysis-unknown-error = no reason given.

## Verdicts that name ranks
analysis-verdict-waited = { $ranks }: { $doing }; { $count } of { $seen } ranks wait for others.
analysis-verdict-inner = { $ranks }: { $inner }, and the main thread waits for it; { $count } of { $seen } ranks wait for others.
analysis-verdict-working = { $ranks }: at work ({ $doing }), while { $count } of { $seen } ranks wait; an endless loop, or much slower than the rest.
analysis-verdict-stopped = { $ranks }: the process is stopped, and { $count } of { $seen } ranks wait.
analysis-verdict-dead = { $ranks }: the process has ended, and { $count } of { $seen } ranks wait.
analysis-verdict-missing = { $ranks }: no trainer process was found, and { $count } of { $seen } ranks wait.
analysis-verdict-silent_node = { $ranks }: the node did not answer, and all { $count } ranks that were seen wait.
analysis-verdict-no_dump = { $ranks }: no stack could be taken, and { $count } of { $seen } ranks wait.
analysis-verdict-gil = { $ranks }: a helper thread keeps Python's global lock, and { $count } of { $seen } ranks wait.
analysis-verdict-mismatch = { $ranks }: waiting in another operation than the majority. The ranks differ, so compare their steps and branches first.
analysis-verdict-absent = { $ranks }: passed a tensor-parallel operation in which the partners still wait. Look for a branch that only part of a group takes.
analysis-verdict-ras_behind = { $ranks }: the stacks do not show who is waited for; by the launch counts of NCCL RAS, the others wait for it.
analysis-verdict-ras_lost = { $ranks }: the stacks do not show who is waited for; NCCL RAS gets no answer from its process.
analysis-one-rank = rank { $ranks }
analysis-many-ranks = ranks { $ranks }

## Verdicts that name nobody
analysis-nobody-moving = The job moves: between the samples its ranks went on. Nobody is named.
analysis-nobody-working = The others wait for { $ranks }, which is getting on ({ $doing }), as in evaluation, checkpointing or data preparation. Nobody is named; capture again if it lasts.
analysis-nobody-all_in_communication = All ranks are in the same communication or device wait. No rank stands out: look at network, NCCL, GPUs, and at ranks outside this capture.
analysis-nobody-all_in_storage = All ranks read or write files at the same place. No rank stands out: look at the shared storage.
analysis-nobody-all_in_data = All ranks are getting data at the same place. No rank stands out: look at the shared data path.
analysis-nobody-all_in_compile = All ranks are compiling. No rank stands out.
analysis-nobody-all_in_build_lock = All ranks wait for a lock file and nobody holds it: probably a stale lock.
analysis-nobody-all_in_start_up = All ranks that were seen wait at start-up. No rank stands out: compare the number of started ranks, addresses and ports.
analysis-nobody-all_in_serving_idle = All ranks wait for work from their engine, as an idle service does.
analysis-nobody-all_in_debugger = All ranks are in a debugger.
analysis-nobody-all_in_program = All ranks are in the same part of the program. No rank stands out.
analysis-nobody-all_waiting = All ranks sleep or wait for a queue or lock at the same place. A waiting thread is not abnormal by itself; see whether the training log goes on.
analysis-nobody-all_stopped = All ranks are stopped; nobody can be told from the others.
analysis-nobody-all_dead = All ranks have ended; their logs say more than their stacks.
analysis-nobody-no_stacks = No stack could be taken from any rank; the reasons are listed.
analysis-nobody-no_ranks = No process of any rank was found.
analysis-nobody-idle_helpers = Only helper processes were captured (compile workers, queues, semaphores), and they wait by design. This proves nothing about the training loop, NCCL or the GPUs.
analysis-nobody-start_up = All ranks that were seen wait for each other at start-up. No rank stands out.
analysis-nobody-mixed_waiting = All ranks wait for others, in different operations, and no small group differs from the rest. Nobody can be named.
analysis-nobody-unclear = The ranks are in different places, and it does not show that others wait for one of them. Nobody can be named.

## Cautions
analysis-caution-photo = This is a photo of one moment. It narrows the search; it is no root cause.
analysis-caution-waiting = A waiting function alone does not mean stuck: loaders, loggers, compile workers and queues wait by design.
analysis-caution-count = A call count says how often a function is in this snapshot, not that it is the cause; what only one rank has tells more.
analysis-caution-alike = All ranks alike need not be a communication problem: compilation, a checkpoint, evaluation or shared data preparation look the same.
analysis-caution-one-sample = There is one sample only, so whether anything moves is unknown. Capture again and compare.
analysis-caution-partial = The capture is partial: { $count } rank(s) or node(s) are without a stack.
analysis-caution-spread = The nodes were sampled up to { $seconds } apart; what looks different may only be later.
analysis-caution-differs = To differ is not to be guilty: the place where a rank waits need not be where the error is.
analysis-caution-helpers = Idle compile workers and queue threads are listed in the statistics; they accuse nobody.
analysis-caution-unreadable = { $count } line(s) of the capture could not be read.

## Next steps
analysis-next-p1 = P1: see whether this part of the program loads data, evaluates, saves a checkpoint or compiles once.
analysis-next-p2 = P2: check the named rank's data path, CPU, storage I/O and log first.
analysis-next-p3 = P3: check NCCL logs, RDMA configuration, network specification and the resource metrics of all nodes.
analysis-next-p4 = P4: see whether the training log goes on; what counts is whether the main training process gets on.
analysis-next-p5 = P5: if the log still advances by step or epoch, these are Inductor's idle background workers, and nothing is stuck.
analysis-next-log = Read the last lines of the log of { $ranks }, and compare with a rank that looks normal.
analysis-next-workers = Look at the dataloader workers of { $ranks }: state, CPU time, what they read; then try num_workers=0, spawn or a timeout.
analysis-next-storage = Check the mount, quota and latency of the file system on { $nodes }, and other jobs that use it.
analysis-next-process = On { $nodes }, see why the process is stopped or gone: dmesg, the OOM killer, exit codes, a debugger; `kill -CONT` resumes a stopped one.
analysis-next-nodes = See whether { $nodes } and the agent on it are up, and whether all ranks were started.
analysis-next-native = Take a native stack (`py-spy dump --native`) of { $ranks } to see the C call below the last Python line.
analysis-next-thread = Look at what the named thread computes in native code, and let it release the global lock or move it to a process.
analysis-next-steps = Print step and batch count per rank, and look for branches on rank or data, early returns and uneven batches above the operation.
analysis-next-debugger = Remove the breakpoint that was left in the code.
analysis-next-network = Check the service that { $ranks } waits for, and give the call a timeout.
analysis-next-lock = Remove the stale lock file if no process holds it.
analysis-next-start = Compare the number of started ranks with the world size, then MASTER_ADDR, port and interface names.
analysis-next-again = Capture again in 5 to 10 seconds and compare the two.

## Comparison
analysis-compare-frozen = None of the { $count } ranks moved between the captures.
analysis-compare-moved = All { $count } ranks moved between the captures: the job gets on.
analysis-compare-mixed = { $frozen } rank(s) stand still ({ $still }), { $moved } moved ({ $ranks }).
analysis-compare-lost = Gone: { $ranks }.
analysis-compare-new = New: { $ranks }.
analysis-compare-nothing = No rank has a stack in both captures.
analysis-compare-other-job = The captures are of different jobs: { $before } and { $after }.

## Report
analysis-title-verdict = Verdict
analysis-title-suspects = Suspect Ranks
analysis-title-groups = Groups of Ranks at the Same Place
analysis-title-missing = Missing
analysis-title-nccl = NCCL
analysis-title-cautions = Cautions
analysis-title-next = Next Steps
analysis-title-nobody = nobody
analysis-confidence-high = confidence: high
analysis-confidence-medium = confidence: medium
analysis-confidence-low = confidence: low
analysis-progress-frozen = the samples show no progress
analysis-progress-moving = the samples show progress
analysis-progress-unknown = progress unknown
analysis-change-frozen = stands still
analysis-change-moved = moved
analysis-change-new = new
analysis-change-gone = gone
analysis-seconds = { $count } s
analysis-some-seconds = some seconds
analysis-missing-no-trainer = no trainer process was found
analysis-missing-helpers = only helper processes were captured
analysis-missing-node = the node did not answer
analysis-missing-no-stack = no stack

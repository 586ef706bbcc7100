## Stages: title, what to look at first, what to do (a step a line)
triage-submit-title = Cannot be submitted, or no resource can be chosen
triage-submit-first = Look at the create page first: pool, worker spec, launchable count, whether the image is visible to jobs. Training code needs no change as a rule.
triage-submit-steps =
    Image missing: is it open to the job service, is its zone the pool's? Changing the start command does not help.
    Do not infer the zone from the registry's domain or address; one tag may differ between zones: compare digests.
    RDMA greyed out: the training network must be RoCE or IB and the spec must allow it; fewer than 8 GPUs usually cannot.
    Before changing the shape: does the code support fewer workers, fewer GPUs per worker, or no custom count?
triage-queued-title = Queued for long
triage-queued-first = Look first at the launchable count of the spec and at the queue.
triage-queued-steps =
    Usual reasons: nodes used by other jobs, dev machines or inference; free GPUs scattered; the script needs 8 whole GPUs or RDMA.
    Choose: wait for whole nodes · fewer workers · another spec or zone with enough · reserved resources.
    Code that needs 8 whole GPUs, RDMA or a fixed size had better wait: a wrong shape fails at initialisation or the first batch.
triage-deploying-title = Stuck while deploying
triage-deploying-first = Open the detailed progress first: resource allocation, image pull, storage mount or environment.
triage-deploying-steps =
    Allocation: back to launchable count and queue.
    Image pull: image service, zone, address, permission.
    Mount: shared storage, mount path, zone.
    Environment: has Bootcheck begun in the job log or the fault-tolerance log?
triage-deploying-resource-title = Deploying: resource allocation
triage-deploying-resource-first = Go back to the launchable count of the spec and to the queue.
triage-deploying-resource-steps =
    Read the reason in the job's events: FailedScheduling, NotEnoughResources.
    Choose: wait, fewer workers, another spec or zone.
triage-deploying-image-title = Deploying: image pull
triage-deploying-image-first = Read the job's events first: registry access, address, zone or permission.
triage-deploying-image-steps =
    On a dev machine of the same zone run `docker manifest inspect <image>` and compare digests.
    Is the image open to the job service and in the pool's zone? Do not infer the zone from the domain.
triage-deploying-storage-title = Deploying: storage mount
triage-deploying-storage-first = Look first at the shared storage, the mount path and the zone.
triage-deploying-storage-steps =
    Read the reason of FailedMount in the job's events.
    Mount the same storage on a dev machine of the same zone and `ls` the path.
triage-deploying-init-title = Deploying: environment
triage-deploying-init-first = Look first at job log and fault-tolerance log: has Bootcheck begun?
triage-deploying-init-steps =
    No output at all: look at the worker's state and the job's events.
    Bootcheck prints: go on as for the environment check.
triage-env-check-title = Environment check found a fault
triage-env-check-first = See in the fault-tolerance log which it is: GPU, RDMA, storage I/O, communication or runtime.
triage-env-check-steps =
    A lost GPU stops the job and moves it to a healthy node; without a spare one it cannot recover.
    Other faults may only warn: judge with the training log, the metrics and whether training began.
    On the worker: `nvidia-smi`, `ibstat`, `df -h`, or the checks built into `atlctl`.
    Lost GPUs or hardware faults again and again: ask support.
triage-after-check-title = Failed after the environment check
triage-after-check-first = Look at the first error after Bootcheck Finished or Check Finished; the last line is often only cleanup.
triage-after-check-steps =
    A passed check says that its items are fine: it reads no training data and checks no script.
    Image and start command first; near data reading or the first batch: data format, collator, output path.
    Reproduce on a dev machine with the same image, mounts and environment.
triage-start-title = Failed right after the start
triage-start-first = Look at the first shell or Python error: start command, image, script.
triage-start-steps =
    On a worker or a dev machine with the image: `pwd; ls -l run.sh; which python; conda env list`.
    Missing package: `python -c 'import <name>'`; build it into the image instead of the start command.
    Conda: the command runs under `bash --login`, which reads no ~/.bashrc: `eval "$(conda shell.bash hook)"` first.
    Windows line ends: `file run.sh`, then `dos2unix`.
triage-first-batch-title = Failed before the first batch
triage-first-batch-first = Check environment variables, packages, data path, data fields, tokenizer, data collator and output folder.
triage-first-batch-steps =
    With the same image, mounts and environment, run to the first batch of the same data on a dev machine.
    `ls $DATA_DIR; test -w $OUTPUT_DIR && echo writable; df -h`; paths must be on mounted shared storage.
    Check sample fields, empty samples, labels of varying length, multimodal fields and padding.
    The environment check reads no training data; passing it does not mean that the data are right.
triage-no-progress-title = No progress, hang or slow while running
triage-no-progress-first = Look at three signals together: step and loss in the log, metrics, time of the last checkpoint or TensorBoard file; then whether only some ranks are stuck.
triage-no-progress-steps =
    Hang suspected: capture the stacks, again 30 seconds later, and compare.
    NCCL 2.24 and later show a NCCL status; with an older one its absence is expected and no communication failure.
    Slow: did it coincide with a checkpoint, evaluation, data peak or longer sequences? Slower does not mean a hardware fault.
    Hardware suspected: `atlctl burn`. Several nodes: check RoCE or IB, RDMA setting and image packages.
triage-no-output-title = Succeeded without output
triage-no-output-first = Success only says that the start command ended normally: does it hide a failure, and was the output written to shared storage?
triage-no-output-steps =
    Look for the first error in the log: Python exception, out of memory, missing package, collator.
    Compare the output paths in command, config and log; files under /tmp, /root and /workspace are removed at the end.
    No TensorBoard curve: is the configured folder the one that is written?
triage-restarted-title = Odd progress after a restart, resume or rerun
triage-restarted-first = See first in the log whether a checkpoint was really loaded.
triage-restarted-steps =
    `grep -nE 'loaded checkpoint|[Rr]esum|Continuing training|start from random' <log>`.
    Compare checkpoint path, global step, epoch, loss curve and output folder.
    The platform only calls the start command again; model, optimizer, data loader and random state in memory are gone.
    Before a rerun make sure that old results stay: tell runs apart by RUN_ID, job name or time.
triage-unknown-title = Stage unknown
triage-unknown-first = Look at the job's state and detailed progress first, then choose between log, fault-tolerance log and metrics.
triage-unknown-steps =
    Put together job ID, state, first error, fault-tolerance log, spec, image, start command and output path.

## Spot
triage-spot-queued =
    Spot: was the longest queue time or the number of re-queues reached?
    A Spot job of several workers is scheduled as a whole: queued means that it waits for all of them, and none is kept.
triage-spot-preempted =
    Spot: pre-empted, or the automatic queue limit was reached; check the longest queue time and the number of re-queues.
    Choose: wait for stock and retry · another spec or zone · submit anew · reserved resources.
    A rerun calls the start command again: the code must resume from a checkpoint.

## Start command
triage-hidden-failure = The log has an error and the job looks successful: the start command may hide the failure.
triage-command-tee = The start command pipes into tee without `set -o pipefail`: a failed training shows as a success.
triage-command-echo = An echo or the like follows the training: the platform sees its result. Save the exit code (`rc=$?`) and end with `exit $rc`.
triage-command-sleep = A sleep follows the training to keep the scene: save the exit code first (`rc=$?`) and end with `exit $rc`.
triage-command-upload = An upload or copy follows the training: it runs after a failure too and covers its result. Join with `&&`, or save the exit code.
triage-command-swallow = `|| true` and the like swallow a failure.
triage-command-trap = `exit 0` in an EXIT trap covers a failure.
triage-command-background = A command runs in the background (`&`) without `wait`: the start command ends before it.

## Output paths
triage-path-local = Output goes to a worker's own disk, { $paths }: it is gone when the job ends; write to mounted shared storage.
triage-path-no-run-id = The output path { $path } has no RUN_ID, job name or time: a rerun may overwrite old results.

## Resume
triage-resume-loaded = A checkpoint was loaded after the restart: { $path }.
triage-resume-loaded-step = A checkpoint was loaded after the restart: { $path }, going on from step { $step }.
triage-resume-fresh = No checkpoint was loaded after the restart, training began anew: are the folders to save to and to load from the same?
triage-resume-none = Training goes on after the restart, and the log has no record of a loaded checkpoint: it may have begun anew.
triage-resume-unknown = After the restart there is no step yet and no loaded checkpoint.
triage-resume-lost = Step { $before } before the restart, step { $after } after it: { $lost } steps are done again. Going back is normal by itself.

## DDP
triage-ddp-unequal = { $name } differs between processes: { $values }.
triage-ddp-double = RANK is used twice: { $ranks }.
triage-ddp-beyond = RANK { $ranks } is not below WORLD_SIZE { $world }.
triage-ddp-local = LOCAL_RANK { $local } is not below LOCAL_WORLD_SIZE { $per_node }.
triage-ddp-loopback = MASTER_ADDR of a job on several nodes is { $address }: other nodes cannot reach it.
triage-ddp-nnodes = torchrun's nnodes is { $nnodes } and the job has { $workers } workers.
triage-ddp-nproc = torchrun's nproc_per_node is { $nproc } and a worker has { $gpus } GPUs.
triage-ddp-world = WORLD_SIZE { $world } is not { $workers } workers x { $gpus } GPUs.

## Debugging settings
triage-debug-transport = Debugging settings restrict the transport and cost speed: { $settings }. Remove them afterwards.
triage-debug-blocking = Synchronous debugging settings cost much speed: { $settings }. Remove them afterwards.
triage-debug-verbose = Verbose logging is still on and may cost speed: { $settings }.

## Is there progress
triage-signal-log = log
triage-signal-metrics = metrics
triage-signal-checkpoints = time of the last checkpoint
triage-progress-moving = The training makes progress.
triage-progress-moving-next = If it is slow, see the slow-down detection.
triage-progress-low-use = The training makes progress with low use: data, CPU, evaluation or compilation.
triage-progress-low-use-next = Look at data loading and `nvidia-smi dmon`.
triage-progress-silent-log = Only the log is silent.
triage-progress-silent-log-next = Check buffering (PYTHONUNBUFFERED=1), log filters, and which rank prints.
triage-progress-spinning = Busy waiting is suspected, or one long phase: a waiting NCCL kernel shows a GPU at 100 %.
triage-progress-spinning-next = Capture the stacks twice and compare; low power at full use means spinning.
triage-progress-saving = It may be saving, evaluating or preparing data.
triage-progress-saving-next = Wait for one save period.
triage-progress-hang = A hang is suspected: data, communication or hardware.
triage-progress-hang-next = Capture stacks and NCCL status, compare rank by rank.
triage-progress-unknown = Not enough is known; missing: ….
triage-progress-unknown-next = Get the missing signals first; nothing is guessed.

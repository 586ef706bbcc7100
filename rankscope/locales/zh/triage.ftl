## 阶段：标题、先看什么、怎么做（每行一步）
triage-submit-title = 无法提交或选不到资源
triage-submit-first = 先看创建页：资源池、Worker 规格、可启动数量、镜像是否对任务服务可见。通常不需要改训练代码。
triage-submit-steps =
    镜像选不到：镜像是否开放给任务服务、镜像可用区是否与资源池一致；改启动命令没有用。
    不要根据 Registry 域名或镜像地址判断可用区；同一 tag 在不同可用区可能不同，请比较摘要。
    RDMA 打不开：训练网须为 RoCE 或 IB，且规格满足条件；少于完整 8 卡通常不能开启。
    要改资源形状，先确认训练代码支持更少的 Worker、更少的单 Worker GPU 或关闭自定义卡数。
triage-queued-title = 排队很久
triage-queued-first = 先看目标规格的可启动数量和负载排队情况。
triage-queued-steps =
    可启动数量不足的常见原因：节点被其他任务、开发机或推理服务占用；空闲 GPU 分散；脚本要求完整 8 卡或 RDMA。
    可选：等待完整节点释放 · 减少 Worker · 换可启动数量足够的规格或可用区 · 改用包年包月资源。
    训练代码必须用完整 8 卡、RDMA 或固定规模时优先等待：改成不支持的形状会在分布式初始化或第一个 batch 失败。
triage-deploying-title = 卡在部署中
triage-deploying-first = 先打开详细进度：卡在资源分配、镜像拉取、存储挂载还是环境初始化。
triage-deploying-steps =
    资源分配：回到可启动数量和排队情况。
    镜像拉取：镜像服务、可用区、地址、权限。
    存储挂载：共享高性能存储、挂载路径、可用区。
    环境初始化：任务日志和容错日志里 Bootcheck 开始了吗。
triage-deploying-resource-title = 部署中：资源分配
triage-deploying-resource-first = 回到目标规格的可启动数量和负载排队情况。
triage-deploying-resource-steps =
    看任务事件里的 FailedScheduling、NotEnoughResources 等原因。
    可选：等待、减少 Worker、换规格或可用区。
triage-deploying-image-title = 部署中：镜像拉取
triage-deploying-image-first = 先看任务事件：镜像仓库访问、镜像地址、可用区、权限是哪一项。
triage-deploying-image-steps =
    在同可用区的开发机上执行 `docker manifest inspect <镜像>`，比较摘要。
    确认镜像开放给任务服务，且镜像可用区与资源池一致；不要从域名推断可用区。
triage-deploying-storage-title = 部署中：存储挂载
triage-deploying-storage-first = 先看共享高性能存储、挂载路径和可用区。
triage-deploying-storage-steps =
    看任务事件里的 FailedMount 原因。
    在同可用区的开发机上挂载同一存储并 `ls` 该路径。
triage-deploying-init-title = 部署中：环境初始化
triage-deploying-init-first = 先看任务日志和容错日志：Bootcheck 开始了吗。
triage-deploying-init-steps =
    没有任何输出：看 Worker 状态与任务事件。
    已有 Bootcheck 输出：按环境检测处理。
triage-env-check-title = 环境检测异常
triage-env-check-first = 先看容错日志：GPU、RDMA、存储 I/O、通信还是运行时环境。
triage-env-check-steps =
    GPU 掉卡会阻断任务并重调度到健康节点；没有冗余健康节点时容错无法恢复。
    其他异常可能只告警并继续：结合训练日志、资源监控和是否进入训练判断。
    登录 Worker：`nvidia-smi`、`ibstat`、`df -h`，或用 `atlctl` 的内置检查。
    反复发现 GPU 掉卡或硬件异常：联系支持。
triage-after-check-title = 环境检测通过后失败
triage-after-check-first = 先看 Bootcheck Finished 或 Check Finished 之后的第一条错误；最后一行常常只是清理。
triage-after-check-steps =
    检测通过只说明当前检测项正常：它不读训练数据，也不检查训练脚本。
    先查镜像依赖和启动命令；错误在数据读取或第一个 batch 附近时，查数据格式、collator 和输出路径。
    用同一镜像、挂载和环境变量在开发机上复现。
triage-start-title = 启动后立即失败
triage-start-first = 先看第一条 Shell 或 Python 异常：启动命令、镜像环境、脚本入口。
triage-start-steps =
    在 Worker 或同镜像开发机上：`pwd; ls -l run.sh; which python; conda env list`。
    缺包：`python -c 'import <包名>'`；依赖固化到镜像，不要在启动命令里临时安装。
    Conda：启动命令以 `bash --login` 执行，不读 ~/.bashrc：先 `eval "$(conda shell.bash hook)"`。
    脚本是 CRLF 换行：`file run.sh`，用 `dos2unix` 转换。
triage-first-batch-title = 第一个 batch 前失败
triage-first-batch-first = 先查：环境变量、依赖包、数据路径、数据字段、tokenizer、data collator、输出目录。
triage-first-batch-steps =
    用同一镜像、挂载和环境变量，在开发机上用同一份数据跑到第一个 batch。
    `ls $DATA_DIR; test -w $OUTPUT_DIR && echo 可写; df -h`；路径须在挂载的共享存储上。
    查样本字段、空样本、变长 label、多模态字段和 padding。
    环境检测不读取也不解析训练数据，通过不代表数据正确。
triage-no-progress-title = 运行中无进展、Hang 或变慢
triage-no-progress-first = 三个信号一起看：日志 step/loss、资源监控、checkpoint 或 TensorBoard 更新时间；再看是否只有部分 rank。
triage-no-progress-steps =
    疑似 Hang：采集进程栈，间隔 30 秒再采一次并对比。
    NCCL 2.24 及以上可看 NCCL 状态；更低版本不可用是预期结果，不等同于通信失败。
    变慢：先看该时段是否在保存 checkpoint、评估、数据高峰或序列变长；变慢不直接等同于硬件故障。
    怀疑硬件：用 `atlctl burn` 验证。多机通信：核对 RoCE/IB、RDMA 配置和镜像依赖。
triage-no-output-title = 任务成功但没有产出
triage-no-output-first = 成功只说明启动命令正常结束：先查启动命令是否隐藏了失败，再查输出是否写到共享存储。
triage-no-output-steps =
    在日志里找第一条错误：Python 异常、OOM、缺依赖、collator。
    核对启动命令、配置和日志里实际使用的输出路径；/tmp、/root、/workspace 下的文件随任务结束被清理。
    TensorBoard 没有曲线：任务可视化的日志目录是否等于实际写入目录。
triage-restarted-title = 自动重启、恢复或重跑后进度异常
triage-restarted-first = 先在日志里确认是否真的加载了 checkpoint。
triage-restarted-steps =
    `grep -nE 'loaded checkpoint|[Rr]esum|Continuing training|start from random' <日志>`。
    核对恢复的 checkpoint 路径、global step、epoch、loss 曲线和输出目录。
    平台只会重新执行启动命令，不能恢复内存里的模型、优化器、dataloader 和随机数状态。
    手动重跑前确认不会覆盖旧结果：用 RUN_ID、任务名或时间戳区分。
triage-unknown-title = 阶段未知
triage-unknown-first = 先看任务状态和详细进度，再决定看日志、容错日志还是资源监控。
triage-unknown-steps =
    把任务 ID、状态、第一条异常、容错日志、规格、镜像、启动命令和输出路径整理在一起。

## Spot
triage-spot-queued =
    Spot：查是否达到单次最大排队时长或最大重新排队次数。
    多 Worker Spot 按整任务成组调度：排队中表示在等全部 Worker，没有一部分被保留。
triage-spot-preempted =
    Spot：资源被抢占或达到自动排队上限，请核对单次最大排队时长和最大重新排队次数。
    可选：等库存恢复后重试 · 换规格或可用区 · 重新提交 · 改用包年包月资源。
    重新运行会再次执行启动命令：训练代码必须从 checkpoint 恢复。

## 启动命令
triage-hidden-failure = 日志里有错误，但任务看起来成功：启动命令可能隐藏了失败。
triage-command-tee = 启动命令用管道接 tee 而没有 `set -o pipefail`：训练失败也会显示成功。
triage-command-echo = 训练之后还有 echo 之类的命令：平台看到的是它的结果。先保存训练的退出码（`rc=$?`），最后 `exit $rc`。
triage-command-sleep = 训练之后用 sleep 保留现场：先保存退出码（`rc=$?`），保留结束后 `exit $rc`。
triage-command-upload = 训练之后上传或拷贝结果：失败时也会执行，并盖住训练的结果。用 `&&` 连接，或保存退出码。
triage-command-swallow = `|| true` 一类写法会吞掉失败。
triage-command-trap = EXIT trap 里的 `exit 0` 会盖住失败。
triage-command-background = 命令放到后台（`&`）而没有 `wait`：启动命令会先结束。

## 输出路径
triage-path-local = 输出在 Worker 本地路径 { $paths }：任务结束后通常取不回来，请写到挂载的共享存储。
triage-path-no-run-id = 输出路径 { $path } 不含 RUN_ID、任务名或时间戳：重跑可能覆盖旧结果。

## 恢复
triage-resume-loaded = 重启后加载了 checkpoint：{ $path }。
triage-resume-loaded-step = 重启后加载了 checkpoint：{ $path }，从第 { $step } 步继续。
triage-resume-fresh = 重启后没有加载 checkpoint，训练从头开始：核对保存目录与加载目录是否一致。
triage-resume-none = 重启后已在训练，但日志里没有加载 checkpoint 的记录：可能从头开始。
triage-resume-unknown = 重启后还没有看到训练步，也没有看到加载 checkpoint。
triage-resume-lost = 重启前到第 { $before } 步，重启后从第 { $after } 步开始：重做 { $lost } 步。步数回退本身是正常的。

## DDP
triage-ddp-unequal = 各进程的 { $name } 不一致：{ $values }。
triage-ddp-double = RANK 重复：{ $ranks }。
triage-ddp-beyond = RANK { $ranks } 不小于 WORLD_SIZE { $world }。
triage-ddp-local = LOCAL_RANK { $local } 不小于 LOCAL_WORLD_SIZE { $per_node }。
triage-ddp-loopback = 多机任务的 MASTER_ADDR 是 { $address }：其他节点连不上。
triage-ddp-nnodes = torchrun 的 nnodes 为 { $nnodes }，而任务有 { $workers } 个 Worker。
triage-ddp-nproc = torchrun 的 nproc_per_node 为 { $nproc }，而每个 Worker 有 { $gpus } 张 GPU。
triage-ddp-world = WORLD_SIZE { $world } 不等于 Worker 数 { $workers } × 每 Worker GPU 数 { $gpus }。

## 调试设置
triage-debug-transport = 传输被调试设置限制，会变慢：{ $settings }。排查结束后请去掉。
triage-debug-blocking = 同步调试设置会明显变慢：{ $settings }。排查结束后请去掉。
triage-debug-verbose = 详细日志设置仍然打开，可能影响性能：{ $settings }。

## 有没有进展
triage-signal-log = 日志
triage-signal-metrics = 资源监控
triage-signal-checkpoints = checkpoint 更新时间
triage-progress-moving = 训练在推进。
triage-progress-moving-next = 如果慢，看变慢检测。
triage-progress-low-use = 训练在推进，但利用率低：数据、CPU、评估或编译。
triage-progress-low-use-next = 看数据加载和 `nvidia-smi dmon`。
triage-progress-silent-log = 只是日志没有更新。
triage-progress-silent-log-next = 查输出缓冲（PYTHONUNBUFFERED=1）、日志筛选条件，以及由哪个 rank 打印。
triage-progress-spinning = 疑似忙等，或一个很长的阶段：等待中的 NCCL kernel 会让 GPU 显示 100%。
triage-progress-spinning-next = 采集两次进程栈对比；功耗低而利用率满即为空转。
triage-progress-saving = 可能在保存、评估或准备数据。
triage-progress-saving-next = 再等一个保存周期。
triage-progress-hang = 疑似 Hang：数据、通信或硬件。
triage-progress-hang-next = 采集进程栈和 NCCL 状态，逐 rank 对比。
triage-progress-unknown = 信息不足，还缺：…。
triage-progress-unknown-next = 先补上缺的信号，不做猜测。

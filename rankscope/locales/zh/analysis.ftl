## rank 正在做什么（接在“正”之后可读的短语）
analysis-at-collective = 在集合通信 { $op } 中等待
analysis-at-p2p = 在点对点通信 { $op } 中等待
analysis-at-backward = 处于反向传播
analysis-at-backward-waiting = 在反向传播中等待梯度 all-reduce
analysis-at-device_sync = 在 { $op } 中等待设备
analysis-at-start_up = 在启动阶段等待其他 rank（{ $op }）
analysis-at-data = 在读取数据
analysis-at-storage = 在读写文件或 checkpoint
analysis-at-compile = 在编译
analysis-at-build_lock = 在等待锁文件
analysis-at-debugger = 停在调试器里
analysis-at-shutdown = 正在退出程序
analysis-at-serving_idle = 在等待引擎派发任务
analysis-at-lock_queue = 在等待锁、队列或线程
analysis-at-network = 在等待网络服务
analysis-at-user = 在训练程序自己的代码里
analysis-at-stopped = 进程被暂停
analysis-at-dead = 进程已死
analysis-at-no_dump = 没有采到栈
analysis-somewhere-how = { $doing }，位置 { $site }，{ $how }
analysis-somewhere-blocked = 卡在 { $site }，{ $how }
analysis-somewhere = { $doing }，位置 { $site }

## 内核等待
analysis-doing-lock = 在等锁
analysis-doing-poll = 在等数据到达
analysis-doing-sleep = 在主动睡眠
analysis-doing-pipe = 在等管道
analysis-doing-fifo = 在打开一个对端无人的 FIFO
analysis-doing-socket = 在等 socket
analysis-doing-storage = 在等文件系统
analysis-doing-stop = 处于停止状态
analysis-doing-child = 在等子进程
analysis-inner-worker-blocked = 它的数据加载进程卡在 { $site }，{ $how }
analysis-inner-workers-blocked = 它的 { $count } 个数据加载进程卡在 { $site }，{ $how }
analysis-inner-worker-at = 它的数据加载进程在 { $site }
analysis-inner-workers-at = 它的 { $count } 个数据加载进程在 { $site }
analysis-inner-worker-running = 它的数据加载进程正在 { $site } 里运行
analysis-inner-workers-running = 它的 { $count } 个数据加载进程正在 { $site } 里运行
analysis-inner-thread-how = 它的线程 { $name } 在 { $site }，{ $how }
analysis-inner-thread = 它的线程 { $name } 在 { $site }
analysis-kernel-lock = 内核里它睡在锁上（futex）。
analysis-kernel-poll = 内核里它在轮询，等待数据到达。
analysis-kernel-sleep = 它在主动睡眠（time.sleep），例如重试循环。
analysis-kernel-pipe = 内核里它在等管道，对端没有响应。
analysis-kernel-fifo = 内核里它在打开一个 FIFO，对端无人。
analysis-kernel-socket = 内核里它在等待 socket 数据。
analysis-kernel-storage = 内核里它在等待文件系统或磁盘。
analysis-kernel-stop = 内核让它处于停止状态。
analysis-kernel-child = 内核里它在等待子进程。

## 理由
analysis-reason-waited_for-twice = 它{ $where }，两次采样（相隔 { $seconds }）停在同一位置。
analysis-reason-waited_for-phase = 它{ $where }，两次采样之间没有走出这一段程序。
analysis-reason-waited_for-once = 它{ $where }。
analysis-reason-inner-twice = 在它内部，{ $inner }；主线程在等它，两次采样（相隔 { $seconds }）都停在同一位置。
analysis-reason-inner-phase = 在它内部，{ $inner }；两次采样主线程都在等它。
analysis-reason-inner-once = 在它内部，{ $inner }；主线程在等它。
analysis-reason-working-twice = 它{ $where }，并且在占用 CPU：可能是死循环，也可能比其他 rank 慢很多。
analysis-reason-working-phase = 它{ $where }，一直在运行，却没有走出这一段程序。
analysis-reason-stopped = 它的进程处于停止状态（T）：被信号、调试器或作业控制暂停。
analysis-reason-dead = 它的进程已经死亡：{ $error }
analysis-reason-vanished = 第一次采样时它的进程还在，最后一次采样时已经消失。
analysis-reason-missing = 任务共有 { $expected } 个 rank，但在已返回的节点上找不到它的训练进程。
analysis-reason-silent_node = 它所在的节点没有返回，而采到的 rank 全都在等待别人。
analysis-reason-no_dump = 没有采到它的栈：{ $error }没有栈的 rank 往往就是出问题的那个。
analysis-reason-uninterruptible = 它{ $where }，每次采样都处于不可中断睡眠（D）。
analysis-reason-gil = 它的线程 { $thread } 每次采样都持有 Python 全局锁，位置 { $site }；主线程无论停在哪里都走不下去。
analysis-reason-gil-once = 它的线程 { $thread } 此刻持有 Python 全局锁，位置 { $site }。
analysis-reason-mismatch = 它{ $where }，而多数 rank { $majority }：各 rank 对下一步操作不一致。
analysis-reason-ahead = 从分岔处看，它走得更靠后：要么领先，要么跳过了一次操作。
analysis-reason-behind = 从分岔处看，它的调用更靠前：要么落后，要么在循环里多走了一轮。
analysis-reason-absent = 它{ $where }，而同组的张量并行伙伴还在层内的某个操作里等待：要么它跳过了这次操作，要么伙伴多做了一次。
analysis-reason-odd_collective = 它在流水线收发的内部{ $where }，而同伴经过同一处收发时并没有做集合通信。
analysis-reason-waiting = 另有 { $count } 个 rank（{ $ranks }）{ $doing }。
analysis-reason-main-thread = 它的主线程{ $where }。
analysis-reason-workers = 它有 { $count } 个数据加载进程。
analysis-reason-no-workers = 它在等 dataloader worker，但旁边没有找到任何 worker 进程。
analysis-unnamed-thread = （未命名）
analysis-unknown-error = 没有给出原因。

## 点名的结论
analysis-verdict-waited = { $ranks }：{ $doing }；{ $seen } 个 rank 中有 { $count } 个在等别人。
analysis-verdict-inner = { $ranks }：{ $inner }，主线程在等它；{ $seen } 个 rank 中有 { $count } 个在等别人。
analysis-verdict-working = { $ranks } 一直在运行（{ $doing }），而 { $seen } 个 rank 中有 { $count } 个在等待：可能是死循环，也可能比其他 rank 慢很多。
analysis-verdict-stopped = { $ranks } 的进程被暂停，{ $seen } 个 rank 中有 { $count } 个在等待。
analysis-verdict-dead = { $ranks } 的进程已经结束，{ $seen } 个 rank 中有 { $count } 个在等待。
analysis-verdict-missing = 没有找到 { $ranks } 的训练进程，{ $seen } 个 rank 中有 { $count } 个在等待。
analysis-verdict-silent_node = { $ranks } 所在节点没有返回，采到的 { $count } 个 rank 全都在等待。
analysis-verdict-no_dump = 没有采到 { $ranks } 的栈，{ $seen } 个 rank 中有 { $count } 个在等待。
analysis-verdict-gil = { $ranks } 的辅助线程一直持有 Python 全局锁，{ $seen } 个 rank 中有 { $count } 个在等待。
analysis-verdict-mismatch = { $ranks } 等在与多数 rank 不同的操作里：各 rank 有差异，请先比较它们的步数和分支。
analysis-verdict-absent = { $ranks }：同组的张量并行伙伴还在层内的操作里等待，它却已经走过去了。先查只有组内部分 rank 才走的分支。
analysis-verdict-ras_behind = 进程栈看不出在等谁；按 NCCL RAS 的发起数，其他 rank 在等 { $ranks }。
analysis-verdict-ras_lost = 进程栈看不出在等谁；NCCL RAS 得不到 { $ranks } 的进程应答。
analysis-one-rank = rank { $ranks }
analysis-many-ranks = rank { $ranks }

## 不点名的结论
analysis-nobody-moving = 任务在推进：两次采样之间各 rank 都往下走了，不点名任何 rank。
analysis-nobody-working = 其他 rank 在等 { $ranks }，而 { $ranks } 正在推进（{ $doing }），例如评估、保存 checkpoint 或准备数据。不点名任何 rank；若持续很久请再采集一次。
analysis-nobody-all_in_communication = 所有 rank 都停在同一处通信或设备等待，没有突出的 rank：请看网络、NCCL、GPU，以及不在本次采集里的 rank。
analysis-nobody-all_in_storage = 所有 rank 都在同一处读写文件，没有突出的 rank：请看共享存储。
analysis-nobody-all_in_data = 所有 rank 都在同一处读取数据，没有突出的 rank：请看共享的数据路径。
analysis-nobody-all_in_compile = 所有 rank 都在编译，没有突出的 rank。
analysis-nobody-all_in_build_lock = 所有 rank 都在等锁文件而没有人持有：很可能是残留的锁。
analysis-nobody-all_in_start_up = 采到的 rank 都在启动阶段等待，没有突出的 rank：请核对已启动的 rank 数、地址和端口。
analysis-nobody-all_in_serving_idle = 所有 rank 都在等引擎派发任务，与空闲的服务一样。
analysis-nobody-all_in_debugger = 所有 rank 都停在调试器里。
analysis-nobody-all_in_program = 所有 rank 都在同一段程序里，没有突出的 rank。
analysis-nobody-all_waiting = 所有 rank 都在同一处睡眠，或等待队列、锁。等待线程本身不一定异常，请看训练日志是否仍在推进。
analysis-nobody-all_stopped = 所有 rank 都被暂停，无法区分。
analysis-nobody-all_dead = 所有 rank 都已结束，日志比栈更能说明问题。
analysis-nobody-no_stacks = 任何 rank 都没有采到栈，原因已列出。
analysis-nobody-no_ranks = 没有找到任何 rank 的进程。
analysis-nobody-idle_helpers = 只采到了后台辅助进程（编译 worker、队列、信号量），它们本来就会等待。这不能证明训练主循环、NCCL 或 GPU 出错。
analysis-nobody-start_up = 采到的 rank 都在启动阶段互相等待，没有突出的 rank。
analysis-nobody-mixed_waiting = 所有 rank 都在等待别人，但等在不同的操作里，也没有明显的少数派，无法点名。
analysis-nobody-unclear = 各 rank 停在不同位置，看不出有人在等其中某一个，无法点名。

## 注意
analysis-caution-photo = 这只是某一时刻的现场照片，能缩小范围，不等于根因。
analysis-caution-waiting = 看到等待函数不代表卡死：数据加载、日志、编译 worker 和后台队列本来就会等待。
analysis-caution-count = 调用次数只说明函数在本次快照里出现了多少次，不代表是根因；只有个别 rank 才有的函数更值得先看。
analysis-caution-alike = 所有 rank 相似不一定是通信问题：模型编译、保存 checkpoint、评估或共享数据准备看起来也一样。
analysis-caution-one-sample = 只有一次采样，无法判断是否在推进。请再采集一次并对比。
analysis-caution-partial = 本次采集不完整：有 { $count } 个 rank 或节点没有栈。
analysis-caution-spread = 各节点的采样时间最多相差 { $seconds }，看起来的差异可能只是先后不同。
analysis-caution-differs = 不同不等于有错：rank 等待的位置不一定是问题所在的位置。
analysis-caution-helpers = 统计里包含空闲的编译 worker 和队列线程，它们不说明任何 rank 有问题。
analysis-caution-unreadable = 采集文件中有 { $count } 行无法读取。

## 下一步
analysis-next-p1 = P1：看这一段程序是否在加载数据、评估、保存 checkpoint 或做一次性编译。
analysis-next-p2 = P2：优先检查被点名 rank 的数据路径、CPU、存储 I/O 和日志。
analysis-next-p3 = P3：查看 NCCL 日志、RDMA 配置、网络规格和各节点的资源监控。
analysis-next-p4 = P4：看训练日志是否仍在推进；关键是主训练进程是否也没有进展。
analysis-next-p5 = P5：如果日志仍按 step 或 epoch 前进，这些只是 Inductor 的空闲后台 worker，训练没有卡住。
analysis-next-log = 看 { $ranks } 日志的最后几行，并与一个看起来正常的 rank 对照。
analysis-next-workers = 看 { $ranks } 的 dataloader worker：状态、CPU 时间、在读什么；再试 num_workers=0、spawn 或设置 timeout。
analysis-next-storage = 检查 { $nodes } 上文件系统的挂载、配额和延迟，以及共用它的其他任务。
analysis-next-process = 在 { $nodes } 上查进程为什么停止或消失：dmesg、OOM、退出码、调试器；被暂停的进程可用 `kill -CONT` 恢复。
analysis-next-nodes = 确认 { $nodes } 及其采集代理是否正常，所有 rank 是否都已启动。
analysis-next-native = 对 { $ranks } 取一次原生栈（`py-spy dump --native`），看最后一行 Python 之下的 C 调用。
analysis-next-thread = 看该线程在原生代码里算什么，让它释放全局锁，或改到单独的进程里。
analysis-next-steps = 打印每个 rank 的步数和批次数，查看该操作之前是否有按 rank 或数据的分支、提前返回、批次不均。
analysis-next-debugger = 删除代码里遗留的断点。
analysis-next-network = 检查 { $ranks } 所等待的服务，并给这次调用加上超时。
analysis-next-lock = 如果没有进程持有锁，请删除残留的锁文件。
analysis-next-start = 核对已启动的 rank 数与 world size，再看 MASTER_ADDR、端口和网卡名。
analysis-next-again = 5 到 10 秒后再采集一次，对比两次结果。

## 对比
analysis-compare-frozen = 两次采集之间，{ $count } 个 rank 全都没有移动。
analysis-compare-moved = 两次采集之间，{ $count } 个 rank 全都移动了：任务在推进。
analysis-compare-mixed = { $frozen } 个 rank 没有移动（{ $still }），{ $moved } 个移动了（{ $ranks }）。
analysis-compare-lost = 消失：{ $ranks }。
analysis-compare-new = 新出现：{ $ranks }。
analysis-compare-nothing = 没有任何 rank 在两次采集中都有栈。
analysis-compare-other-job = 两次采集属于不同的任务：{ $before } 与 { $after }。

## 报告
analysis-title-verdict = 结论
analysis-title-suspects = 可疑 rank
analysis-title-groups = 停在同一处的 rank
analysis-title-missing = 缺失
analysis-title-nccl = NCCL
analysis-title-cautions = 注意
analysis-title-next = 下一步
analysis-title-nobody = 无
analysis-confidence-high = 把握：高
analysis-confidence-medium = 把握：中
analysis-confidence-low = 把握：低
analysis-progress-frozen = 两次采样之间没有推进
analysis-progress-moving = 两次采样之间有推进
analysis-progress-unknown = 进展未知
analysis-change-frozen = 未移动
analysis-change-moved = 已移动
analysis-change-new = 新出现
analysis-change-gone = 已消失
analysis-seconds = { $count } 秒
analysis-some-seconds = 数秒
analysis-missing-no-trainer = 没有找到训练进程
analysis-missing-helpers = 只采到了后台辅助进程
analysis-missing-node = 节点没有返回
analysis-missing-no-stack = 没有栈

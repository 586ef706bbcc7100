# 名称
nccl-and = 、
nccl-semicolon = ；
nccl-processes-more = { $who }，另有 { $count } 个
nccl-behind-ahead = { $who }（领先的是 { $ahead }）
nccl-comm = 通信器 { $hash }（{ $size } 个 rank）
nccl-comms = { $count } 个 { $size } 卡通信器
nccl-ranks = rank { $ranks }
nccl-ranks-local = 该通信器内的 rank { $ranks }
nccl-rank = rank { $rank }
nccl-rank-at = rank { $rank }（{ $where }）
nccl-rank-local = 该通信器内的 rank { $rank }
nccl-rank-local-at = 该通信器内的 rank { $rank }（{ $where }）
nccl-some-ranks = { $count } 个 rank（回答中没有列出是哪些）
nccl-all-ranks = 全部 rank
nccl-and-more = { $who }，另有 { $count } 个未列出
nccl-all-collectives = 集合通信（合计）
nccl-counts = { $kind } 发起数 { $low } 对 { $high }
nccl-state = { $count } 个 { $state }
nccl-error-unnamed = 未列明的错误（例如 2.30 起的 ncclTimeout）
nccl-stage-init = 初始化
nccl-stage-async = 异步
nccl-failure = { $who } 报告 { $error }（{ $stage }）

# 看到了什么
nccl-seen-dead = NCCL 判定 { $count } 个进程失联（DEAD）：{ $who }。
nccl-seen-dead-unnamed = NCCL 判定 { $count } 个进程失联（DEAD），回答中没有列出是哪些。
nccl-seen-incomplete = { $count } 个进程没有应答（INCOMPLETE）：{ $who }。
nccl-seen-incomplete-unnamed = { $count } 个进程没有应答（INCOMPLETE），回答中没有列出是哪些。
nccl-seen-missing = { $comm } 缺 { $count } 个 rank（INCOMPLETE）：{ $who }。
nccl-seen-missing-cut = { $comm } 缺 { $count } 个 rank（INCOMPLETE），名单被这个 NCCL 版本截短，已知的有：{ $who }。
nccl-seen-missing-unnamed = { $comm } 缺 { $count } 个 rank（INCOMPLETE，{ $answered } 个已应答），回答中没有列出是哪些。
nccl-seen-error = { $comm } 有 rank 报错：{ $what }。
nccl-seen-abort = { $comm } 有 { $count } 个 rank 正在中止（ABORT）。
nccl-seen-transition = { $comm } 正在过渡（创建或销毁途中）：{ $states }。
nccl-seen-stalled-comm = { $comm }：{ $who } 落后，{ $counts }，两次回答之间没有任何变化。
nccl-seen-stalled-crossed = { $comm }：各 rank 发起的集合通信种类互相对不上（{ $counts }），两次回答之间没有任何变化，像是各 rank 走了不同的代码路径。
nccl-seen-mismatch-crossed = { $comm }：这一刻各 rank 发起的集合通信种类互相对不上（{ $counts }），不分先后。
nccl-seen-lagging = { $comm }：两次回答之间有推进，但 { $who } 没有动，{ $counts }。
nccl-seen-moving-comm = { $comm }：被拍到时 { $who } 落后，{ $counts }，但计数在推进。
nccl-seen-mismatch-comm = { $comm }：这一刻 { $who } 落后，{ $counts }。
nccl-seen-init-stuck = { $comm }：{ $who } 两次回答都还在初始化（INIT），通信器状态显示为 { $status }。
nccl-seen-initialising = { $comm }：{ $who } 还在初始化（INIT），通信器状态显示为 { $status }。
nccl-seen-rendezvous = 任务概要全是 0：各 rank 还没有全部会合，至少有一个 rank 没有加入。
nccl-seen-no-communicators = RAS 有应答，但没有通信器：尚未初始化，或已全部销毁。
nccl-seen-moving = 两次回答之间，集合通信的发起数在推进。
nccl-seen-still-even = 各 rank 的发起数相等，但两次回答之间没有任何新的发起；RAS 无法指出是谁。
nccl-seen-even = RAS 没有看到 rank 之间的差异；这不能证明任务在推进。
nccl-seen-events = 这是 MONITOR 的 { $count } 条事件，不是状态回答；其中最近值得注意的一条：{ $event }，{ $who }。
nccl-seen-same-process = 同一个进程，{ $who }，这一刻在 { $comms } 个通信器中落后。
nccl-seen-culprit = 其他 rank 在等 { $who }：它在 { $comms } 个停住的通信器中落后，两次回答之间没有变化。
nccl-seen-culprits = 其他 rank 在等 { $count } 个落后者：{ $who }。
nccl-seen-circle = { $count } 个落后者似乎在互相等待：{ $who }。请核对各通信组的调用顺序。
nccl-seen-passing = 其中有全零或 NOCOMM 的行：可能有通信器正在过渡（创建或销毁途中）。
nccl-more = 另有 { $count } 项未列出。

# 附注
nccl-note-timeouts = 收集过程中有 { $count } 次超时：有进程没有按时回话。
nccl-note-retries = 握手重试了 { $count } 次：端口上有进程接了连接却不回话，可能被冻结（SIGSTOP、D 状态或调试器）。
nccl-note-not-comparable = 两次回答无法比较：没有共同的通信器，或其中一次不可靠。可能是另一个任务，或任务已重启。
nccl-note-too-close = 两次回答只相隔 { $seconds } 秒，不足 10 秒，不能据此说停住。
nccl-note-other-size = RAS 看到 { $gpus } 个 GPU，任务配置是 { $expected } 个：可能是同一端口上的另一个任务，或有 rank 没有加入。
nccl-caution-abridged = 这份回答缺少小节标题，像是摘录；是否完整无法核对。

# 不代表什么
nccl-not-dead = DEAD 只说明 RAS 连续 60 秒联系不上它：可能被杀、被冻结，也可能是网络不通。
nccl-not-incomplete = 没有应答不等于死亡：可能刚被杀不到 60 秒，也可能被冻结或节点网络不通。
nccl-not-error = 报 Remote process error 的 rank 多为受牵连，先看报其他错误的 rank。
nccl-not-abort = ABORT 是某个错误的后果，不是原因。
nccl-not-stalled = 计数只说明谁没有发起，不说明为什么没有发起。
nccl-not-init-stuck = 停在初始化不说明是谁的错：也可能在等没有加入的 rank。
nccl-not-lagging = 慢不等于停住：再看一次才知道它会不会跟上。
nccl-not-rendezvous = 这不是通信错误：NCCL 还没有开始通信。
nccl-not-transition = 过渡状态会造成虚假的 MISMATCH 和 NOCOMM，不能据此点名。
nccl-not-initialising = 启动阶段或新建通信组时，INIT 是正常的。
nccl-not-mismatch = 正常运行的任务也常被拍到相差 1、2 次；单次回答不能说明有人卡住。
nccl-not-still-even = 使用 CUDA graph 或单步很久的任务，计数不动也是正常的。
nccl-not-moving = 在推进不代表没有问题：某个 rank 可能很慢，或停在不计数的操作里。
nccl-not-no-communicators = 没有通信器不代表通信失败。
nccl-not-events = 事件只说明 RAS 网络里进程的来去，不说明通信器的状态。
nccl-not-even = RAS 没有看到差异，不代表任务没有停住。
nccl-not-unreliable = 回答被截断或损坏时，里面的任何内容都不能作为结论。
nccl-not-completed = 计数是“已发起”，不是“已完成”：计数相等时也可能卡在 GPU 上。
nccl-not-counted = 不计数的操作：Send/Recv（流水线并行）、AllToAll、Gather、Scatter，以及 CUDA graph 捕获的集合通信。
nccl-not-kinds = 2.24 和 2.25 只有一个合计数，看不出是哪种集合通信。

# 下一步
nccl-next-dead = 下一步：到该节点查进程是否还在、内核日志（OOM、Xid）和该 rank 的日志；任务通常需要重启。
nccl-next-incomplete = 下一步：看该进程的状态和进程栈；约 60 秒后再问一次，若变为 DEAD 则按进程死亡处理。
nccl-next-error = 下一步：看最先报错的 rank 的日志和所在节点的内核日志（Xid、网卡）。
nccl-next-abort = 下一步：找最早报错的 rank 的日志。
nccl-next-stalled = 下一步：看落后 rank 的进程栈，它停在哪里，其他 rank 就在等什么。
nccl-next-init-stuck = 下一步：看这些 rank 的进程栈，并确认该通信组的所有成员都在创建它。
nccl-next-lagging = 下一步：隔 10 秒以上再问一次，并看这些 rank 的进程栈。
nccl-next-rendezvous = 下一步：核对 rank 数、主节点地址和端口，找出没有启动或没有加入的 rank。
nccl-next-transition = 下一步：隔 10 秒以上再问一次。
nccl-next-initialising = 下一步：隔 10 秒以上再问一次；若仍是 INIT，看这些 rank 的进程栈。
nccl-next-mismatch = 下一步：隔 10 秒以上再问一次；两次计数相同才算停住。
nccl-next-still-even = 下一步：看进程栈和 GPU 利用率；对照 PyTorch 日志里的 last enqueued 和 last completed。
nccl-next-moving = 下一步：看步时是否变慢；需要时再采集进程栈。
nccl-next-no-communicators = 下一步：等训练进入通信阶段后再问；若任务正在退出，则是正常现象。
nccl-next-events = 下一步：用 STATUS 再问一次通信器的状态。
nccl-next-even = 下一步：看进程栈和 GPU 利用率；怀疑停住时，隔 10 秒以上再问一次。
nccl-next-again = 下一步：再问一次；若又被截断，换一个进程或节点问。
nccl-next-unreliable-once = 下一步：NCCL { $version } 在缺少 rank 时会给出错乱的内容并可能读坏内存（2.29.2 修复），不要反复询问；改看进程栈和日志。

# 不可靠
nccl-line-unreliable = NCCL RAS 的回答不可靠，请再问一次；未据此得出任何结论。
nccl-sign-no-head = 开头缺少版本行。
nccl-sign-cut = 回答不完整：没有到达末尾的 Warnings 一节。
nccl-sign-midline = 回答在一行的中间断开。
nccl-sign-misplaced = 有一行出现在不该出现的位置：{ $line }
nccl-sign-unknown-line = 有这个版本不会输出的行：{ $line }
nccl-sign-job = 任务概要中的数字彼此不符。
nccl-sign-table = 通信器表不完整或次序不对。
nccl-sign-zeros = 有全零的通信器（常见于通信器正在初始化时，NVIDIA/nccl#2346，或 #1762）。
nccl-sign-row = 第 { $group } 组的数字彼此不符。
nccl-sign-blocks = 通信器表与下面的明细不一致。
nccl-sign-hash = 通信器名 { $hash } 不是哈希，而是错位的内存。
nccl-sign-block = 通信器 { $hash } 的明细与总数不符。
nccl-sign-processes = 进程名单与总数不符。
nccl-sign-json = JSON 的内容不是 RAS 的形式：{ $why }
nccl-sign-json-cut = JSON 不完整：{ $why }
nccl-sign-json-count = JSON 中的通信器数目与列表不符。

# 没有回答
nccl-problem-refused = 连接被拒绝：这个地址上没有进程在听。
nccl-problem-unreachable = 连不上这个地址。
nccl-problem-unresolved = 主机名无法解析。
nccl-problem-not-ras = 应答者不是 NCCL RAS。
nccl-problem-frozen = 有进程接了连接却不回话。
nccl-problem-silent = 应答者收到问题后没有在限期内答完。
nccl-problem-cut = 连接中途断开，回答不完整。
nccl-problem-empty = 回答是空的：应答的进程可能中途退出。
nccl-problem-too-large = 回答超过大小上限，已放弃。
nccl-problem-other-job = 同一端口上应答的是另一个任务。
nccl-problem-old-client = 这个 ncclras 不认识所给的选项（JSON 需要 2.28.7 或更高版本）。
nccl-problem-no-report = 里面没有状态回答，只有客户端或协议的提示。
nccl-problem-foreign = 这不是 NCCL RAS 的回答。

nccl-unavailable-too-old = NCCL { $version } 没有 RAS（需要 2.24 或更高）：这是预期结果。
nccl-unavailable-not-loaded = 训练进程没有加载 NCCL（CPU/gloo 任务，或尚未进入首次集合通信），没有 RAS 可问：这是预期结果。
nccl-unavailable-disabled = RAS 被 NCCL_RAS_ENABLE 关闭：这是预期结果。
nccl-unavailable-not-initialised = 训练还没有初始化 NCCL 通信器，RAS 尚未启动：这是预期结果。
nccl-unavailable-destroyed = 通信器已全部销毁，没有可看的状态：这是预期结果。
nccl-unavailable-job-over = 任务已结束，RAS 随之消失：这是预期结果。
nccl-unavailable-refused = 连不上 NCCL RAS：这个地址上没有进程在听。
nccl-unavailable-unreachable = NCCL { $version } 支持 RAS，训练在运行且已初始化，仍连不上：请查 RAS 监听地址或采集链路。
nccl-unavailable-unresolved = RAS 的主机名无法解析。
nccl-unavailable-not-ras = 这个地址上应答的不是 NCCL RAS。
nccl-unavailable-frozen = 监听 RAS 端口的进程不回话，可能被冻结（SIGSTOP、D 状态、调试器）。
nccl-unavailable-silent = 进程收到了问题，却没有在限期内答完。
nccl-unavailable-starting = 任务正在启动，此时询问 RAS 有风险，没有询问。
nccl-unavailable-dangerous = 通信器可能正在初始化，此时询问 NCCL { $version } 可能使任务崩溃，没有询问。
nccl-unavailable-version-unknown = 不知道进程加载的 NCCL 版本，无法判断询问是否安全，没有询问。
nccl-unavailable-old-client = 这个 ncclras 太旧，不认识所给的选项。
nccl-unavailable-no-failure = 这不是 NCCL 通信失败的证据，也不是因为单机多卡无法使用 NCCL。
nccl-unavailable-what-is-lost = 没有 RAS 时看不到通信器、缺失的 rank、DEAD 和 INCOMPLETE；报告和进程栈不受影响。

nccl-condition-version-yes = 条件一：NCCL 2.24 或更高，满足。
nccl-condition-version-no = 条件一：NCCL 2.24 或更高，不满足。
nccl-condition-version-unknown = 条件一：NCCL 2.24 或更高，未知。
nccl-condition-enabled-yes = 条件二：RAS 没有被关闭，满足。
nccl-condition-enabled-no = 条件二：RAS 没有被关闭，不满足。
nccl-condition-enabled-unknown = 条件二：RAS 没有被关闭，未知。
nccl-condition-running-yes = 条件三：任务仍在运行，满足。
nccl-condition-running-no = 条件三：任务仍在运行，不满足。
nccl-condition-running-unknown = 条件三：任务仍在运行，未知。
nccl-condition-initialised-yes = 条件四：训练已初始化 NCCL，满足。
nccl-condition-initialised-no = 条件四：训练已初始化 NCCL，不满足。
nccl-condition-initialised-unknown = 条件四：训练已初始化 NCCL，未知。

nccl-check-version = 先查镜像中的 NCCL 版本：低于 2.24 时没有 RAS，连不上是预期结果。
nccl-check-disabled = 查 RAS 是否被关闭：环境变量或 /etc/nccl.conf 中的 NCCL_RAS_ENABLE。
nccl-check-not-initialised = 查训练是否还没有初始化 NCCL（日志里有没有 NCCL 初始化）。
nccl-check-destroyed = 查询问时 NCCL 通信器是否已销毁、任务是否已结束。
nccl-check-address = 查采集端能否到达 RAS 监听地址：NCCL_RAS_ADDR、网络命名空间、端口是否被别的用户占用。
nccl-check-image = 需要 RAS 时，换用自带 NCCL 2.24 或更高版本的 PyTorch/CUDA 组合，用 torch.cuda.nccl.version() 确认，在构建镜像时固定并跑通最小通信检查；不建议在现有环境里只换 NCCL 库。
nccl-check-client = 去掉 -f json 再问，或用与任务相同版本的 ncclras。
nccl-check-frozen = 看监听进程的状态（T、t、D）和它的进程栈；同一节点的其他 rank 可能仍会回话。
nccl-check-later = 等训练开始迭代后再问。
nccl-check-upgrade = 等确认没有通信器在初始化后再问；升级到 2.28.7 或更高版本可以用 JSON 询问。
nccl-elsewhere-logs = 改看训练日志：有没有 NCCL、RDMA、all_reduce、barrier 或 timeout 报错。
nccl-elsewhere-launch = 改看启动命令：rank、进程数和主节点地址是否正确传入。
nccl-elsewhere-metrics = 改看资源监控：网络、GPU 利用率和显存是否符合预期。
nccl-elsewhere-stacks = 改看进程栈：是否只有部分 rank 停在通信调用，另一些停在数据读取或 checkpoint 保存。

# 能不能问
nccl-ask-allowed = 可以询问 NCCL { $version }。
nccl-ask-walk-bug = NCCL { $version } 在缺少 rank 时会给出错乱的内容（2.29.2 修复）：只问必要的次数。
nccl-ask-init-race = NCCL { $version } 在有通信器初始化时会给出虚假的 NOCOMM 和全零的行。
nccl-ask-new-version = NCCL { $version } 比研究过的 { $last } 新：请对照原始回答。

# 命令行
nccl-cli-outcome = 结果：{ $outcome }　NCCL { $version }　格式：{ $format }
nccl-cli-job = 任务：{ $nodes } 个节点，{ $processes } 个进程，{ $gpus } 个 GPU
nccl-cli-job-derived = 任务（由通信器推出）：{ $nodes } 个节点，{ $processes } 个进程，{ $gpus } 个 GPU
nccl-cli-progress-frozen = 两次回答之间：停住
nccl-cli-progress-moving = 两次回答之间：在推进
nccl-cli-progress-unknown = 两次回答之间：无法判断
nccl-cli-seen = 看到的：
nccl-cli-not-meant = 不代表：
nccl-cli-next = 接下来：
nccl-cli-unknown-lines = 没有读懂的行：

# 报告点名的依据
nccl-blame-dead = NCCL RAS 认为它的进程已死（连续 60 秒以上联系不上）。
nccl-blame-silent = 它的进程没有应答 NCCL RAS（INCOMPLETE）。
nccl-blame-behind = 按 NCCL RAS 的计数，它在 { $comms } 个通信器中发起的集合通信比其他 rank 少，两次回答之间没有变化。

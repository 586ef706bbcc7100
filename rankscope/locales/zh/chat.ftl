chat-help =
    我能看到训练任务的每个 rank 此刻停在哪里，并指出其他 rank 在等谁。
    适合：长时间无进展、疑似 Hang、首个 batch 很久不动、只有部分 rank 卡住。
chat-help-notes =
    任务 ID 可以只写开头几位。群里请先 @ 我。
    进程栈像一张现场截图，不会自动给出根因；间隔一段时间采集两次再对比，更能说明问题。
chat-line-capture = /capture 任务ID [--samples 次数] [--native rank,…]　采集一次所有 rank 的进程栈
chat-line-compare = /compare 任务ID [先 后]　对比两次采集（不写就是最近两次；写 Print ID 或它的末几位）
chat-line-report = /report 任务ID 或 Print ID　看报告：先看谁、为什么，附页面链接
chat-line-stack = /stack 任务ID 5 或 worker-0-gpu-0　看一个 rank 停在哪里
chat-line-nccl = /nccl 任务ID　看最近一次采集时 NCCL 的状态
chat-line-errors = /errors 任务ID　看日志中的首个错误：更像谁的问题、先查什么、处于哪个阶段
chat-line-jobs = /jobs　列出任务，异常的在前
chat-line-status = /status　看机器人、采集 agent 和队列是否正常
chat-line-silence = /silence 任务ID [30m | 2h | end | off]　让任务的告警静默一段时间、到任务结束，或恢复
chat-line-subscribe = /subscribe [任务 ID 或 通配* [off]]  在本会话订阅任务的异常通知；不带参数则列出已订阅的
chat-line-audit = /audit 任务ID　看最近谁对任务做了什么
chat-line-lang = /lang zh 或 en　选择本会话的语言
chat-line-help = /help　显示这份说明
chat-usage-missing =
    还缺内容。用法：{ $line }
    { $known ->
        [none] 目前还没有已知的任务。
       *[other] 已知的任务：{ $known }
    }
chat-usage-word = 命令不完整。用法：{ $line }
chat-usage-many = 多出来的是：{ $extra }。用法：{ $line }
chat-usage-bad = 看不懂「{ $word }」。用法：{ $line }
chat-unknown-command = 我不认识「{ $word }」。发送 /help 查看全部命令。
chat-unknown-command-suggest = 我不认识「{ $word }」。您是不是想用 /{ $suggestion }？发送 /help 查看全部命令。
chat-unknown-menu = 菜单项“{ $key }”没有对应的命令；可用的有 help、jobs 和 status。您也可以直接输入：
chat-unknown-job = 没有找到任务「{ $word }」。已知的任务：{ $known }
chat-unknown-job-nearest = 没有找到任务「{ $word }」。最接近的是 { $nearest }。已知的任务：{ $known }
chat-unknown-job-none =
    没有找到任务「{ $word }」，目前也没有任何已知的任务。
    请确认计算节点上运行着 rankscope agent，并且它能访问机器人。
chat-ambiguous-job = 有多个任务以「{ $word }」开头：{ $matches }。请多写几位。
chat-list-more = { $names } 等共 { $count } 个
chat-separator = 、

chat-state-unknown = 状态未知
chat-state-queued = 排队中
chat-state-deploying = 部署中
chat-state-running = 运行中
chat-state-hang = 疑似 Hang
chat-state-slow = 变慢
chat-state-failed = 已失败
chat-state-succeeded = 已成功结束
chat-state-stopped = 已停止

chat-not-running-before = 任务 { $job } 现在{ $state }，还没有可以采集的进程。请先看任务事件，等它进入运行状态后再采集。
chat-not-running-failed = 任务 { $job } 已失败退出，通常已无法再采集进程栈。请先看任务日志、事件和容错日志，找最早的一条错误。
chat-not-running-over = 任务 { $job } { $state }，进程已退出，无法再采集进程栈。如需追查，请看任务日志、事件和容错日志。
chat-not-running-message = 最后一条消息：{ $message }
chat-not-running-url = 任务页面：{ $url }
chat-not-running-output = 输出目录：{ $path }

chat-no-such-ranks = 任务 { $job } 没有 rank { $ranks }：它的 rank 是 0 到 { $last }。没有采集。
chat-capture-started = 开始采集任务 { $job }。通常需要数秒到几十秒，结果会显示在卡片上。
chat-capture-joined = 任务 { $job } 正在采集（已完成 { $asked } 个节点中的 { $done } 个），没有重复发起；结果会显示在同一张卡片上。
chat-capture-joined-starting = 任务 { $job } 的采集刚刚开始，没有重复发起；结果会显示在同一张卡片上。
chat-no-agent =
    没有任何采集 agent 看到任务 { $job } 的进程，暂时无法采集。
    请检查：1. 任务所在节点是否运行着 rankscope agent；2. agent 能否访问机器人（/healthz）；3. 两边的 RANKSCOPE_AGENT_SECRET 是否一致。

chat-suspect = rank { $rank }（{ $node }）：{ $reason }
chat-suspects-more = 另有 { $count } 个可疑 rank，见卡片。
chat-finished-suspects = 任务 { $job } 采集完成，可疑的 rank：
chat-finished-none = 任务 { $job } 采集完成，没有可以点名的 rank。{ $verdict }
chat-finished-missing = 有 { $count } 个 rank 或节点没有拿到进程栈，它们也可能是问题所在，见报告。
chat-capture-failed = 任务 { $job } 采集失败：{ $reason }
chat-capture-failed-next = 可以稍后点击卡片上的按钮重新采集。
chat-flapping = 任务 { $job } 恢复后不久又出现异常（第 { $times } 次），继续使用这张卡片，不再另发。
chat-too-soon = 任务 { $job } 刚刚采集过，请过 { $seconds } 秒再采集。
chat-compare-finished = 任务 { $job } 两次采集的对比：{ $text }
chat-compare-failed = 任务 { $job } 的对比没有完成：{ $reason }

chat-jobs-title = 共 { $count } 个任务：
chat-jobs-none =
    目前没有任何已知的任务。
    请确认计算节点上运行着 rankscope agent，并且它能访问机器人。
chat-jobs-row = { $job }　{ $state }{ $facts }
chat-jobs-nodes = { $count } 个节点
chat-jobs-ranks = { $count } 个 rank
chat-jobs-captured = 最近采集 { $time }
chat-jobs-capturing = 正在采集
chat-jobs-silenced = 静默{ $until }
chat-until-end = 到任务结束
chat-until-time = 到 { $time }

chat-status-title = rankscope { $version }
chat-status-agents = 采集 agent：{ $count } 个在线（节点：{ $nodes }）
chat-status-no-agents = 采集 agent：没有一个在线，请检查计算节点上的 rankscope agent
chat-status-captures = 正在采集：{ $jobs }
chat-status-no-captures = 正在采集：无
chat-status-queues = 等待处理：消息与卡片 { $chat } 个，采集与分析 { $work } 个
chat-status-unsent = 未发出的消息：{ $count } 条
chat-status-silenced = 静默中的任务：{ $jobs }
chat-status-routes = 路由：{ $count } 条（{ $file }）
chat-status-routes-broken = ⚠ 路由文件有误，仍使用上一个有效版本。{ $error }
chat-status-on-call = 值班（{ $rota }）：{ $person }
chat-status-routed = 任务 { $job } 有未结束的异常：{ $route }
chat-status-no-route = 没有匹配的路由，发往默认会话

chat-silenced = 任务 { $job } 的告警已静默{ $until }。期间仍可手动采集；/silence { $job } off 可恢复。
chat-unsilenced = 任务 { $job } 的告警已恢复。
chat-not-silenced = 任务 { $job } 没有被静默。
chat-language = 好的，本会话之后用中文。

chat-subscribed = 已订阅：{ $pattern } 的异常发生和结束时会通知本会话。/subscribe { $pattern } off 可取消。
chat-subscribe-all = 如需全部订阅，请用 /subscribe { $pattern }
chat-subscribe-full = 本会话已有 { $most } 个订阅，达到上限。请先取消一个，或使用通配，如 jo-llm*。
chat-unsubscribed = 本会话不再接收：{ $patterns }
chat-not-subscribed = 本会话没有这个订阅，已有的订阅：{ $known }
chat-subscriptions = 本会话订阅了 { $count } 项：{ $patterns }
chat-subscriptions-none = 本会话还没有订阅。/subscribe 任务 ID 即可在任务异常发生和结束时收到通知；* 代表任意字符，如 jo-llm*。

chat-no-report = 任务 { $job } 还没有可看的报告。可以用 /capture { $job } 采集一次。
chat-report-title = 任务 { $job }　采集于 { $time }　Print ID { $print_id }
chat-report-link = 报告页面：{ $link }
chat-unknown-capture = 没有找到采集「{ $word }」（只保留 { $days } 天）。{ $known ->
        [none] 这个任务还没有完成的采集。
       *[other] 已完成的采集：{ $known }
    }
chat-compare-one = 任务 { $job } 只有 { $count } 次完成的采集，要有两次才能对比。请先采集。
chat-compare-same = 两次采集要不同才能对比。
chat-comparing = 正在对比任务 { $job } 的两次采集（{ $before } 和 { $after }），结果马上回复。

chat-stack-title = 任务 { $job }　rank { $rank }（{ $node }，{ $key }）　Print ID { $print_id }
chat-stack-thread = 主线程（最里层在上）：
chat-stack-moved = 两次采样之间有变化；下面是最后一次。
chat-stack-frozen = 各次采样都停在同一处。
chat-stack-none = 没有采到它的主线程：{ $reason }
chat-stack-more = … 另有 { $count } 层
chat-stack-helpers = 另有 { $count } 个辅助进程，见报告页面。
chat-stack-not-understood = 看不懂位置「{ $word }」。请写 rank 号（如 5）或位置（如 worker-0-gpu-0）。
chat-stack-not-found = 任务 { $job } 最近一次采集里没有「{ $word }」。采到的 rank：{ $ranks }

chat-nccl-title = 任务 { $job } 的 NCCL 状态（采集于 { $time }）：
chat-nccl-not-asked = 这次采集没有查询 NCCL RAS，所以没有通信状态；这不代表通信失败。
chat-nccl-next = 接下来查：

chat-audit-title = 任务 { $job } 最近的操作（新的在前）：
chat-audit-none = 任务 { $job } 还没有人操作过。
chat-audit-row = { $time }　{ $who }　{ $what }：{ $outcome }
chat-act-capture = 采集
chat-act-recapture = 再次采集
chat-act-compare = 对比
chat-act-ack = 认领
chat-act-silence = 静默
chat-act-unsilence = 取消静默
chat-act-bundle = 支持包
chat-act-escalate = 升级呼叫
chat-act-subscribe = 订阅
chat-act-unsubscribe = 取消订阅
chat-act-lang = 选择语言
chat-act-mute = 路由设为不通知
chat-act-other = 其他操作
chat-outcome-started = 已开始
chat-outcome-done = 完成
chat-outcome-joined = 已在进行
chat-outcome-refused = 没有权限
chat-outcome-too-soon = 太频繁
chat-outcome-not-possible = 无法进行
chat-outcome-other = 其他

chat-refused = 您没有权限{ $what }。可以操作的是管理员设定的操作员（RANKSCOPE_OPERATORS）和任务负责人；查看类命令人人可用。
chat-refused-chat = 您没有权限在群里{ $what }。可以操作的是管理员设定的操作员（RANKSCOPE_OPERATORS）；与机器人私聊时人人可用。

chat-toast-capturing = 正在采集……结果会更新在卡片上
chat-toast-comparing = 正在对比……结果会回复在话题里
chat-toast-already-requested = 已经有人请求过了，请稍等
chat-toast-already-requested-by = { $who } 已经请求过了，请稍等
chat-toast-running = 采集正在进行（{ $asked } 个节点中的 { $done } 个已完成），请稍等
chat-toast-running-starting = 采集正在进行，请稍等
chat-toast-running-by = { $who } 发起的采集正在进行（{ $asked } 个节点中的 { $done } 个已完成），请稍等
chat-toast-running-starting-by = { $who } 刚刚发起了采集，请稍等
chat-toast-stale = 卡片刚刚更新过，请看最新内容后再点
chat-toast-expired = 这条记录已过期（只保留 { $days } 天），请用 /capture 重新采集
chat-toast-resumed = 任务已恢复，这张卡片不再操作；需要时请用 /capture
chat-toast-ended = 任务已结束，无法再采集；请看任务日志和事件
chat-toast-closed = 这次事件已关闭；需要时请用 /capture
chat-toast-one-capture = 至少要有两次采集才能对比，请先重新采集
chat-toast-unknown-button = 这个按钮已不再使用，请用 /help 查看可用命令
chat-toast-unavailable = 机器人暂时忙不过来，请稍后再点
chat-toast-acknowledged = 好的，大家会看到您在处理
chat-toast-already-acked = { $who } 已在处理
chat-toast-silenced = 告警已静默{ $until }
chat-toast-unsilenced = 告警已恢复
chat-toast-not-silenced = 这个任务没有被静默
chat-toast-bundling = 正在准备支持包，文件会回复在话题里
chat-toast-no-report = 还没有报告，采集完成后才能打包
chat-toast-too-soon = 刚刚采集过，请过 { $seconds } 秒再点
chat-toast-same-captures = 请选两次不同的采集
chat-toast-refused = 您没有权限{ $what }；可以操作的是操作员和任务负责人
chat-duration-30m = { " " }30 分钟
chat-duration-2h = { " " }2 小时
chat-duration-end = 到任务结束

chat-bundle-title = 支持包：任务 { $job }
chat-bundle-job = 任务
chat-bundle-capture = 采集
chat-bundle-report = 报告
chat-bundle-stacks = 嫌疑 rank 与对照 rank 的栈
chat-bundle-nccl = NCCL 状态
chat-bundle-period = 同一时段还需要补充的
chat-bundle-deeds = 谁做了什么
chat-bundle-suspect = 嫌疑 rank { $rank }
chat-bundle-control = 对照 rank { $rank }
chat-bundle-missing = （没有）
chat-bundle-spec-text = { $ranks } 个 rank，{ $nodes } 个节点
chat-bundle-fact-job-id = 任务 ID
chat-bundle-fact-state = 任务状态
chat-bundle-fact-first-error = 第一条错误
chat-bundle-fact-message = 最近的消息
chat-bundle-error = { $text }（{ $place }）
chat-bundle-unsure-error = 可能是 { $text }（{ $place }）；只凭这一行还不能确定
chat-bundle-no-error = 收到的日志里没有找到错误：{ $logs }
chat-bundle-no-log = 不清楚：没有收到该任务的日志
chat-bundle-in-event = 来自事件本身
chat-bundle-fact-tolerance-log = 容错日志
chat-bundle-fact-spec = 资源规格
chat-bundle-fact-image = 镜像
chat-bundle-fact-command = 启动命令
chat-bundle-fact-output = 输出路径
chat-bundle-fact-page = 任务页面
chat-bundle-fact-captured = 采集时间
chat-bundle-fact-ranks = 采到的 rank
chat-bundle-fact-report = 报告页面
chat-bundle-add-logs = 缺少：{ $time } 前后的任务日志。请从任务页面下载后附上。
chat-bundle-add-tolerance = 缺少：同一时段的容错日志。请从任务页面下载后附上。
chat-bundle-add-metrics = 缺少：同一时段的 GPU、网络、存储监控截图。请从监控页面截取后附上。
chat-bundle-failed = 任务 { $job } 的支持包没有做成：{ $reason }

## 首个错误
chat-errors-title = { $job }（{ $state }）的首个错误
chat-errors-logs = 依据：{ $logs } 的日志
chat-errors-first = 首个错误 { $place }
chat-errors-unsure = 没有确定的首个错误，最接近的一行 { $place }
chat-errors-second = 第二候选（很接近） { $place }
chat-errors-facts = { $layer }{ $rank }{ $where }
chat-errors-rank = ，rank { $rank }
chat-errors-where = ，位置 { $where }
chat-errors-none = 收到的日志里没有已知模式的错误。
chat-errors-consequences = 另有 { $count } 行看起来像错误，判断为后果或收尾输出。
chat-errors-stage = 阶段：{ $title }
chat-errors-no-log = 没有收到过 { $job } 的日志，无法给出首个错误。
    可以：在告警事件的 logs 字段附上日志末尾；或在能读到日志的机器上运行 rankscope watch；或直接运行 rankscope errors 日志文件。
chat-errors-in-event = （事件消息）
chat-status-no-hang-source = ⚠ 已打开自动采集，但从未收到过挂起或变慢告警：目前不会自动采集。请接入平台告警，或运行 rankscope watch。

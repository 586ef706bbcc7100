chat-help =
    我能看到训练任务的每个 rank 此刻停在哪里，并指出其他 rank 在等谁。
    适合：长时间无进展、疑似 Hang、首个 batch 很久不动、只有部分 rank 卡住。

    /capture 任务ID　采集一次所有 rank 的进程栈（任务 ID 可以只写开头几位）
    /help　显示这份说明

    群里请先 @ 我。进程栈像一张现场截图，不会自动给出根因；间隔一段时间采集两次再对比，更能说明问题。
chat-usage-capture =
    /capture 后面要写一个任务 ID，例如：/capture jo-1a2b
    { $known ->
        [none] 目前还没有已知的任务。
       *[other] 已知的任务：{ $known }
    }
chat-usage-capture-many = /capture 一次只采集一个任务，后面只写一个任务 ID；多出来的是：{ $extra }
chat-unknown-command = 我不认识「{ $word }」。发送 /help 查看全部命令。
chat-unknown-command-suggest = 我不认识「{ $word }」。您是不是想用 /{ $suggestion }？发送 /help 查看全部命令。
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

chat-toast-capturing = 正在采集……结果会更新在卡片上
chat-toast-comparing = 正在对比……结果会回复在话题里
chat-toast-already-requested = 已经有人请求过了，请稍等
chat-toast-running = 采集正在进行（{ $asked } 个节点中的 { $done } 个已完成），请稍等
chat-toast-running-starting = 采集正在进行，请稍等
chat-toast-stale = 卡片刚刚更新过，请看最新内容后再点
chat-toast-expired = 这条记录已过期（只保留 { $days } 天），请用 /capture 重新采集
chat-toast-resumed = 任务已恢复，这张卡片不再操作；需要时请用 /capture
chat-toast-ended = 任务已结束，无法再采集；请看任务日志和事件
chat-toast-closed = 这次事件已关闭；需要时请用 /capture
chat-toast-one-capture = 至少要有两次采集才能对比，请先重新采集
chat-toast-unknown-button = 这个按钮已不再使用，请用 /help 查看可用命令
chat-toast-unavailable = 机器人暂时忙不过来，请稍后再点

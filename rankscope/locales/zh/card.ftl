## 标题与标签
card-title-open = { $what ->
    [hang] 训练疑似挂起，尚未采集
    [slow] 训练变慢，尚未采集
    [suspected] 训练疑似变慢，尚未采集
   *[manual] 尚未采集
}
card-title-capturing = { $what ->
    [hang] 训练疑似挂起，正在采集
    [slow] 训练变慢，正在采集
    [suspected] 训练疑似变慢，正在采集
   *[manual] 正在采集进程栈
}
card-title-suspects = { $what ->
    [hang] 训练挂起：先看 rank { $ranks }
    [slow] 训练变慢：先看 rank { $ranks }
    [moving] 训练仍在推进：先看 rank { $ranks }
   *[manual] 采集完成：先看 rank { $ranks }
}
card-title-nobody = { $what ->
    [hang] 训练挂起：没有突出的 rank
    [slow] 训练变慢：没有突出的 rank
    [moving] 训练仍在推进：没有可疑的 rank
   *[manual] 采集完成：没有突出的 rank
}
card-title-no-report = 采集完成，但报告暂不可用
card-title-failed = 采集失败
card-title-resumed = 训练已恢复
card-title-ended = { $end ->
    [failed] 任务已失败退出
    [succeeded] 任务已成功结束
    [stopped] 任务已停止
   *[unknown] 任务已结束
}
card-title-closed = 已关闭
card-kind-hang = 挂起
card-kind-slow = 变慢
card-kind-manual = 手动采集
card-progress-frozen = 未推进
card-progress-moving = 在推进
card-progress-unknown = 进展未知
card-confidence-high = 把握：高
card-confidence-medium = 把握：中
card-confidence-low = 把握：低

## 摘要
card-job = 任务 { $job }
card-ranks = 采到 { $seen }/{ $expected } 个 rank
card-nodes = { $done }/{ $asked } 个节点已返回
card-captured-at = 采集于 { $time }
card-print-id = Print ID { $print_id }
card-message = **告警**：{ $text }
card-capturing = **正在采集**：{ $asked } 个节点，已返回 { $done } 个。通常需要数秒到几十秒，完成后本卡片会自动更新。
card-preparing = **正在准备采集**：马上向各节点请求进程栈，完成后本卡片会自动更新。
card-previous = 下面是上一次采集的结果。
card-failed = **没有采到进程栈**：{ $why }
card-failed-hint = 可以点“再次采集”重试；如果任务已经退出，请改看任务日志和容错日志。
card-failed-unknown = **没有采到进程栈**，原因未知。
card-no-report = 采集已完成，但报告读不出来（可能已过保留期）。可以再次采集。

## 结论
card-suspects = **先看这些 rank**
card-suspect = <text_tag color='red'>rank { $rank }</text_tag> { $node }
card-at = 停在 { $where }
card-reason = 　理由：{ $text }
card-control = <text_tag color='green'>rank { $rank }</text_tag> 对照 · 停在 { $where }（同组 { $count } 个 rank）
card-groups = **按主线程位置分组**
card-column-ranks = Rank（个数）
card-column-where = 停在
card-cell-ranks = { $ranks }（{ $count }）
card-missing = **没有采到可用的栈**
card-missing-rank = <text_tag color='neutral'>rank { $rank }</text_tag>{ $node }：{ $reason }
card-missing-more = { $reason }
card-missing-node = <text_tag color='neutral'>节点</text_tag> { $node }：{ $reason }
card-nccl = **NCCL**：{ $text }
card-nccl-communicator = ·　{ $text }
card-nccl-not-asked = **NCCL**：这次采集没有查询 NCCL RAS，所以没有通信状态；这不代表通信失败。
card-photo = 这是采集那一刻的快照，像一张现场截图，不会自动给出根因。卡住较久时，隔一段时间再采集一次并对比更可靠。
card-photo-short = 采到的是那一刻的快照，像一张现场截图，不会自动给出根因。
card-caution = 注意：{ $text }
card-next-steps = 接下来查什么（{ $count } 条）
card-more = … 报告里还有 { $count } 项

## 按钮与页脚
card-button-recapture = 再次采集
card-button-compare = 对比两次
card-button-report = 打开报告
card-button-busy = 正在采集，请稍候
card-button-needs-two = 要有两次完成的采集才能对比，先点“再次采集”
card-confirm-title = 再采集一次？
card-confirm-text = 会向所有节点的训练进程取一次栈，可能让进程短暂停顿；对延迟极度敏感的任务请先确认。
card-by-person = { $who } { $action }
card-by-event = 由事件自动更新
card-action-capture = 发起了采集
card-action-recapture = 发起了再次采集
card-action-compare = 发起了对比
card-button-ack = 我来处理
card-button-silence = 静默告警
card-button-bundle = 支持包
card-silence-30m = 静默 30 分钟
card-silence-2h = 静默 2 小时
card-silence-end = 静默到任务结束
card-silence-off = 取消静默
card-choose-before = 先
card-choose-after = 后
card-acked = 🙋 { $who } 在处理（{ $time }）
card-silenced = 🔕 { $who } 已让告警静默到任务结束
card-silenced-until = 🔕 { $who } 已让告警静默到 { $time }
card-title-acked = 【处理中】
card-title-silenced = 【已静默】
card-picture = 每格一个 rank，从左到右、从上到下；颜色是所在的组，红框是嫌疑，带叉的没有采到栈。
card-action-ack = 表示在处理
card-action-silence = 静默了告警
card-action-unsilence = 取消了静默
card-action-bundle = 要了支持包
card-action-other = 更新了卡片
card-revision = 第 { $revision } 版

## 对比
card-comparison-title = 两次采集对比
card-comparison-count-frozen = <text_tag color='red'>{ $count } 个没动</text_tag>
card-comparison-count-moved = <text_tag color='green'>{ $count } 个有变化</text_tag>
card-comparison-count-new = <text_tag color='blue'>{ $count } 个新出现</text_tag>
card-comparison-count-gone = <text_tag color='neutral'>{ $count } 个消失</text_tag>
card-comparison-count-unknown = <text_tag color='neutral'>{ $count } 个无栈可比</text_tag>
card-change-frozen = 没动
card-change-moved = 有变化
card-change-new = 新出现
card-change-gone = 消失
card-change-unknown = 无栈可比
card-column-rank = Rank
card-column-change = 变化
card-column-before = 之前
card-column-after = 之后
card-comparison-captures = 先：Print ID { $before } · 后：Print ID { $after }
card-comparison-suspect = rank { $rank }（嫌疑）
card-comparison-photo = 两次快照之间停在同一处，也可能是恰好两次都经过这里；请结合日志判断。
card-and-more = … 另有 { $count } 行没有显示

## 卡片发不出去时的纯文本
card-fallback-suspect = rank { $rank }（{ $node }）：{ $reason }
card-fallback-link = 报告：{ $link }

## 状态事件：标题与首个错误
card-title-news-failed = 任务失败
card-title-news-succeeded = 任务成功结束
card-title-news-stopped = 任务已停止
card-title-news-cancelled = 任务已取消
card-title-news-timeout = 任务超时，已停止
card-title-news-worker-failed = 任务有 Worker 失败
card-title-news-preempted = 任务被抢占，已重新排队
card-title-news-stalled-restarts = 任务反复重启，训练没有推进
card-title-news-env-check-failed = 环境检测发现异常
card-title-news-unhealthy = 任务所在节点异常
card-title-news-other = 任务状态有变化
card-title-hidden = 任务显示成功，但日志里有错误
card-kind-state = 状态
card-event = **事件**：{ $text }
card-hidden-failure = **疑似隐藏失败**：任务显示成功，日志里却有训练没有挺过去的错误。
card-error-first = **首个错误** · { $place }
card-error-unsure = **没有确定的首个错误，最接近的一行** · { $place }
card-error-second = **第二候选（与前者很接近）** · { $place }
card-error-in-event = 事件消息
card-error-where = 　位置：{ $where }
card-error-advice = 　建议：{ $text }
card-error-ranks = 共 { $count } 个 rank 有同样的错误
card-error-none = **首个错误**：收到的日志里没有已知模式的错误。
card-error-only-event = 这是事件自己的说法；还没有收到任务日志。
card-error-no-log = **首个错误**：没有收到这个任务的日志，无法给出。事件可在 `logs` 里附上日志末尾，`rankscope watch` 会自动附上。
card-error-consequences = 另有 { $count } 行看起来像错误，判断为它的后果或收尾输出。
card-stage = **阶段**：{ $title }
card-finding = ·　{ $text }
card-no-hang-source = 已打开自动采集，但从未收到过挂起或变慢告警：目前不会自动采集。请接入平台告警，或运行 `rankscope watch`。
card-fallback-error = 首个错误：{ $text }

## 变慢
card-slow-steps = **变慢**：第 { $first }–{ $last } 步{ $rule ->
    [robust] {" "}{ $mean }（中位数）
   *[other] 平均 { $mean }
}，基线 { $baseline }，慢 { $percent }%（约为基线的 { $times } 倍）
card-slow-numbers = **变慢**：每步 { $mean }，基线 { $baseline }，慢 { $percent }%（约为基线的 { $times } 倍）
card-slow-tier-platform = 判定来源：平台的慢速检测告警，原样转发（阈值 0.8 指慢 80%，即基线的 1.8 倍）
card-slow-tier-seed = 判定来源：平台规则（每 5 步一个窗口，与最快的窗口比），由 rankscope 按训练日志计算（阈值 0.8 指慢 80%，即基线的 1.8 倍）
card-slow-tier-robust = 判定来源：稳健规则（中位数），仅为**疑似**；平台规则没有告警 · { $detail ->
    [severe] 严重
    [moderate] 中等
    [drift] 逐渐变慢
   *[unknown] 程度未说明
}
card-slow-during = 这段时间{ $what }：很可能与此有关，仅供参考
card-slow-and = ，
card-slow-recovered = **已恢复**：到第 { $step } 步平均 { $mean }
card-chart-title = 每步耗时（{ $unit }）
card-chart-steps = 每步耗时
card-chart-baseline = 基线

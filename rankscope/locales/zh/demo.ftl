demo-given-redis = 使用 REDIS_URL 指定的 Redis。
demo-started-redis = Redis 已启动（内嵌）。
demo-started-emulator = 飞书模拟器已启动：{ $url }
demo-started-parts = 机器人（{ $url }）、RQ worker 和 { $nodes } 的采集端已启动。
demo-started-job = 训练任务 { $job } 已启动：两个节点共 { $ranks } 个进程，正在跟踪其日志。
demo-restart = { $name } 已退出（{ $ending }），正在重新启动。
demo-lost = { $name } 已退出（{ $ending }）。演示继续运行：下一次抓取会说明缺少什么。
demo-stopped = 已全部停止。
demo-kept = 日志和数据保存在 { $folder }

demo-happens-none = 任务不会出问题，请自己发起一次采集。
demo-happens-fifo = 第 { $step } 步之后，某个 rank 的数据进程会卡在打开文件上，几秒后群里出现卡片。
demo-happens-spin = 第 { $step } 步之后，某个 rank 会在预处理里死循环，几秒后群里出现卡片。
demo-happens-sigstop = 第 { $step } 步之后，某个 rank 会被暂停（SIGSTOP），几秒后群里出现卡片。
demo-happens-killed = 第 { $step } 步之后，某个 rank 会被杀掉而其他 rank 并不知情，几秒后群里出现卡片。
demo-happens-slow = 第 { $step } 步之后，某个 rank 每一步的工作量会大增，几秒后群里出现卡片。

demo-open = 打开聊天页面：{ $url }
demo-try =
    可以在群里试试：
      · 卡片上的按钮：先“再次采集”，再“对比两次”，再“打开报告”
      · /capture { $job }
      · /help，或一个不存在的命令
    按 Ctrl-C 全部停止。

demo-wrong-names = 第 { $number } 次采集点名 { $named }，应为 { $expected }。
demo-wrong-progress = 第 { $number } 次采集判断任务 { $progress }，但任务在前进。
demo-wrong-comparison = 对比对 rank { $rank } 的结论是“{ $change }”。
demo-truth = 实际注入的故障：{ $fault }，rank { $rank }。
demo-nobody-none = 正如所愿，没有点名任何 rank：{ $ranks } 个 rank 都在工作。
demo-nobody-slow = 没有点名：任务在前进，快照里变慢的 rank { $rank } 和其他 rank 一样在工作。
demo-named-once = 点名：{ $node } 上的 rank { $rank }，没有其他 rank。
demo-named-frozen = 卡住的是 { $node } 上的 rank { $rank }；没有点名其他 rank，对比显示它没有前进。
demo-named-gone = 卡住的是 { $node } 上的 rank { $rank }；没有点名其他 rank，对比显示它的进程已不在。
demo-named-circling = 卡住的是 { $node } 上的 rank { $rank }；没有点名其他 rank，对比显示它仍在同一个循环里。
demo-named-absent = 卡住的是 { $node } 上的 rank { $rank }；没有点名其他 rank；它的进程已死，对比里只有静止不动的其他 rank。

demo-happens-oom = 第 { $step } 步之后，一个 rank 读到一篇超长文档，显存用尽，任务随之失败；几秒后会有卡片。
demo-platform-told = 训练任务已结束（退出码 { $code }）；由平台通知机器人，并附上日志末尾。
demo-named-failed = 失败卡片给出了首个错误（rank { $rank }）和所处阶段；/errors 的回答一致。
demo-lacks = 卡片上缺少{ $what }。
demo-card-slowness = 变慢的幅度
demo-card-chart = 每步耗时图
demo-card-error = 首个错误
demo-card-rank = 出错的 rank
demo-card-stage = 所处阶段
demo-card-command = （/errors 回答中的）首个错误

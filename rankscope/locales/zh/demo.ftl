demo-given-redis = 使用 REDIS_URL 指定的 Redis。
demo-started-redis = Redis 已启动（内嵌）。
demo-started-emulator = 飞书模拟器已启动：{ $url }
demo-started-parts = 机器人（{ $url }）、RQ worker 和 { $nodes } 的采集端已启动。
demo-started-job = 训练任务 { $job } 已启动：两个节点共 { $ranks } 个进程，正在跟踪其日志。
demo-restart = { $name } 已退出（{ $ending }），正在重新启动。
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

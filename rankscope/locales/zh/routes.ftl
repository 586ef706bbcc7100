routes-good = 路由文件有效：{ $count } 条路由。
routes-on-call = 值班（{ $rota }）：{ $person }，至 { $until }
routes-event = { $job }：{ $kind }，时间 { $time }
routes-kind-hang = 疑似 Hang
routes-kind-slow = 变慢
routes-kind-failed = 失败
routes-kind-manual = 手动采集
routes-fits = ✓ { $route }
routes-later = – { $route }：条件符合，但前面的路由已生效
routes-failed = ✗ { $route }：条件 { $condition } 不符
routes-default = 没有匹配的路由：发往设置中的会话（RANKSCOPE_FEISHU_CHAT_ID：{ $chat }）。
routes-chat = 卡片发往 { $chat }（语言：{ $language ->
    [zh] 中文
    [en] 英文
   *[other] 同设置
}）
routes-mentioned = 　在该会话提醒：{ $people }
routes-capture = 自动采集：{ $wanted ->
    [yes] 是
   *[no] 否
}（{ $by ->
    [route] 由路由决定
   *[settings] 由设置决定
}）
routes-step = { $minutes } 分钟无人处理：加急呼叫 { $people }
routes-nobody = 无人（{ $word }）
routes-turn = { $who }（{ $word }，至 { $until }）
routes-mute = 不通知（{ $reason }）
routes-muted = 不通知任何人，也不自动采集：{ $reason }

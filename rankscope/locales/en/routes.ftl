routes-good = The routes file is good: { $count } routes.
routes-on-call = On call ({ $rota }): { $person }, until { $until }
routes-event = { $job }: { $kind }, at { $time }
routes-kind-hang = hang
routes-kind-slow = slow-down
routes-kind-failed = failure
routes-kind-manual = capture by hand
routes-fits = ✓ { $route }
routes-later = – { $route }: would fit, but an earlier route counts
routes-failed = ✗ { $route }: { $condition } does not fit
routes-default = No route fits: the chat of the settings hears (RANKSCOPE_FEISHU_CHAT_ID: { $chat }).
routes-chat = Card in { $chat } (language: { $language ->
    [zh] Chinese
    [en] English
   *[other] as in the settings
})
routes-mentioned = 　mentioned there: { $people }
routes-capture = Captured by itself: { $wanted ->
    [yes] yes
   *[no] no
} ({ $by ->
    [route] the route says so
   *[settings] the settings say so
})
routes-step = Not acknowledged after { $minutes } min: buzzes { $people }
routes-nobody = nobody ({ $word })
routes-turn = { $who } ({ $word }, until { $until })
routes-mute = nobody ({ $reason })
routes-muted = Nobody hears, and nothing is captured by itself: { $reason }

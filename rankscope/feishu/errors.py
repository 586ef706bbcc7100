"""What can go wrong when talking to Feishu, by what the caller should do about it.

FeishuError
├── FeishuUnavailable   try again later, with the same uuid (rate limit, 5xx, network, time-out)
├── FeishuRejected      never try the same again (bad card, no permission, not in the chat)
│   └── CardRejected    the card itself was refused: send a simpler one, never drop the alert
└── MessageGone         the message cannot be updated any more: send a new one
"""

from rankscope.errors import FeishuError


class FeishuUnavailable(FeishuError):
    """Nothing is wrong with the call; retry_after_s is what Feishu asked for, or None."""

    def __init__(self, what: str, next_step: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(what, next_step)
        self.retry_after_s = retry_after_s


class FeishuRejected(FeishuError):
    """Feishu refused the call for good; code is its error code, 0 when there was none."""

    def __init__(self, what: str, next_step: str = "", code: int = 0) -> None:
        super().__init__(what, next_step)
        self.code = code


class CardRejected(FeishuRejected):
    """The card is too large or not well-formed."""


class MessageGone(FeishuRejected):
    """The message was recalled, deleted, or is older than the 14 days a card can be updated."""

"""Error codes of the open platform: the HTTP status and text each comes with.

Source: the error tables of the pages im-v1/message (create, reply, patch, update, delete, get),
im-v1/message-reaction, im-v1/pin, im-v1/image, im-v1/file, im-v1/buzz-messages, delayed update,
and the page of general error codes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

TROUBLESHOOTER: Final = "https://open.feishu.cn/document/ukTMukTMukTM/ugjM14COyUjL4ITN"

_MESSAGES: Final[Mapping[int, str]] = {
    9499: "Bad Request",
    10002: "The card is not valid.",
    10003: "invalid parameter",
    10014: "app unauthorized",
    11310: "card action is lock",
    11311: "The format of the card is not valid.",
    40001: "param error",
    41012: "user id invalid error",
    200000: "The card message has been recalled.",
    200310: "Cannot update a card sent by another app.",
    200830: "A card of JSON 2.0 cannot be updated to JSON 1.0.",
    230001: "Your request contains an invalid request parameter.",
    230002: "The bot can not be outside the group.",
    230011: "The message is recalled.",
    230012: "Bot is NOT the sender of the message.",
    230013: "Bot has NO availability to this user.",
    230017: "Bot is NOT the owner of the resource.",
    230020: "This operation triggers the frequency limit.",
    230023: "The user has too many unread urgent messages.",
    230025: "The length of the message content reaches its limit.",
    230026: "No permission to recall this message.",
    230031: "Message can only be modified within 14 days after sending.",
    230034: "The receive_id is invalid.",
    230047: "Pin/Unpin message trigger message_id limit.",
    230054: "This operation is not supported for this message type.",
    230071: "The operator is not the sender of the message.",
    230072: "The message has reached the number of times it can be edited.",
    230099: "Failed to create card content",
    230110: "Action unavailable as the message has been deleted.",
    231001: "reaction type is invalid.",
    231002: "The operator has no permission to react on the specific message.",
    231003: "The message is not found, maybe not exist or deleted.",
    231007: "The operator has no permission to delete this reaction.",
    231010: "The reaction does not belong to the message.",
    231011: "The request has an invalid reaction_id.",
    234001: "Invalid request param.",
    234003: "File not in message.",
    234005: "Image has been deleted",
    234006: "The file size exceed the max value.",
    234010: "File's size can't be 0.",
    234011: "Can't regonnize the image format.",
    234039: "Image resolution exceeds limit.",
    300020: "The token of the card is not valid.",
    300030: "The token of the card has expired.",
    300040: "The token of the card was used as often as it may be.",
    99991400: "request trigger frequency limit",
    99991661: "Missing access token for authorization. Please make a request with token attached.",
    99991663: "Invalid access token for authorization. Please make a request with token attached.",
    99991671: "Invalid token: must start with t-/u-",
}
_STATUS: Final[Mapping[int, int]] = {99991400: 429}


@dataclass(slots=True)
class ApiError(Exception):
    """A refusal of the open platform; ext says which part of the request was wrong."""

    code: int
    ext: str = ""
    retry_after_s: float = 0.0

    @property
    def status(self) -> int:
        """The HTTP status that belongs to the code."""
        return _STATUS.get(self.code, 400)

    @property
    def message(self) -> str:
        """The platform's text for the code, with the detail it appends as `ext`."""
        text = _MESSAGES.get(self.code, "error")
        return f"{text}, ext={self.ext}" if self.ext else text


def error_body(error: ApiError, log_id: str) -> dict[str, object]:
    """Return the JSON of a refusal."""
    return {
        "code": error.code,
        "msg": error.message,
        "error": {"log_id": log_id, "troubleshooter": TROUBLESHOOTER},
    }

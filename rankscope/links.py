"""Links: signed ones to report pages, and those that open a chat.

Who has the card may look at its report's page, who guesses a print id may not.
"""

from datetime import timedelta
from urllib.parse import quote, urlsplit

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from rankscope.errors import NotAuthentic, StaleRequest

SALT = "rankscope.page"


def page_link(public_url: str, key: str, print_id: str) -> str:
    """Return the link to a capture's report page."""
    token = URLSafeTimedSerializer(key, salt=SALT).dumps(print_id)
    return f"{public_url.rstrip('/')}/captures/{print_id}?key={token}"


def check_page_key(key: str, token: str, print_id: str, max_age: timedelta) -> None:
    """Check a link's key; raises NotAuthentic, or StaleRequest when it has expired."""
    try:
        signed = URLSafeTimedSerializer(key, salt=SALT).loads(
            token, max_age=int(max_age.total_seconds())
        )
    except SignatureExpired:
        raise StaleRequest(
            "The link has expired.", "Captures are kept for a limited time."
        ) from None
    except BadSignature:
        raise NotAuthentic("The link is not valid.", "Open the report from its card.") from None
    if signed != print_id:
        raise NotAuthentic("The link belongs to another capture.", "Open the report from its card.")


APPLINKS = {
    "open.feishu.cn": "https://applink.feishu.cn/client/chat/open?openChatId=",
    "open.larksuite.com": "https://applink.larksuite.com/client/chat/open?openChatId=",
}


def chat_link(domain: str, chat_id: str) -> str:
    """Return the link that opens a chat in Feishu or Lark, or on the emulator's page."""
    host = urlsplit(domain).hostname or ""
    return f"{APPLINKS.get(host, domain.rstrip('/') + '/#')}{quote(chat_id, safe='')}"

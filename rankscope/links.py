"""Signed links to report pages: who has the card may look, who guesses a print id may not."""

from datetime import timedelta

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

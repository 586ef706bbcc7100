"""Who may post a webhook: a signature over the body, or a token for senders that cannot sign.

Alertmanager and Grafana send `Authorization: Bearer` or `Basic`; a token does not protect the body,
so it needs HTTPS or a network of one's own.
"""

import base64
import binascii
import hmac
from collections.abc import Mapping

from rankscope.errors import NotAuthentic
from rankscope.settings import Settings
from rankscope.signing import SIGNATURE_HEADER, verify_webhook

_CHECK = (
    "Check the source's key in RANKSCOPE_WEBHOOK_SECRETS, or RANKSCOPE_WEBHOOK_SECRET, on both "
    "sides; docs/webhooks.md shows how to sign and how to send a token."
)


def secret_of(settings: Settings, *names: str) -> str:
    """Return the key of a source under the first of its names that has one, else the common one."""
    own = (settings.webhook_secrets[name] for name in names if name in settings.webhook_secrets)
    return next(own, settings.webhook_secret).get_secret_value()


def check_access(secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Check a signature, or else a token; raises NotAuthentic or StaleRequest."""
    lower = {name.lower(): value for name, value in headers.items()}
    if SIGNATURE_HEADER.lower() in lower:
        verify_webhook(secret, headers, body)
    elif not _same(secret, _token(lower.get("authorization", ""))):
        raise NotAuthentic("The webhook has neither a valid signature nor a valid token.", _CHECK)


def _same(secret: str, token: bytes) -> bool:
    return hmac.compare_digest(secret.encode(), token) and bool(secret)


def _token(authorization: str) -> bytes:
    """Return the bearer token, or the password of basic authentication, whoever the user is."""
    scheme, _, value = authorization.strip().partition(" ")
    given = value.strip().encode("latin-1", errors="replace")
    if scheme.lower() == "bearer":
        return given
    return _password(given) if scheme.lower() == "basic" else b""


def _password(encoded: bytes) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""

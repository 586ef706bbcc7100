"""Hide what must not leave the team in a file that is sent on: secrets and e-mail addresses.

Agents have masked command lines and variables already; this is for what events, logs and NCCL tell.
"""

import re

MASK = "***"

_URL = re.compile(r"(?P<head>\b[a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_HEADER = re.compile(r"(?P<head>\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
# Forms that their issuers document: AWS, Hugging Face, GitHub, GitLab, Slack, and JSON web tokens.
_TOKEN = re.compile(
    r"\b(?:A[KS]IA[0-9A-Z]{16}|hf_\w{16,}|gh[pousr]_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abprs]-[\w-]{10,}|sk-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
_VALUE = re.compile(
    r"(?P<head>[\w.-]*(?:password|passwd|passphrase|secret|credential|api[_-]?key|access[_-]?key"
    r"|(?<![a-z])token)(?![a-z])[\w.-]*['\"]?(?:\s*[=:]\s*|\s+))(?P<value>'[^']*'|\"[^\"]*\"|[^\s&;,'\"]+)",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """Return a text with everything that looks like a secret or an address replaced by `***`."""
    text = _URL.sub(rf"\g<head>{MASK}@", text)
    text = _HEADER.sub(rf"\g<head>{MASK}", text)
    text = _TOKEN.sub(MASK, text)
    text = _VALUE.sub(rf"\g<head>{MASK}", text)
    return _MAIL.sub(MASK, text)

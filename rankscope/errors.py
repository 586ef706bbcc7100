"""Every error rankscope raises on purpose, as one tree.

RankscopeError
├── UnusableInput         a file or request cannot be read; the sender must change it
├── ConfigurationError    a setting is missing or contradicts another
├── NotAuthentic          a signature, token or key does not match
│   └── StaleRequest      the signature is right but too old, or was seen before
├── NotAllowed            the request is authentic, but asks for what the settings forbid
├── AgentError            an agent did not answer, or not as agreed
├── CaptureError          one process could not be dumped
├── FeishuError           Feishu refused or failed (see rankscope.feishu.errors)
├── NotFound              a job, capture or incident is unknown or has expired
└── StoreError            the capture store or Redis cannot be used

Each says what happened and, in `next_step`, what the reader can do about it.
"""


class RankscopeError(Exception):
    """Base of all errors; `next_step` is one sentence, empty when there is nothing to do."""

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what} {self.next_step}".rstrip()


class UnusableInput(RankscopeError):
    """The input cannot be read at all; nothing was changed."""


class ConfigurationError(RankscopeError):
    """A setting is missing, malformed, or contradicts another."""


class NotAuthentic(RankscopeError):
    """The request was not signed by somebody who knows the key."""


class StaleRequest(NotAuthentic):
    """The signature is right, but its time is outside the window or it was used before."""


class NotAllowed(RankscopeError):
    """The request is authentic, but asks for what the settings forbid."""


class AgentError(RankscopeError):
    """An agent could not be reached or broke the protocol."""


class CaptureError(RankscopeError):
    """One process could not be dumped."""


class FeishuError(RankscopeError):
    """Feishu refused a call, or could not be reached."""


class NotFound(RankscopeError):
    """The job, capture or incident is unknown or has expired."""


class StoreError(RankscopeError):
    """Redis or the capture store cannot be used."""

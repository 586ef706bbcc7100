"""Which agents' certificates the workers believe, and the certificate they show (mTLS)."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from rankscope.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Trust:
    """Files in PEM: the authority of the agents' certificates, and our own certificate and key.

    Without ca, the system's authorities are believed.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """Return the TLS context for calling agents; raises ConfigurationError."""
        if (self.cert is None) != (self.key is None):
            raise ConfigurationError(
                "A client certificate needs its key, and a key its certificate.",
                "Set both RANKSCOPE_WORKER_TLS_CERT and RANKSCOPE_WORKER_TLS_KEY.",
            )
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key)
        except OSError as error:  # ssl.SSLError is one, too.
            names = ", ".join(str(file) for file in (self.ca, self.cert, self.key) if file)
            raise ConfigurationError(
                f"The TLS files for calling agents cannot be used ({names}): {error}.",
                "Check the settings RANKSCOPE_WORKER_TLS_CA, _CERT and _KEY.",
            ) from None
        return context


SYSTEM_TRUST = Trust()

"""What the verdict on a sidecar with TLS has that another has not: a higher bar of its RSS, and no figure from the wire."""
from collections.abc import Mapping
from typing import Any

from .verdict import MISSING, Row

# Memory that TLS may take above the bar of a sidecar without it, in MB, by engine and the bits of the JVM.
RSS_MB = {("AWS-LC", 32): 3.5, ("AWS-LC", 64): 4.0, ("OpenSSL", 32): 6.5, ("OpenSSL", 64): 6.5, ("JDK", 32): 11.0, ("JDK", 64): 14.0}
WIRE = "time in the proxy on the wire"

# The engine and the bits of a sidecar with TLS, None if one is unknown; None without TLS.
Tls = Mapping[str, Any] | None


def rss_mb(tls: Tls) -> float:
    """Of an engine that is not known, no more than the least."""
    return RSS_MB.get((tls.get("engine"), tls.get("bits")), min(RSS_MB.values())) if tls is not None else 0.0


def rss_note(tls: Tls) -> str:
    return f"{rss_mb(tls):g} MB of the bar are for TLS by {tls.get('engine') or 'an engine that is not known'}" if tls is not None else ""


def wire_rows(tls: Tls, why: str | None) -> list[Row]:
    """A row only where TLS hides the wire, so that the sidecar's own clock speaks alone."""
    return [Row(WIRE, None, "ms", result=MISSING, note=why or "")] if tls is not None else []

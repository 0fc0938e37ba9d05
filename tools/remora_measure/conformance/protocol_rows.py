"""What the verdict on a sidecar that speaks HTTP/2 or TCP has that another has not."""
from ..systems import configurations
from .verdict import MISSING, Row

# Memory that HTTP/2 may take above the bar of a sidecar without it, in MB.
HTTP2_RSS_MB = 3.0
SHOWN = {configurations.H2: "HTTP/2", configurations.GRPC: "gRPC", configurations.TCP: "TCP"}
WIRE, OWN = "time in the proxy on the wire", "time in the proxy by its own clock"


def rss_mb(protocol: str) -> float:
    return HTTP2_RSS_MB if protocol in configurations.OVER_HTTP2 else 0.0


def rss_note(protocol: str) -> str:
    return f"{rss_mb(protocol):g} MB of the bar are for HTTP/2" if rss_mb(protocol) else ""


def clock_rows(protocol: str, why: str | None) -> list[Row]:
    """A row only where one of the two clocks is not there, so that the other speaks alone."""
    if protocol in configurations.OVER_HTTP2:
        return [Row(WIRE, None, "ms", result=MISSING, note=why or "")]
    return [Row(OWN, None, "ms", result=MISSING, note="a tunnel has no requests")] if protocol == configurations.TCP else []

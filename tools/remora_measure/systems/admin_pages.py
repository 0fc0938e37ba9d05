"""The pages of a sidecar's admin listener, and those of the backend."""
import http.client
import re
import ssl
import time
import urllib.request

PIECE = 65_536
# How late the event loops ran their timers.
LAG = "remora_event_loop_lag_seconds"

def fetch(port: int, path: str, timeout: float = 5, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> str:
    """Over TLS where there is a context for it. Raises OSError where there is no whole answer."""
    scheme = "https" if tls else "http"
    try:
        with urllib.request.urlopen(f"{scheme}://{host}:{port}{path}", timeout=timeout, context=tls) as answer:
            return whole(answer, path, timeout)
    except http.client.HTTPException as cut:
        raise OSError(f"{path}: {cut!r}") from cut


def whole(answer: http.client.HTTPResponse, path: str, timeout: float) -> str:
    """The text of an answer. Raises TimeoutError where it trickles in for longer than that, as its socket's own timeout is that of each piece."""
    until, found = time.monotonic() + timeout, b""
    while piece := answer.read1(PIECE):
        found += piece
        if time.monotonic() > until:
            raise TimeoutError(f"{path}: the answer did not end within {timeout:g} s")
    if answer.length:
        raise http.client.IncompleteRead(found, answer.length)
    return found.decode()


def served(port: int, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> int:
    """Requests that the backend was sent, this one among them: the fake application's page, or nginx's stub_status."""
    words = fetch(port, "/served", tls=tls, host=host).split()
    return int(words[9] if len(words) > 9 else words[0])


def samples(text: str, name: str) -> dict[str, float]:
    """The values of a Prometheus metric, by its labels."""
    return {labels: float(value) for labels, value in re.findall(rf"(?m)^{name}({{[^}}]*}})? (\S+)", text)}


def buckets(text: str, name: str) -> dict[float, float]:
    """How much a Prometheus histogram has counted up to each bound, over all labels."""
    found: dict[float, float] = {}
    for labels, value in samples(text, name + "_bucket").items():
        bound = float(re.search(r'le="([^"]*)"', labels).group(1).replace("+Inf", "inf"))  # type: ignore[union-attr]
        found[bound] = found.get(bound, 0) + value
    return found


def total(text: str, name: str) -> float | None:
    """The sum of a Prometheus metric over its labels; None where there is no such metric."""
    values = samples(text, name).values()
    return sum(values) if values else None

"""One run of one system: at a fixed rate, and in a closed loop."""
import contextlib
import http.client
import shutil
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .arms import Bench, Running
from .command_line import say
from .errors import RequestsFailed
from .load import packet_capture, wrk
from .load.java_tools import HiccupMeter, LoadSession
from .machine import children, kernel
from .systems import admin_pages

LEAD_S = 0.3
# So long a server may take to be done with what its last client has left.
SETTLE_S = 0.5
SHARE_MISSED = 0.01

Figures = dict[str, Any]


class Load(NamedTuple):
    """Load at a fixed rate: seconds of warm-up, then of the steady window."""

    rate: float
    connections: int
    warmup: float
    seconds: float
    wire: bool = False


class Host:
    """What the machine itself did meanwhile: how late it let a sleeper wake, and the CPU time that was stolen from it."""

    def __init__(self, hiccups: HiccupMeter, file: Path) -> None:
        self.hiccups, self.file = hiccups, file
        hiccups.begin()
        self.steal = kernel.Steal()

    def end(self) -> Figures:
        told = self.hiccups.end(self.file)
        return {**{f"hiccup_{key}": told[key] for key in ("p99_us", "p999_us", "max_us", "over_5ms")},
                "steal_share": self.steal.share()}


class Window:
    """What spent() says that is spent, and what the backend serves, from here to end(). The backend is asked once at each end."""

    def __init__(self, spent: Callable[[], float], backend_port: int, trusting: ssl.SSLContext | None = None) -> None:
        self.spent, self.port, self.trusting = spent, backend_port, trusting
        self.cpu, self.served, self.began = spent(), admin_pages.served(backend_port, trusting), time.monotonic()

    def end(self) -> "Window":
        self.cpu_s = self.spent() - self.cpu
        self.seconds = time.monotonic() - self.began
        self.requests = admin_pages.served(self.port, self.trusting) - self.served - 1
        return self

    def cpu_us(self) -> float | None:
        return self.cpu_s / self.requests * 1e6 if self.requests > 0 else None


def fixed_rate(system: Running | None, bench: Bench, load: Load, session: LoadSession, hiccups: HiccupMeter) -> Figures:
    """A row of figures of the steady window; no system stands for the way straight to the backend. Raises RequestsFailed."""
    session.begin(load.rate, load.connections, load.warmup, load.seconds, bench.ports.front if system else bench.ports.backend, bench.tls)
    return steady_window(system, bench, load, session, hiccups, bench.ports.backend)


def steady_window(system: Running | None, bench: Bench, load: Load, session: LoadSession, hiccups: HiccupMeter, counted: int) -> Figures:
    """That row of a load that the session has begun; counted is the port of the backend that counts. Raises RequestsFailed."""
    time.sleep(LEAD_S + load.warmup)
    host = Host(hiccups, bench.work / "hiccups.hlog")
    capture = packet_capture.start(bench.work / "wire.pcap", bench.log, bench.ports) if system and load.wire else None
    window = Window(system.cpu_seconds if system else lambda: 0.0, counted, bench.trusting())
    until = time.monotonic() + max(0.5, load.seconds - 2 * LEAD_S)
    captured_s = max(0.0, min(until - time.monotonic(), packet_capture.MOST_EXCHANGES / load.rate))
    if capture:
        try:
            time.sleep(captured_s)
        finally:
            children.stop(capture)
    time.sleep(max(0.0, until - time.monotonic()))
    window.end()
    row = {**host.end(), "rate_rps": window.requests / window.seconds, "rate_missed": missed(window.requests, window.seconds, load.rate)}
    if system:
        row.update(cpu_us=window.cpu_us(), cpu_share=window.cpu_s / window.seconds, **system.memory())
    answer = session.answer()
    require_none_failed(answer["failed"])
    row.update({f"client_{key}": value for key, value in answer.items() if key.endswith("_us")})
    return {**row, **(wire_figures(bench, captured_s * load.rate) if capture else {})}


def own_percentiles(prefix: str, session: LoadSession) -> Figures:
    """The sidecar's own latencies of the session's last interval; empty where that had no requests."""
    own = session.latencies()
    return {f"{prefix}{key}": own[key] for key in ("p50_us", "p99_us", "p999_us")} if own["requests"] else {}


def idle(system: Running, count: int, connections: contextlib.AbstractContextManager[Any]) -> Figures:
    """What the system's memory grows by for each of so many connections that stay open once a request was answered on it. Raises
    RequestsFailed."""
    time.sleep(SETTLE_S)
    before = system.sum_mb("VmRSS")
    with none_failing("an idle connection"), connections:
        time.sleep(SETTLE_S)
        after = system.sum_mb("VmRSS")
    return {"idle_kib": (after - before) * 1e6 / 1024 / count, "idle_rss_mb": after}


@contextlib.contextmanager
def none_failing(what: str) -> Iterator[None]:
    """Raises RequestsFailed where a connection breaks."""
    try:
        yield
    except (OSError, http.client.HTTPException) as why:
        raise RequestsFailed(f"{what} failed: {why!r}") from why


def failure_of(measure: Callable[[], None]) -> str | None:
    """Why a measurement stopped, which is said at once; None where it came to its end."""
    try:
        measure()
    except RequestsFailed as failed:
        say(f"stopped: {failed}")
        return str(failed)
    return None


def require_none_failed(count: float) -> None:
    if count:
        raise RequestsFailed(f"{count:.0f} requests failed")


def missed(requests: int, seconds: float, planned_rps: float) -> bool:
    """True when the backend was sent so much less than planned that latencies and CPU are those of another rate.

    One request may fall to either side of the window's ends."""
    return requests < planned_rps * seconds * (1 - SHARE_MISSED) - 1


def wire_figures(bench: Bench, expected: float) -> Figures:
    """Empty where the capture has too few of the exchanges that were expected."""
    told, _ = packet_capture.read(bench.work / "wire.pcap", bench.ports, expected)
    if not told:
        return {}
    return {"wire_exchanges": told["count"], **{f"wire_{key}": told[key] for key in ("p50_us", "p99_us", "p999_us")}}


def closed_loop(system: Running, bench: Bench, seconds: float) -> Figures:
    """Throughput and CPU with as many requests as the system answers; empty where there is no wrk. Raises RequestsFailed."""
    if not shutil.which("wrk"):
        return {}
    port = bench.ports.front
    wrk.Loop(max(1, seconds * 2 // 3), port).told()
    window = Window(system.cpu_seconds, bench.ports.backend)
    told = wrk.Loop(max(1, seconds), port).told()
    window.end()
    require_none_failed(wrk.failures(told))
    return {"closed_rps": window.requests / window.seconds, "closed_cpu_us": window.cpu_us(), "closed_rss_mb": system.sum_mb("VmHWM")}

"""Further parts of a run over TLS than of one without: time in the sidecar, handshakes, newcomers, and connections at rest."""
import ssl
import time
from collections.abc import Callable, Sequence

from . import runs
from .arms import Bench, Running
from .errors import RequestsFailed
from .load import key_exchange, newcomers
from .load.java_tools import HiccupMeter, LoadSession
from .machine import http2, kernel
from .runs import LEAD_S, SETTLE_S, Figures, Host, Window, none_failing, require_none_failed

WARM_UP_S = 1
# Share of the time for handshakes that a warm-up takes before it.
WARM_SHARE = 0.5


def latencies(prefix: str, bench: Bench, rate: float, connections: int, seconds: float, session: LoadSession, hiccups: HiccupMeter,
              has_own: bool, new_a_second: float = 0) -> Figures:
    """A window of load at a fixed rate on connections that stay, next to new ones: the client's percentiles, and the sidecar's own where it
    has any. It costs memory to ask for these. Raises RequestsFailed."""
    session.begin(rate, connections, WARM_UP_S, seconds, tls=bench.tls)
    coming = newcomers.Newcomers(bench.ports.front, required(bench), new_a_second) if new_a_second else None
    arrived = None
    try:
        time.sleep(LEAD_S + WARM_UP_S)
        host = Host(hiccups, bench.work / "hiccups.hlog")
        if has_own:
            session.begin_interval()
        answer = session.answer()
        if has_own:
            session.end_interval()
    finally:
        arrived = coming.end() if coming else None
    told = host.end()
    require_none_failed(answer["failed"] + (coming.failed if coming else 0))
    own = runs.own_percentiles(f"{prefix}_own_", session) if has_own else {}
    return {**{f"{prefix}_client_{key}": answer[key] for key in ("p50_us", "p99_us", "p999_us")}, **own,
            **{f"{prefix}_{key}": told[key] for key in ("hiccup_p99_us", "hiccup_p999_us", "steal_share")},
            **({f"{prefix}_arrived": arrived} if arrived is not None else {})}


def closed_loop(system: Running, bench: Bench, connections: int, seconds: float, session: LoadSession) -> Figures:
    """Throughput and CPU with as many requests as the system answers; as wrk can show no certificate, by the load session. Raises
    RequestsFailed."""
    lead = max(1.0, seconds / 2)
    session.begin_closed(connections, lead + seconds + LEAD_S, bench.tls)
    time.sleep(lead)
    window = Window(system.cpu_seconds, bench.ports.backend, bench.trusting())
    time.sleep(seconds)
    window.end()
    require_none_failed(session.answer()["failed"])
    return {"closed_rps": window.requests / window.seconds, "closed_cpu_us": window.cpu_us(), "closed_rss_mb": system.sum_mb("VmHWM")}


def handshakes(system: Running, bench: Bench, seconds: float, clients: Sequence[ssl.SSLContext]) -> Figures:
    """What a full handshake takes of the system's CPU, its connection's opening and end included, and nothing else: of distinct clients, one each, so that
    nothing of them is remembered, and of one client again and again. The key exchange is X25519. Raises RequestsFailed and DidNotEnd."""
    port, context = bench.ports.front, limited(required(bench))
    with none_failing("a handshake"):
        newcomers.handshakes(port, context, WARM_SHARE * seconds)
        found = spent("handshake", system, lambda: newcomers.handshake_of_each(port, clients)) if clients else {}
        return {**found, **spent("remembered", system, lambda: newcomers.handshakes(port, context, seconds))}


def resumed(system: Running, bench: Bench, seconds: float, must_resume: bool) -> Figures:
    """What a handshake takes that resumes a session, measured alike; empty where a system that need not resume sessions does not resume the first one. Raises
    RequestsFailed, also where a later one is not resumed."""
    port, context = bench.ports.front, limited(required(bench))
    with none_failing("a handshake"):
        session = newcomers.session_of(port, context)
        if not does_resume(port, context, session):
            if must_resume:
                raise RequestsFailed("a handshake failed: the server did not resume a session" if session else "a handshake failed: the server gave no ticket")
            return {}
        newcomers.handshakes(port, context, WARM_SHARE * seconds, session)
        return spent("resumed", system, lambda: newcomers.handshakes(port, context, seconds, session))


def does_resume(port: int, context: ssl.SSLContext, session: ssl.SSLSession | None) -> bool:
    """True if a handshake resumes that session; False without one. Raises OSError."""
    try:
        if session:
            newcomers.handshake(port, context, session)
        return session is not None
    except newcomers.NotResumed:
        return False


def hybrid(system: Running, bench: Bench, seconds: float, program: key_exchange.Program | None) -> Figures:
    """What a full handshake takes with X25519MLKEM768, by a client that has it, and with X25519 by the same client; empty where one of the sides has no such
    key exchange. Raises RequestsFailed and DidNotEnd."""
    if not program or not bench.tls:
        return {}
    if not program.handshakes(bench.ports.front, bench.tls, key_exchange.CLASSIC, WARM_SHARE * seconds):
        raise RequestsFailed("a handshake failed: the client in Go was refused")
    if not program.handshakes(bench.ports.front, bench.tls, key_exchange.HYBRID, WARM_SHARE * seconds):
        return {}
    found = {}
    for name, group in (("hybrid", key_exchange.HYBRID), ("hybrid_classic", key_exchange.CLASSIC)):
        found.update(spent(name, system, lambda group=group: program.handshakes(bench.ports.front, bench.tls, group, seconds)))  # type: ignore[misc]
    return found


def spent(name: str, system: Running, made: Callable[[], int]) -> Figures:
    """CPU of the system for each handshake of those that were made meanwhile."""
    before = system.cpu_seconds()
    count = made()
    time.sleep(SETTLE_S)
    if not count:
        raise RequestsFailed("no handshake was made")
    return {f"{name}_count": count, f"{name}_cpu_ms": 1e3 * (system.cpu_seconds() - before) / count}


def limited(context: ssl.SSLContext) -> ssl.SSLContext:
    """The context of a client that exchanges keys by X25519 alone."""
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_ecdh_curve("X25519")
    return context


def idle(system: Running, bench: Bench, count: int) -> Figures:
    """What the system's memory grows by for each connection that stays open once a request was answered on it. Raises RequestsFailed."""
    return runs.idle(system, count, newcomers.idle(bench.ports.front, required(bench), count))


def idle_http2(system: Running, bench: Bench, count: int) -> Figures:
    """The same for connections of HTTP/2. Raises RequestsFailed."""
    return runs.idle(system, count, http2.idle(bench.ports.front, count, required(bench, is_http2=True)))


def required(bench: Bench, is_http2: bool = False) -> ssl.SSLContext:
    """The context of clients, in which an older version of TLS fails the handshake."""
    context = bench.trusting(is_http2)
    assert context, "a run without TLS has neither handshakes nor newcomers"
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def bits(system: Running) -> int | None:
    return kernel.word_bits(system.sidecar.pid)

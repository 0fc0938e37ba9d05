"""One endpoint of three that fails in the middle of a run, and what becomes of the requests meanwhile."""
import bisect
import contextlib
import itertools
import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from . import arms
from .command_line import say
from .load import attempts, java_tools, outcomes
from .load.packet_capture import SHARES, percentile
from .machine import children, processes
from .machine.namespaces import Namespace
from .runs import Figures, Host

STEP_S = 0.1
# Window of a share, so that one probe a second does not look like traffic.
WINDOW_S = 1.0
SETTLED = 0.05
# Part of its fair share from which on an endpoint counts as used again.
USED_AGAIN = 0.5
# Over which a budget of retries counts.
BUDGET_S = 10
ENDPOINTS = 3
BODY_BYTES = 1024
POLL_S = 0.25
SLOW_START = 4
REHEARSAL_S = 1.5
# tcpdump is handed packets up to a second late, and what it has not been handed when it ends is lost.
CAPTURED_S = 1.5


class Timing(NamedTuple):
    """Seconds: of warm-up, of load before the fault, of the fault, and at most after it, until the endpoint is used again."""

    warmup: float
    before: float
    fault: float
    after: float


class Load(NamedTuple):
    rate: float
    connections: int
    most: int


class Site:
    """Three backends, the first of which lives in a network namespace and is the one that fails alone. end() ends all of it."""

    def __init__(self, bench: arms.Bench) -> None:
        self.bench = bench
        self.ports = processes.free_ports(ENDPOINTS)
        self.namespace = Namespace()
        self.backends: list[java_tools.Backend] = []
        try:
            self.backends = [self.start(number) for number in range(ENDPOINTS)]
        except BaseException:
            self.end()
            raise

    def start(self, number: int) -> java_tools.Backend:
        sick = number == 0
        return java_tools.Backend(self.bench.java_home, self.bench.log, self.ports[number], java_tools.Answers(BODY_BYTES, identify=True),
                                  place=java_tools.Place((self.namespace.address,), self.namespace) if sick else java_tools.Place())

    @property
    def sick(self) -> java_tools.Backend:
        return self.backends[0]

    def kill(self, count: int = 1) -> None:
        for backend in self.backends[:count]:
            children.kill(backend.process)

    def start_again(self, count: int = 1) -> None:
        for number in range(count):
            self.backends[number].close()
            self.backends[number] = self.start(number)

    def signal(self, number: int) -> None:
        self.sick.process.send_signal(number)

    def errors(self, share: float) -> None:
        for backend in self.backends:
            backend.errors(share)

    def end(self) -> None:
        for backend in self.backends:
            if backend.process.poll() is None:
                backend.process.send_signal(signal.SIGCONT)  # else it could not end in order
            backend.close()
        self.namespace.end()


class Fault(NamedTuple):
    """begin and end act on a site. Where all endpoints fail, none is avoided."""

    name: str
    title: str
    begin: Callable[[Site], None]
    end: Callable[[Site], None]
    all_fail: bool = False


FAULTS = {fault.name: fault for fault in (
    Fault("kill", "killed", Site.kill, Site.start_again),
    Fault("stop", "stopped (SIGSTOP)", lambda site: site.signal(signal.SIGSTOP), lambda site: site.signal(signal.SIGCONT)),
    Fault("drop", "packets dropped", lambda site: site.namespace.drop(), lambda site: site.namespace.let_pass()),
    Fault("slow", "slowed to 500 ms", lambda site: site.sick.delay(500), lambda site: site.sick.delay(0)),
    Fault("errors", "all answer 500", lambda site: site.errors(1), lambda site: site.errors(0), True),
    Fault("refuse", "all killed", lambda site: site.kill(ENDPOINTS), lambda site: site.start_again(ENDPOINTS), True),
)}


@contextlib.contextmanager
def site(bench: arms.Bench) -> Iterator[Site]:
    made = Site(bench)
    try:
        yield made
    finally:
        made.end()


class Run(NamedTuple):
    """What was recorded of one fault. Times are in seconds since 1970; ports has that of the failing endpoint first.

    Between ended and healed an endpoint that was killed starts, and the process that waits for it tries its port: no figure is of that time."""

    requests: Sequence[outcomes.Request]
    attempts: Sequence[attempts.Attempt]
    ports: Sequence[int]
    counted_from: float
    began: float
    ended: float
    healed: float
    over: float


def rehearse(place: Site, load: Load, client: java_tools.OpenLoad, work: Path) -> None:
    """Straight to those backends that this machine has an address of, so that neither they nor the client are new to it in the first run."""
    for backend in place.backends[1:]:
        for rate in (load.rate / SLOW_START, load.rate / 2):
            client.begin(backend.port, rate, load.connections, load.connections, work / "rehearsal")
            time.sleep(REHEARSAL_S)
            client.end()


def measure(arm: arms.Arm, bench: arms.Bench, place: Site, fault: Fault, timing: Timing, load: Load, client: java_tools.OpenLoad,
            hiccups: java_tools.HiccupMeter, own_cores: set[int]) -> Figures:
    """A row of figures of one run. Raises CouldNotRun."""
    capture_file, outcome_file = bench.work / "attempts.pcap", bench.work / "outcomes"
    with arms.running(arm, bench.ports, own_cores=own_cores) as system:
        capture = attempts.start(capture_file, bench.log, place.ports)
        try:
            before = [backend.served() for backend in place.backends]
            # at first slowly: a process that is not warm yet would be given ever more connections
            client.begin(bench.ports.front, load.rate / SLOW_START, load.connections, load.connections, outcome_file)
            time.sleep(timing.warmup / 2)
            client.end()
            client.begin(bench.ports.front, load.rate, load.connections, load.most, outcome_file)
            counted_from = time.time() + timing.warmup / 2
            time.sleep(timing.warmup / 2 + timing.before)
            host = Host(hiccups, bench.work / "hiccups.hlog")
            say(f"a fault begins: {arm.name}, {fault.title}")
            began = time.time()
            fault.begin(place)
            ended = began
            try:
                time.sleep(max(0.0, began + timing.fault - time.time()))
                ended = time.time()
            finally:
                fault.end(place)
            healed = time.time()
            told = host.end()
            await_use(place, load.rate, timing.after)
            over = time.time()
            sums = client.end()
            time.sleep(CAPTURED_S)
        finally:
            children.stop(capture)
        cpu, memory = system.cpu_seconds(), system.sum_mb("VmHWM")
    served = [counted(backend.served(), was) for backend, was in zip(place.backends, before)]
    recorded = Run(outcomes.read(outcome_file), attempts.read(capture_file, place.ports), place.ports, counted_from, began, ended, healed, over)
    return {**figures(recorded, fault), "connections": sums["connections"], "cpu_s": cpu, "peak_rss_mb": memory, "served": served,
            "captured": [sum(one.is_request and one.port == port for one in recorded.attempts) for port in place.ports],
            **{key: told[key] for key in ("hiccup_p99_us", "hiccup_p999_us", "steal_share")}}


def counted(now: int, before: int) -> int | None:
    """Requests between two questions to a backend, by its own count; None where it has started again meanwhile."""
    return now - before - 1 if now > before else None


def await_use(place: Site, rate: float, seconds: float) -> None:
    """Until the endpoint counts enough requests itself, and a window more; or for as long as it may take."""
    until, enough = time.time() + seconds, rate / ENDPOINTS * USED_AGAIN * POLL_S
    before = None
    while time.time() < until:
        try:
            now = place.sick.served() - 1
        except OSError:
            now = None
        if now is not None and before is not None and now - before >= enough:
            time.sleep(max(0.0, min(2 * WINDOW_S, until - time.time())))
            return
        before = now
        time.sleep(min(POLL_S, max(0.0, until - time.time())))


def retries_most(run: Run) -> float:
    """A fifth of the requests, and ten a second: over ten seconds, so that a shorter fault may have what was saved up before it."""
    began = min(run.began, run.ended - BUDGET_S)
    return 0.2 * sum(began <= one.due < run.ended for one in run.requests) + 10 * (run.ended - began)


def figures(run: Run, fault: Fault) -> Figures:
    """Latencies, shares and attempts are those of the fault's time; failures also count from the warm-up's end and after the fault. Tries are attempts
    with the connections that never carried one, of which a request may have one more: it may be given another endpoint as long as nothing was sent."""
    during = [one for one in run.requests if run.began <= one.due < run.ended]
    tries = [one for one in run.attempts if run.began <= one.at < run.ended]
    sent = sum(one.is_request for one in tries)
    in_flight = sum(one.due + one.late < run.began < one.due + one.latency for one in run.requests)
    # those that were due before and had not been answered are sent, or sent again, during it
    asking = len(during) + sum(one.due < run.began < one.due + one.latency for one in run.requests)
    row: Figures = {
        "fault_s": run.ended - run.began, "requests": len(during),
        **failures(run), **latencies("", during), "p99_ms_by_second": p99_by_second(run),
        **{key: value for key, value in latencies("before_", [one for one in run.requests if run.counted_from <= one.due < run.began]).items()
           if key == "before_p99_ms"},
        "in_flight": in_flight,
        "attempts_per_request": sent / len(during) if during else None,
        "attempts": sent, "attempts_most": asking + retries_most(run),
        "tries": len(tries), "tries_most": 2 * asking + retries_most(run),
        "connects_per_request": (len(tries) - sent) / len(during) if during else None,
    }
    if not fault.all_fail:
        sick = run.ports[0]
        to_sick = sum(one.port == sick for one in tries)
        row.update(sick_percent=100 * to_sick / len(tries) if tries else None, sick_attempts=to_sick,
                   sick_percent_by_second=by_second(run, sick), settle_s=settled_after(run, sick), back_s=back_after(run, sick))
    return row


def failures(run: Run) -> Figures:
    """By kind, which is a status, with the sidecar's own label where it has one, or what happened to the connection."""
    kinds: dict[str, int] = {}
    for one in run.requests:
        if not one.is_good and run.counted_from <= one.due:
            kinds[one.outcome] = kinds.get(one.outcome, 0) + 1
    return {"failed": sum(kinds.values()), "failures": dict(sorted(kinds.items()))}


def latencies(prefix: str, requests: Sequence[outcomes.Request]) -> Figures:
    values = sorted(1e3 * one.latency for one in requests)
    return {f"{prefix}{name.replace('_us', '_ms')}": percentile(values, share) for name, share in SHARES.items() if values}


def p99_by_second(run: Run) -> list[float | None]:
    """Of the requests that were due in each second of the fault, in ms; None for a second without any."""
    found: dict[int, list[float]] = {}
    for one in run.requests:
        if run.began <= one.due < run.ended:
            found.setdefault(int(one.due - run.began), []).append(1e3 * one.latency)
    return [percentile(sorted(found[second]), 0.99) if second in found else None for second in range(math.ceil(run.ended - run.began))]


def shares(run: Run, port: int, begin: float, end: float, step: float) -> list[tuple[float, float | None]]:
    """For each step, the share of the attempts of the window that begins there which went to a port; None where there were none."""
    times = [one.at for one in run.attempts]
    counts = [0, *itertools.accumulate(one.port == port for one in run.attempts)]
    found: list[tuple[float, float | None]] = []
    for number in range(int((end - begin - WINDOW_S) / step + 1e-6) + 1):
        at = begin + number * step
        first, last = (bisect.bisect_left(times, when) for when in (at, at + WINDOW_S))
        found.append((at, (counts[last] - counts[first]) / (last - first) if last > first else None))
    return found


def by_second(run: Run, sick: int) -> list[float | None]:
    """In per cent."""
    return [None if share is None else round(100 * share, 2) for _, share in shares(run, sick, run.began, run.ended, WINDOW_S)]


def settled_after(run: Run, sick: int) -> float | None:
    """Seconds from the fault to the first window from which on the share is below 5 % in each; None where it is not in the last."""
    windows = shares(run, sick, run.began, run.ended, STEP_S)
    after = None
    for at, share in reversed(windows):
        if share is None or share >= SETTLED:
            break
        after = at - run.began
    return after


def back_after(run: Run, sick: int) -> float | None:
    """Seconds from when the endpoint works again to the first window in which the endpoint gets half of its fair share; None where there is none."""
    least = USED_AGAIN / ENDPOINTS
    return next((at - run.healed for at, share in shares(run, sick, run.healed, run.over, STEP_S) if share is not None and share >= least), None)

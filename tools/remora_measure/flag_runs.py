"""One run of a sidecar with a user's configuration under a load with the shape of the user's traffic."""
import contextlib
import http.client
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .arms import Running
from .errors import CouldNotRun
from .load.java_tools import HiccupMeter, LoadSession
from .machine import children, cores, http2, processes
from .results.flag_trial import enough
from .runs import LEAD_S, SHARE_MISSED, Figures, Host, require_none_failed
from .systems import sidecars, traffic
from .systems.access_log import HTTP1, Request
from .systems.certificates import Tls
from .systems.configurations import Ports
from .systems.traffic import Shape

START_S, POLL_S, ASK_S = 60.0, 0.002, 2.0
# Time of a profiler beyond the seconds of its profile.
PROFILER_S = 60.0
PROTOCOLS = (H1_LOAD, H2_LOAD) = ("http1", "h2")


class Part(NamedTuple):
    """The load over one protocol; streams of 0 stand for HTTP/1.1."""

    protocol: str
    file: Path
    rate: float
    connections: int
    streams: int


def parts(shape: Shape, work: Path, streams: int) -> list[Part]:
    """The load by protocol, whose connections are shared out by their requests; the files of requests are written."""
    found = []
    for protocol in PROTOCOLS:
        requests = [one for one in shape.requests if (one.kind == HTTP1) == (protocol == H1_LOAD)]
        share = sum(part for kind, part in shape.protocols.items() if (kind == HTTP1) == (protocol == H1_LOAD))
        if requests and share:
            file = work / f"requests.{protocol}"
            file.write_text(traffic.lines(requests))
            found.append(Part(protocol, file, shape.rate * share, max(1, round(shape.connections * share)), 0 if protocol == H1_LOAD else streams))
    return found


class Trial(NamedTuple):
    """Parts that all runs share. sessions has a generator for each part, and firsts a request of each kind. tls is there where clients speak TLS, and certificates
    is the folder of the laboratory's own, if there are any."""

    image: str
    config: Path
    work: Path
    ports: Ports
    java_home: str
    parts: Sequence[Part]
    firsts: Sequence[Request]
    sessions: Sequence[LoadSession]
    hiccups: HiccupMeter
    own_cores: set[int]
    tls: Tls | None = None
    certificates: Path | None = None


class Arm(NamedTuple):
    """How a sidecar is started: with further options of the JVM and variables, and the profile for a rate."""

    java_options: str
    variables: Mapping[str, str]
    rps: int


class Times(NamedTuple):
    """Seconds of the warm-up and the steady window, and those of a profile after that: by the command of a profiler, else by the sidecar itself."""

    warmup: float
    seconds: float
    profiler: str | None = None
    profile: float = 0.0


@contextlib.contextmanager
def running(trial: Trial, arm: Arm) -> Iterator[Running]:
    """A sidecar that has answered a request of the traffic. Raises CouldNotRun where it does not start."""
    processes.require_free(trial.ports.front, trial.ports.admin)
    given = sidecars.Given(arm.java_options, trial.certificates, arm.variables)
    with cores.kept_to(os.sched_getaffinity(0) | trial.own_cores):
        sidecar = sidecars.start(trial.image, trial.config, arm.rps, trial.java_home, trial.work / "sidecar.log", given)
    try:
        seconds = wait_until_it_answers(sidecar, trial, trial.firsts[0])
        for other in trial.firsts[1:]:
            # which may be for a cluster that has no connection yet
            wait_until_it_answers(sidecar, trial, other)
        if trial.own_cores:
            cores.move(sidecar.pid, trial.own_cores)
        yield Running(sidecar, seconds)
    finally:
        sidecar.stop()


def wait_until_it_answers(sidecar: sidecars.Sidecar, trial: Trial, one: Request) -> float:
    """Seconds until a request was answered by 2xx, or by the class of status that it has in the log. Raises CouldNotRun with the last status or error."""
    began, last = time.monotonic(), "no answer"
    while time.monotonic() - began < START_S:
        try:
            status = ask(trial, one)
            if one.is_good(status):
                return time.monotonic() - began
            last = f"status {status}"
        except (OSError, http.client.HTTPException) as why:
            last = repr(why)
        if not sidecar.alive():
            raise CouldNotRun(f"the sidecar has ended at its start: {' '.join(sidecar.written().split())[-sidecars.LAST_WORDS:]}")
        time.sleep(POLL_S)
    raise CouldNotRun(f"the first {one.kind} request of the traffic got {last} for {START_S:.0f} s")


def ask(trial: Trial, one: Request) -> int:
    """The status of a request; over HTTP/2, of a GET of its target."""
    port = trial.ports.front
    if one.kind != HTTP1:
        context = trial.tls.context(is_http2=True) if trial.tls else None
        until = time.monotonic() + ASK_S
        with http2.opened(port, until, context) as opened:
            return http2.get(opened, one.target, until, one.host or traffic.NO_HOST)
    plain: ssl.SSLContext | None = trial.tls.context() if trial.tls else None
    connection = (http.client.HTTPSConnection("localhost", port, timeout=ASK_S, context=plain) if plain
                  else http.client.HTTPConnection("127.0.0.1", port, timeout=ASK_S))
    try:
        connection.request(one.method, one.target, bytes(one.request_bytes) or None, {"Host": one.host or traffic.NO_HOST})
        return connection.getresponse().status
    finally:
        connection.close()


def measure(trial: Trial, arm: Arm, times: Times, keep_stacks: Callable[[str], None]) -> Figures:
    """A row of one run. Raises RequestsFailed, DidNotEnd and CouldNotRun."""
    with running(trial, arm) as system:
        for part, session in zip(trial.parts, trial.sessions):
            session.begin_recorded(part.file, part.rate, part.connections, part.streams, times.warmup, times.seconds, trial.ports.front, trial.tls)
        time.sleep(LEAD_S + times.warmup)
        host, began, cpu_s = Host(trial.hiccups, trial.work / "hiccups.hlog"), time.monotonic(), system.cpu_seconds()
        time.sleep(max(0.5, times.seconds - 2 * LEAD_S))
        share = (system.cpu_seconds() - cpu_s) / (time.monotonic() - began)
        row: Figures = {"start_s": system.start_s, **host.end(), "cpu_share": share, **system.memory()}
        answers = [session.answer() for session in trial.sessions]
        if times.profile:
            # in a load of its own, as a profiler costs time
            for part, session in zip(trial.parts, trial.sessions):
                session.begin_recorded(part.file, part.rate, part.connections, part.streams, 0, times.profile + 2 * LEAD_S, trial.ports.front, trial.tls)
            time.sleep(LEAD_S)
            keep_stacks(profiled(times, system.sidecar.pid, trial.work / "stacks") if times.profiler else own_profile(times, trial.ports.admin))
            require_none_failed(sum(session.answer()["failed"] for session in trial.sessions))
    require_none_failed(sum(answer["failed"] for answer in answers))
    rate = sum(answer["rate"] for answer in answers)
    row.update(rate_rps=rate, rate_missed=rate < (1 - SHARE_MISSED) * sum(part.rate for part in trial.parts) - 1 / times.seconds,
               cpu_us=1e6 * share / rate if rate else None)
    for part, answer in zip(trial.parts, answers):
        row.update(enough(answer, part.protocol))
    return row


def profiled(times: Times, pid: int, file: Path) -> str:
    """Collapsed stacks that the user's profiler wrote for a process. Raises CouldNotRun where it failed, and DidNotEnd."""
    file.unlink(missing_ok=True)
    command = (times.profiler or "").format(pid=pid, seconds=f"{times.profile:g}", file=file)
    done = children.run(["sh", "-c", command], times.profile + PROFILER_S, "the profiler", capture_output=True, text=True)
    if done.returncode or not file.exists():
        raise CouldNotRun(f"the profiler ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-sidecars.LAST_WORDS:]}")
    return file.read_text(errors="replace")


def own_profile(times: Times, admin: int) -> str:
    """Collapsed stacks of the sidecar's own profiler. Raises CouldNotRun where it has none, or fails."""
    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=times.profile + PROFILER_S)
    try:
        connection.request("POST", f"/profile?seconds={times.profile:.0f}&format=collapsed", headers={"Host": "localhost"})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as why:
        raise CouldNotRun(f"--profile: the sidecar sent no profile: {why!r}") from why
    finally:
        connection.close()
    if answer.status != 200:
        raise CouldNotRun(f"--profile: the sidecar answered {answer.status}: {text.strip()[-sidecars.LAST_WORDS:]}")
    return text


def rehearse(session: LoadSession, part: Part, port: int, seconds: float) -> None:
    """Warms a generator up, straight to the backend."""
    session.begin_recorded(part.file, min(part.rate, 1000), part.connections, part.streams, 0, seconds, port)
    session.answer()

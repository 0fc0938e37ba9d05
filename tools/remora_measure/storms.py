"""A proxy under a memory limit, and what becomes of it under a storm: crowds of clients, with a canary next to them."""
from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .canaries import CANARY_S, PLAIN, Canary, Front
from .conformance.rig_parts import tls_engine
from .errors import CouldNotRun
from .machine import cgroups, children, kernel, processes
from .repository import BUILT_IMAGES, LAUNCHER
from .systems import admin_pages, peers, sidecars
from .systems.configurations import Ports

PEERS = ("envoy", "haproxy")
# The sidecar's, in the folder of a run.
CONFIGURATION = "remora.yaml"
RECOVERY_S = 2.0
MOST_PERCENT = 95.0
ANSWERED_PERCENT = 90.0
MOST_FAULTS_A_SECOND = 50
# A sidecar must not thrash: of the time that a storm lasts, and within half of a canary's second.
MOST_GC_PERCENT = 20.0
MOST_LAG_MS = 500.0
LAG_SHARE = 0.99
# the target for returned memory
LEFT_MB = 3.0
GIVEN_BACK_S = 60


class Thrashing(NamedTuple):
    """At a moment: how long collections have taken so far, and how often the loops were late by how much."""

    at: float
    gc_s: float
    lags: dict[float, float]

    def gc_percent_since(self, before: Thrashing) -> float:
        return 100 * (self.gc_s - before.gc_s) / max(1e-3, self.at - before.at)

    def lag_ms_since(self, before: Thrashing) -> float:
        """The bound that 99 in 100 times of being late keep to."""
        counts = {bound: count - before.lags.get(bound, 0) for bound, count in sorted(self.lags.items())}
        every = max(counts.values(), default=0)
        return 1e3 * next((bound for bound, count in counts.items() if count >= LAG_SHARE * every), 0.0)


# Exit status of a sidecar whose configuration needs more than the limit allows. It then gets so much more, up to the most.
UNFIT = 78
MORE_BYTES, MOST_MORE_BYTES = 2 << 20, 32 << 20
# Bound for the start of a container.
CONTAINER_S = 20.0


class DidNotStart(CouldNotRun):
    """A proxy ended at its start, with a status, or never listened, without one."""

    def __init__(self, status: int | None, written: str) -> None:
        super().__init__(f"the proxy did not start, status {status}: {(written.strip().splitlines() or ['it wrote nothing'])[-1]}")
        self.status = status


class Stormed:
    """A proxy under a limit, with its cgroup: a runtime image, the host's JDK or a peer in a cgroup of our own, or a container in that of the
    engine. log is where what it wrote is kept."""

    def __init__(self, name: str, group: cgroups.Group, ports: Ports, front: Front) -> None:
        self.name, self.group, self.ports, self.front = name, group, ports, front

    def alive(self) -> bool:
        raise NotImplementedError

    def pid(self) -> int:
        raise NotImplementedError

    def written(self) -> str:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError

    def killed(self) -> bool:
        return not self.alive() or self.group.kills() > 0

    def used(self) -> int:
        """Of the limit; 0 where the cgroup has gone with its container."""
        try:
            return self.group.used()
        except OSError:
            return 0

    def engine(self) -> str | None:
        return tls_engine(self.written()) if self.front.tls else None

    def crowd(self, kind: str, count: int) -> subprocess.Popen:
        return crowd(kind, count, self.ports.front, self.front)

    def thrashing(self) -> Thrashing | None:
        """What a sidecar has counted until now; None for others, and where it does not answer."""
        if self.name in PEERS or not self.alive():
            return None
        try:
            text = admin_pages.fetch(self.ports.admin, "/metrics")
        except OSError:
            return None
        return Thrashing(time.monotonic(), admin_pages.total(text, "remora_jvm_gc_pause_seconds_total") or 0.0, admin_pages.buckets(text, admin_pages.LAG))

    def sockets(self) -> int:
        return cgroups.socket_bytes(self.ports.front, self.ports.backend)


class Process(Stormed):
    """One that is a process of ours; variables are more of its environment."""

    def __init__(self, name: str, limit: int, work: Path, ports: Ports, front: Front = PLAIN, variables: Mapping[str, str] | None = None) -> None:
        self.output = work / "proxy.log"
        command = command_of(name, work)
        made = cgroups.OwnGroup("remora-storm", limit)
        super().__init__(name, made, ports, front)
        self.made = made
        try:
            with open(self.output, "wb") as log:
                self.process = made.start(command, log, {**os.environ, **(variables or {})})
            processes.wait_for(ports.front, process=self.process)
        except BaseException as failed:
            never_listened = isinstance(failed, SystemExit) and isinstance(failed.code, str)
            status = self.process.poll() if never_listened else None
            made.end()
            if never_listened:
                raise DidNotStart(status, self.written()) from None
            print(self.written()[-2000:], file=sys.stderr)
            raise

    def alive(self) -> bool:
        return self.process.poll() is None

    def pid(self) -> int:
        return kernel.descendants(self.process.pid)[-1]

    def written(self) -> str:
        return self.output.read_text(errors="replace")

    def end(self) -> None:
        if self.alive():
            children.stop(self.process)
        self.made.end()


class Container(Stormed):
    """One that the Docker engine limits."""

    def __init__(self, name: str, limit: int, work: Path, ports: Ports, front: Front = PLAIN) -> None:
        sidecars.require_image(name)
        config = work / CONFIGURATION
        words = ["--memory", f"{limit}b", "--memory-swap", f"{limit}b", "--volume", f"{work}:{work}:ro",
                 "--volume", f"{config}:/etc/remora/remora.yaml:ro", sidecars.CONTAINERS[name]]
        try:
            self.sidecar = sidecars.Container(name, words, work / "proxy.log")
        except sidecars.EndedAtStart as ended:
            raise DidNotStart(ended.status, ended.written) from None
        try:
            super().__init__(name, self.limiting(), ports, front)
            self.await_front()
        except BaseException:
            self.sidecar.stop()
            raise

    def limiting(self) -> cgroups.Group:
        """Its cgroup, which has no process any more where it has ended. Raises DidNotStart, and CouldNotRun."""
        try:
            return cgroups.group_of(self.sidecar.pid)
        except (OSError, CouldNotRun):
            if self.sidecar.alive():
                raise
            raise DidNotStart(self.sidecar.status(), self.written()) from None

    def await_front(self) -> None:
        """Raises DidNotStart."""
        until = time.monotonic() + CONTAINER_S
        while not processes.listens(self.ports.front):
            if not self.alive():
                raise DidNotStart(self.sidecar.status(), self.written())
            if time.monotonic() > until:
                raise DidNotStart(None, self.written())
            time.sleep(0.02)

    def alive(self) -> bool:
        return self.sidecar.alive()

    def pid(self) -> int:
        return self.sidecar.pid

    def written(self) -> str:
        return self.sidecar.written()

    def end(self) -> None:
        self.sidecar.stop()


def start(name: str, limit: int, work: Path, ports: Ports, front: Front = PLAIN) -> Stormed:
    """By the name of a container image, of a runtime image, host, or of a peer; it listens. Raises CouldNotRun where there is none of that name."""
    return (Container if name in sidecars.CONTAINERS else Process)(name, limit, work, ports, front)


def least_limit(name: str, limit: int, work: Path, ports: Ports, front: Front = PLAIN) -> int:
    """The least limit from that one on, in steps, under which it starts: a configuration with TLS or HTTP/2 may need more than a profile. Raises DidNotStart."""
    most = limit + MOST_MORE_BYTES
    while True:
        try:
            start(name, limit, work, ports, front).end()
            return limit
        except DidNotStart as failed:
            limit += MORE_BYTES
            if failed.status != UNFIT or limit > most:
                raise


def command_of(name: str, work: Path) -> list[str | Path]:
    """Raises CouldNotRun."""
    if name in PEERS:
        program = peers.program(name)
        if program is None:
            raise CouldNotRun(f"no {name}")
        return list(next(peer for peer in peers.PEERS if peer.name == name).command(program, work))
    launcher = LAUNCHER if name == "host" else BUILT_IMAGES / name / "bin/remora"
    if not launcher.exists():
        raise CouldNotRun(f"no image {name}: make runtime IMAGE={name} builds it")
    return [launcher, "run", "--config", work / CONFIGURATION]


def crowd(kind: str, count: int, port: int, front: Front = PLAIN) -> subprocess.Popen:
    trusting = [str(front.tls.directory / "ca.crt")] if front.tls else []
    program = "http2_crowds" if front.is_http2 else "crowds"
    return children.start([sys.executable, "-m", f"remora_measure.load.{program}", kind, str(count), str(port), *trusting])


def stop_all(running: list[subprocess.Popen]) -> None:
    for one in running:
        children.signal_group(one, signal.SIGKILL)
    for one in running:
        children.kill(one)


def storm(proxy: Stormed, kinds: Sequence[tuple[str, int]], seconds: float, source: str = "127.0.0.1") -> dict[str, Any]:
    """One storm, and the two seconds after it. source is the canary's address."""
    faults, repeated = proxy.group.major_faults(), proxy.group.repeated_reads()
    began, before = time.monotonic(), proxy.thrashing()
    canary = Canary(proxy.ports.front, proxy.front, source)
    canary.start()
    running = [proxy.crowd(kind, count) for kind, count in kinds]
    most, most_sockets, sums, next_sockets = 0, 0, 0, 0.0
    try:
        while time.monotonic() - began < seconds and proxy.alive():
            used = proxy.used()
            most = max(most, used)
            if time.monotonic() >= next_sockets:
                sockets = proxy.sockets()
                most_sockets = max(most_sockets, sockets)
                sums = max(sums, used + sockets if proxy.group.first else used)
                next_sockets = time.monotonic() + 1
            time.sleep(0.1)
    finally:
        stop_all(running)
    over, after = time.monotonic(), proxy.thrashing()
    recovered = None
    while recovered is None and time.monotonic() - over < 30 and proxy.alive():
        if canary.ask() == 200:
            recovered = time.monotonic() - over
        else:
            time.sleep(0.05)
    canary.over.set()
    time.sleep(CANARY_S + 0.1)
    during = [status for at, status in canary.results if at < over]
    answered = sum(status in (200, 503) for status in during)
    result = {
        "seconds": seconds, "is_sidecar": proxy.name not in PEERS, "killed": proxy.killed(), "most_bytes": most, "most_socket_bytes": most_sockets,
        "most_with_sockets": sums, "percent": 100 * max(most, sums) / proxy.group.limit, "canaries": len(during),
        "answered_percent": 100 * answered / max(1, len(during)), "canaries_by_second": by_second(canary.results, began),
        "unanswered": dict(collections.Counter(why for at, why in canary.failures if began <= at < over)),
        "ok_percent": 100 * during.count(200) / max(1, len(during)),
        "engine": proxy.engine(), "recovered_s": recovered, "major_faults_a_second": (proxy.group.major_faults() - faults) / seconds if proxy.alive() else None,
        "repeated_reads_a_second": a_second(repeated, proxy.group.repeated_reads(), seconds) if proxy.alive() else None,
        "gc_percent": after.gc_percent_since(before) if before and after else None, "lag_p99_ms": after.lag_ms_since(before) if before and after else None,
        "out_of_memory": "OutOfMemory" in proxy.written()}
    return {**result, "broken": broken(result), "missed": missed(result)}


def a_second(before: int | None, after: int | None, seconds: float) -> float | None:
    """The growth of a count by the second; None where it is not counted."""
    return None if before is None or after is None else (after - before) / seconds


def by_second(results: Sequence[Sequence[Any]], began: float) -> list[str]:
    """For each second the canaries' statuses, 0 for none in time."""
    seconds: dict[int, list[int]] = {}
    for at, status in sorted(results):
        seconds.setdefault(int(at - began), []).append(status)
    return [f"{second}: " + " ".join(map(str, statuses)) for second, statuses in sorted(seconds.items())]


def missed(result: dict[str, Any]) -> list[str]:
    """The bars that a storm has missed."""
    return broken(result) + late(result)


def broken(result: dict[str, Any]) -> list[str]:
    """The bars that a storm has missed by taking too much, or by never being over."""
    found = []
    if result["killed"]:
        found.append("killed")
    if result["out_of_memory"]:
        found.append("OutOfMemoryError")
    if result["percent"] > MOST_PERCENT:
        found.append(f"{result['percent']:.0f} % of the limit")
    if result["recovered_s"] is None:
        found.append("200 again after more than 30 s")
    return found


def late(result: dict[str, Any]) -> list[str]:
    """The bars of time that a storm has missed."""
    found = []
    if result["answered_percent"] < ANSWERED_PERCENT:
        found.append(f"{result['answered_percent']:.0f} % of the canaries answered")
    if (result["recovered_s"] or 0) > RECOVERY_S:
        found.append(f"200 again after {result['recovered_s']:.1f} s")
    if (result["major_faults_a_second"] or 0) > MOST_FAULTS_A_SECOND:
        found.append(f"{result['major_faults_a_second']:.0f} major faults a second")
    if (result["gc_percent"] or 0) > MOST_GC_PERCENT:
        found.append(f"collections took {result['gc_percent']:.0f} % of the time")
    if (result["lag_p99_ms"] or 0) > MOST_LAG_MS:
        found.append(f"loop late by {result['lag_p99_ms']:.0f} ms")
    if result.get("is_sidecar") and result["gc_percent"] is None and not result["killed"]:
        found.append("its metrics did not tell of collections and of the loop")
    return found


def give_back(proxy: Stormed, kinds: Sequence[tuple[str, int]], burst_s: float) -> dict[str, Any]:
    """RSS by second, before, during and after a burst; until a proxy ends, if it does."""
    pid = proxy.pid()
    curve = [(0.0, kernel.status(pid, "VmRSS"))]
    before, began = curve[0][1], time.monotonic()
    running = [proxy.crowd(kind, count) for kind, count in kinds]
    try:
        while (now := time.monotonic() - began) < burst_s + GIVEN_BACK_S and (rss := rss_of(pid)):
            if running and now > burst_s:
                stop_all(running)
                running = []
            curve.append((now, rss))
            time.sleep(1)
    finally:
        stop_all(running)
    left = curve[-1][1] - before
    missed_bars = ["killed"] if proxy.killed() else [f"{left:.1f} left"] if left > LEFT_MB else []
    return {"seconds": burst_s, "before_mb": before, "peak_mb": max(rss for _, rss in curve), "after_mb": curve[-1][1], "limit_mb": proxy.group.limit / 1e6,
            "broken": missed_bars, "missed": missed_bars, "curve": curve}


def rss_of(pid: int) -> float:
    """In MB; 0 where the process has ended."""
    try:
        return kernel.status(pid, "VmRSS")
    except OSError:
        return 0.0

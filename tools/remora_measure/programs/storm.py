"""Storms against a proxy under a memory limit: crowds of clients, each alone and then all together, with a canary beside them.

The proxy runs in a cgroup of its own, so that only its memory counts; clients and backend are outside. Its bars: it is never killed and
never runs out of memory, takes at most 95 % of the limit, answers nine canaries in ten within a second (200, or 503 while the storm
lasts), answers 200 again within two seconds after the storm, spends at most a fifth of the time on collections, and is late for 99 in 100
timers by at most half a second. --give-back also shows how much memory a burst leaves behind. With --tls
all clients, the canary among them, come by HTTPS, each with a handshake of its own.

Exit status: 0; 1 when the limit did not hold, which no other work on the machine excuses; 2 when only bars of time were missed; 3 when it
could not run. It must be root, to make the cgroup.
"""
from __future__ import annotations

import argparse
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..charts import drawing, run_charts
from ..command_line import Parser, end_with, say
from ..conformance.rig import tls_engine
from ..errors import CouldNotRun
from ..machine import cgroups, kernel, processes
from ..markdown import aligned_table
from ..repository import BUILT_IMAGES, LAUNCHER
from ..systems import admin_pages, certificates, peers
from ..systems.certificates import Tls
from ..systems.configurations import Ports, write_configs

CROWDS = {
    "900 slow readers": [("slow-readers", 900)],
    "2,000 slow readers": [("slow-readers", 2000)],
    "5,000 slow readers": [("slow-readers", 5000)],
    "2,000 slow posts": [("slow-posts", 2000)],
    "10,000 idle": [("idle", 10000)],
    "5,000 slow heads": [("slow-heads", 5000)],
    "64 at full speed": [("full-speed", 64)],
    "all together": [("slow-readers", 2000), ("slow-posts", 2000), ("idle", 5000), ("slow-heads", 2000), ("full-speed", 64)],
}
SHORT = {"storm": [("slow-readers", 900), ("slow-posts", 300), ("idle", 3000), ("slow-heads", 500), ("full-speed", 8)]}
CANARIES_A_SECOND = 10
CANARY_S = 1.0
RECOVERY_S = 2.0
MOST_PERCENT = 95.0
ANSWERED_PERCENT = 90.0
MOST_FAULTS_A_SECOND = 50
# A sidecar must not thrash: of the time that a storm lasts, and within half of a canary's second.
MOST_GC_PERCENT = 20.0
MOST_LAG_MS = 500.0
LAG_SHARE = 0.99
# Each over after BURST_S; what is left of it is looked at GIVEN_BACK_S later.
BURSTS = {"10,000 connections": [("idle", 10000)], "slow readers of large bodies": [("slow-readers", 2000)]}
BURST_S = 20
# of the bar on memory given back
LEFT_MB = 3.0
GIVEN_BACK_S = 60


class Canary(threading.Thread):
    """Asks ten times a second, each time on a connection of its own."""

    def __init__(self, port: int, tls: Tls | None = None) -> None:
        super().__init__(daemon=True)
        self.context: ssl.SSLContext | None = tls.context() if tls else None
        self.port, self.results, self.over = port, [], threading.Event()  # type: ignore[var-annotated]

    def ask(self) -> int:
        """The status, 0 for none within the time."""
        connection = (http.client.HTTPSConnection("127.0.0.1", self.port, timeout=CANARY_S, context=self.context) if self.context
                      else http.client.HTTPConnection("127.0.0.1", self.port, timeout=CANARY_S))
        try:
            connection.request("GET", "/body", headers={"Connection": "close"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def one(self, at: float) -> None:
        began = time.monotonic()
        status = self.ask()
        self.results.append((at, status if time.monotonic() - began <= CANARY_S else 0))

    def run(self) -> None:
        while not self.over.is_set():
            at = time.monotonic()
            threading.Thread(target=self.one, args=(at,), daemon=True).start()
            self.over.wait(1 / CANARIES_A_SECOND)


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


class Proxy:
    """What is stormed: a runtime image, the host's JDK, or a peer."""

    def __init__(self, name: str, limit: int, work: Path, ports: Ports, tls: Tls | None = None) -> None:
        self.name, self.ports, self.output, self.tls = name, ports, work / "proxy.log", tls
        environment = dict(os.environ)
        if name in ("envoy", "haproxy"):
            program = peers.program(name)
            if program is None:
                raise CouldNotRun(f"no {name}")
            command: list[str | Path] = list(next(peer for peer in peers.PEERS if peer.name == name).command(program, work))
        else:
            program_path = LAUNCHER if name == "host" else BUILT_IMAGES / name / "bin/remora"
            if not program_path.exists():
                raise CouldNotRun(f"no image {name}: make runtime IMAGE={name} builds it")
            command = [program_path, "run", "--config", work / ("remora-front-tls.yaml" if tls else "remora.yaml")]
        self.group = cgroups.LimitedGroup("remora-storm", limit)
        try:
            with open(self.output, "wb") as log:
                self.process = self.group.start(command, log, environment)
            processes.wait_for(ports.front, process=self.process)
        except BaseException:
            self.group.end()
            print(self.output.read_text()[-2000:], file=sys.stderr)
            raise

    def alive(self) -> bool:
        return self.process.poll() is None

    def engine(self) -> str | None:
        return tls_engine(self.output.read_text(errors="replace")) if self.tls else None

    def crowd(self, kind: str, count: int) -> subprocess.Popen:
        return crowd(kind, count, self.ports.front, self.tls)

    def thrashing(self) -> Thrashing | None:
        """What a sidecar has counted until now; None for others, and where it does not answer."""
        if self.name in ("envoy", "haproxy") or not self.alive():
            return None
        try:
            text = admin_pages.fetch(self.ports.admin, "/metrics")
        except OSError:
            return None
        return Thrashing(time.monotonic(), admin_pages.total(text, "remora_jvm_gc_pause_seconds_total") or 0.0, admin_pages.buckets(text, admin_pages.LAG))

    def sockets(self) -> int:
        return cgroups.socket_bytes(self.ports.front, self.ports.backend)

    def end(self) -> None:
        if self.alive():
            processes.stop(self.process)
        self.group.end()


def crowd(kind: str, count: int, port: int, tls: Tls | None = None) -> subprocess.Popen:
    trusting = [str(tls.directory / "ca.crt")] if tls else []
    return subprocess.Popen([sys.executable, "-m", "remora_measure.load.crowds", kind, str(count), str(port), *trusting])


def stop_all(running: list[subprocess.Popen]) -> None:
    for one in running:
        one.kill()
    for one in running:
        one.wait()


def storm(proxy: Proxy, kinds: Sequence[tuple[str, int]], seconds: float) -> dict[str, Any]:
    """One storm, and the two seconds after it."""
    faults, began, before = proxy.group.major_faults(), time.monotonic(), proxy.thrashing()
    canary = Canary(proxy.ports.front, proxy.tls)
    canary.start()
    running = [proxy.crowd(kind, count) for kind, count in kinds]
    most, most_sockets, sums, next_sockets = 0, 0, 0, 0.0
    try:
        while time.monotonic() - began < seconds and proxy.alive():
            used = proxy.group.used()
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
        "killed": not proxy.alive() or proxy.group.kills() > 0, "most_bytes": most, "most_socket_bytes": most_sockets,
        "most_with_sockets": sums, "percent": 100 * max(most, sums) / proxy.group.limit, "canaries": len(during),
        "answered_percent": 100 * answered / max(1, len(during)), "canaries_by_second": by_second(canary.results, began),
        "ok_percent": 100 * during.count(200) / max(1, len(during)),
        "engine": proxy.engine(), "recovered_s": recovered, "major_faults_a_second": (proxy.group.major_faults() - faults) / seconds if proxy.alive() else None,
        "gc_percent": after.gc_percent_since(before) if before and after else None, "lag_p99_ms": after.lag_ms_since(before) if before and after else None,
        "out_of_memory": "OutOfMemory" in proxy.output.read_text(errors="replace")}
    return {**result, "broken": broken(result), "missed": missed(result)}


def by_second(results: Sequence[tuple[float, int]], began: float) -> list[str]:
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
    return found


def give_back(proxy: Proxy, kinds: Sequence[tuple[str, int]], burst_s: float) -> dict[str, Any]:
    """RSS by second, before, during and after a burst."""
    pid = kernel.descendants(proxy.process.pid)[-1]
    curve = [(0.0, kernel.status(pid, "VmRSS"))]
    before, began = curve[0][1], time.monotonic()
    running = [proxy.crowd(kind, count) for kind, count in kinds]
    while (now := time.monotonic() - began) < burst_s + GIVEN_BACK_S:
        if running and now > burst_s:
            stop_all(running)
            running = []
        curve.append((now, kernel.status(pid, "VmRSS")))
        time.sleep(1)
    left = curve[-1][1] - before
    missed_bars = [f"{left:.1f} left"] if left > LEFT_MB else []
    return {"before_mb": before, "peak_mb": max(rss for _, rss in curve), "after_mb": curve[-1][1], "limit_mb": proxy.group.limit / 1e6,
            "broken": missed_bars, "missed": missed_bars, "curve": curve}


def draw_bursts(name: str, bursts: dict[str, Any], directory: Path) -> None:
    """RSS over time, a line for each burst, as give-back-NAME.svg and .png."""
    curves = {f"{key}, {found['limit_mb']:.0f} MB allowed": found["curve"] for key, found in bursts.items()}
    chart = run_charts.timed(f"RSS of {name}: a burst of {BURST_S} s, and the minute after it", "MB", curves, "from the beginning of the burst")
    if chart:
        drawing.draw_if_possible({f"give-back-{name}": chart}, directory)


def size(text: str) -> int:
    number, unit = text.rstrip("kKmMgG"), text[-1:].lower()
    try:
        return int(number) << {"k": 10, "m": 20, "g": 30}.get(unit, 0)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(f"{text}: a size such as 64m is needed") from wrong


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("storm", __doc__)
    parser.add_argument("--image", default="i386-client", help="a runtime image, host, envoy or haproxy; several with commas")
    parser.add_argument("--memory", type=size, default=size("64m"), help="the limit")
    parser.add_argument("--memories", help="a limit for each of several images, with commas, in place of --memory")
    parser.add_argument("--seconds", type=float, default=120, help="of each storm")
    parser.add_argument("--short", action="store_true", help="one storm of all kinds, of 20 s unless --seconds says otherwise")
    parser.add_argument("--tls", action="store_true", help="clients come by HTTPS; for sidecars only")
    parser.add_argument("--only", help="the storm of this name only")
    parser.add_argument("--give-back", action="store_true", help="bursts, and what is left of each after a minute")
    parser.add_reports()
    options = parser.parse_args(words)
    if options.short and options.seconds == 120:
        options.seconds = 20
    return options


def measure(name: str, limit: int, options: argparse.Namespace) -> dict[str, Any]:
    front, backend_port, admin = processes.free_ports(3)
    ports = Ports(front, backend_port, admin)
    asked_for = {key: kinds for key, kinds in CROWDS.items() if options.only in (None, key)}
    crowds = BURSTS if options.give_back else SHORT if options.short else asked_for
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="storm.") as directory:
        work = Path(directory)
        write_configs(work, ports)
        tls = certificates.make(certificates.TLS, work) if options.tls else None
        backend = crowd("backend", 0, backend_port)
        try:
            processes.wait_for(backend_port, process=backend)
            for key, kinds in crowds.items():
                say(f"{name}, {limit >> 20} MiB: {key}")
                results[key] = with_proxy(name, limit, work, ports, tls, lambda proxy, kinds=kinds: (
                    give_back(proxy, kinds, BURST_S) if options.give_back else storm(proxy, kinds, options.seconds)))
                say(", ".join(results[key]["missed"]) or "every bar met")
        finally:
            stop_all([backend])
    return results


def with_proxy(name: str, limit: int, work: Path, ports: Ports, tls: Tls | None, action: Any) -> dict[str, Any]:
    proxy = Proxy(name, limit, work, ports, tls)
    try:
        canary = Canary(ports.front, tls)
        for _ in range(200):
            canary.ask()
        return action(proxy)
    finally:
        proxy.end()
        (Path(os.environ.get("REMORA_STORM_LOG", os.devnull))).write_bytes(proxy.output.read_bytes())


def burst_cells(found: dict[str, Any]) -> list[str]:
    return [f"{found[key]:.1f}" for key in ("before_mb", "peak_mb", "after_mb")]


def storm_cells(found: dict[str, Any]) -> list[str]:
    recovered = "-" if found["recovered_s"] is None else f"{found['recovered_s']:.1f}"
    thrashing = "-" if found["gc_percent"] is None else f"{found['gc_percent']:.1f}, {found['lag_p99_ms']:.0f}"
    return [f"{found['percent']:.0f}", f"{found['answered_percent']:.0f} ({found['ok_percent']:.0f})", recovered, thrashing]


def run(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise CouldNotRun("it makes a memory cgroup, which root may")
    names = options.image.split(",")
    if options.tls and {"envoy", "haproxy"} & set(names):
        raise CouldNotRun("--tls is for sidecars only")
    limits = [size(one) for one in options.memories.split(",")] if options.memories else [options.memory] * len(names)
    rows, status = [], 0
    everything = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": kernel.describe_machine(),
                  "seconds": BURST_S if options.give_back else options.seconds, "results": {}}
    for name, limit in zip(names, limits, strict=True):
        results = measure(name, limit, options)
        everything["results"][name] = {"limit": limit, **results}
        for key, found in results.items():
            cells = burst_cells(found) if options.give_back else storm_cells(found)
            rows.append([name, key, f"{limit / 1e6:.0f}", *cells, ", ".join(found["missed"]) or "met"])
            if found["missed"]:
                status = 1 if found["broken"] or status == 1 else 2
    directory = options.reports / time.strftime("storm-%Y%m%d-%H%M%S")
    directory.mkdir(parents=True)
    if options.give_back:
        for name in names:
            bursts = {key: found for key, found in everything["results"][name].items() if key != "limit"}
            draw_bursts(name, bursts, directory)
    (directory / "storm.json").write_text(json.dumps(everything, indent=1))
    heads = (["proxy", "burst", "limit, MB", "RSS before, MB", "at most, MB", "a minute later, MB", "at most 3 MB left"] if options.give_back else
             ["proxy", "storm", "limit, MB", "of it, %", "canaries answered (200), %", "200 again, s", "collections, %; loop late p99, ms", "bars"])
    text = aligned_table(heads, rows)
    (directory / "storm.md").write_text(text + "\n")
    print(text)
    return status


if __name__ == "__main__":
    end_with("storm", lambda: run(read_arguments()))

"""Measures the cost of a cluster with a thousand endpoints: the memory for each endpoint, and the cost of replacing all of them.

The endpoints are addresses of one application and are read from a file. Memory is measured without traffic, with three endpoints and with many, both after
some updates, so it includes the memory that reading a list has used at any time. After that, the whole list is replaced several times under load. The
program measures the CPU time of the event loop for each replacement (without load), the maximum delay of a timer on the loop, and the slowest request, and
compares them with a run without replacements. A replacement starts when the source has reported it. It is in effect when a packet capture shows the first
connection to one of the new addresses.

The table shows which targets are met, but they do not change the exit status: 0, 1 if a request failed, 3 if it could not run.
"""
import argparse
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun
from ..load import java_tools, outcomes, packet_capture
from ..machine import children, jvm, kernel, processes
from ..markdown import aligned_table
from ..systems import admin_pages, sidecars
from ..systems.configurations import Ports, write_configs

FEW = 3
WARM_UPDATES = 3
# A file that has changed is in use within two seconds.
UPDATE_S = 2.5
# A capture has a packet within this.
CAPTURED_S = 1.0
ANSWERED = "remora_resolver_answered_seconds"
# The most that it may be.
BARS = {"rss_kib_each": 1, "heap_bytes_each": 1024, "effect_ms": 50, "failed": 0, "quiet_failed": 0}
ROWS = (("rss_kib_each", "RSS of an endpoint, KiB", 2), ("heap_bytes_each", "heap of an endpoint, bytes", 0),
        ("rss_few_mb", f"RSS with {FEW}, MB", 1), ("rss_many_mb", "RSS with all, MB", 1),
        ("loop_cpu_ms", "CPU of a replacement on the loop, ms", 1), ("other_cpu_ms", "on other threads, ms", 1),
        ("effect_ms", "until a replacement is in effect beside load, median, ms", 1), ("slowest_effect_ms", "the slowest, ms", 1),
        ("lag_ms", "worst loop lag beside load, at most ms", 1), ("quiet_lag_ms", "without replacements", 1),
        ("slowest_ms", "slowest request, ms", 1), ("quiet_slowest_ms", "without replacements", 1), ("failed", "failed requests", 0), ("quiet_failed", "without replacements", 0))


def addresses(count: int, half: int) -> list[str]:
    """Of a half of the loopback network; no address is in both."""
    return [f"127.{half + 1}.{number >> 8}.{number & 255}" for number in range(1, count + 1)]


class Measured:
    """One sidecar with a list of endpoints that can be replaced."""

    def __init__(self, system: arms.Running, bench: arms.Bench) -> None:
        self.system, self.bench, self.half = system, bench, 0

    def replace(self, count: int) -> None:
        """By as many that were not there before; returns once the sidecar has them."""
        self.half = 1 - self.half
        wanted = addresses(count, self.half)
        publish(self.bench, wanted)
        time.sleep(UPDATE_S)
        text = admin_pages.fetch(self.bench.ports.admin, "/clusters")
        found = re.findall(r"(?m)^  (\S+):\d+ ", text)
        if sorted(found) != sorted(wanted):
            raise CouldNotRun(f"{len(found)} endpoints are there of {count}")

    def effect_ms(self, count: int) -> float:
        """Replaces all of them under load; the time from when the source has told of it to when the first of them is used."""
        packets, half = self.bench.work / "packets", 2 - self.half
        tcpdump = packet_capture.capture(packets, self.bench.log, "lo", f"tcp[tcpflags] & tcp-syn != 0 and dst net 127.{half}.0.0/16")
        if not tcpdump:
            raise CouldNotRun("it needs tcpdump, and the right to use it")
        try:
            self.replace(count)
            time.sleep(CAPTURED_S)
        finally:
            children.stop(tcpdump)
        opened = next((one.at for one in packet_capture.segments(packets) if one.opens), None)
        if opened is None:
            raise CouldNotRun("no request went to the new endpoints")
        told = admin_pages.samples(admin_pages.fetch(self.bench.ports.admin, "/metrics"), ANSWERED)
        return 1e3 * (opened - next(iter(told.values())))

    def rss_mb(self) -> float:
        return self.system.sum_mb("VmRSS")

    def heap_bytes(self) -> int | None:
        """What is alive in it; None where the JVM cannot be asked."""
        return jvm.live_heap_bytes(self.system.sidecar.pid)

    def cpu_ms(self) -> tuple[float, float]:
        """Of the event loops, and of all other threads, those that have ended included."""
        pid = self.system.sidecar.pid
        names = kernel.of_threads(pid, "comm")
        spent = kernel.of_threads(pid, "schedstat")
        loops = sum(int(text.split()[0]) / 1e6 for thread, text in spent.items() if "loop" in names.get(thread, ""))
        return loops, kernel.cpu_seconds(pid) * 1e3 - loops

    def lags(self) -> dict[float, float]:
        return admin_pages.buckets(admin_pages.fetch(self.bench.ports.admin, "/metrics"), admin_pages.LAG)


def publish(bench: arms.Bench, wanted: Sequence[str]) -> None:
    new = bench.work / "endpoints.new"
    new.write_text("".join(f"- {address}:{bench.ports.backend}\n" for address in wanted))
    os.replace(new, bench.work / "endpoints.yaml")


def worst_lag_ms(before: dict[float, float], after: dict[float, float]) -> float:
    """The bound of the highest bucket that something came into."""
    worst, below = 0.0, 0.0
    for bound in sorted(after):
        count = after[bound] - before.get(bound, 0)
        if count > below:
            worst = bound
        below = count
    return 1e3 * worst


def measure(one: Measured, options: argparse.Namespace, client: java_tools.OpenLoad) -> dict[str, Any]:
    """A row of figures of one run. Raises CouldNotRun."""
    for _ in range(WARM_UPDATES):
        one.replace(FEW)
    heap, row = one.heap_bytes(), {"rss_few_mb": one.rss_mb()}
    for _ in range(WARM_UPDATES):
        one.replace(options.count)
    row["rss_many_mb"] = one.rss_mb()
    row["rss_kib_each"] = (row["rss_many_mb"] - row["rss_few_mb"]) * 1e6 / 1024 / (options.count - FEW)
    if heap is not None and (more := one.heap_bytes()) is not None:
        row["heap_bytes_each"] = (more - heap) / (options.count - FEW)
    loops, others = one.cpu_ms()
    for _ in range(options.updates):
        one.replace(options.count)
    row.update(zip(("loop_cpu_ms", "other_cpu_ms"), ((now - before) / options.updates for now, before in zip(one.cpu_ms(), (loops, others)))))
    effects: list[float] = []
    for prefix, action in (("quiet_", lambda: time.sleep(UPDATE_S)), ("", lambda: effects.append(one.effect_ms(options.count)))):
        row.update({f"{prefix}{key}": value for key, value in beside_load(one, options, client, action).items()})
    row.update(effect_ms=statistics.median(effects), slowest_effect_ms=max(effects))
    return row


def beside_load(one: Measured, options: argparse.Namespace, client: java_tools.OpenLoad, action: Callable[[], None]) -> dict[str, float]:
    file = one.bench.work / "outcomes"
    client.begin(one.bench.ports.front, options.rate, 16, 256, file)
    time.sleep(2)
    before, began = one.lags(), time.time()
    for _ in range(options.updates):
        action()
    after, ended = one.lags(), time.time()
    client.end()
    requests = [request for request in outcomes.read(file) if began <= request.due < ended]
    if not requests:
        raise CouldNotRun("the load did not last as long as it was to")
    return {"lag_ms": worst_lag_ms(before, after), "slowest_ms": max(1e3 * request.latency for request in requests),
            "failed": sum(not request.is_good for request in requests)}


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("endpoints", __doc__)
    parser.add_argument("--image", default="i386-client", help="names of runtime images or host, separated by commas")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--updates", type=int, default=5, help="number of replacements of each kind")
    parser.add_argument("--rate", type=int, default=1000, help="requests per second during replacements")
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    java_tools.require_built()
    found: dict[str, dict[str, Any]] = {}
    directory = new_folder(options.reports, "endpoints")
    for image in options.image.split(","):
        sidecars.require_image(image)
        with tempfile.TemporaryDirectory(prefix="endpoints.") as work, open(Path(work, "tools.log"), "wb") as log:
            bench = arms.Bench(Path(work), Ports(*processes.free_ports(3)), processes.default_java_home(), log)
            write_configs(bench.work, bench.ports)
            publish(bench, addresses(FEW, 0))
            arm = arms.image_arm(bench, image, options.rate, configuration="remora-endpoints.yaml")
            # every address of the loopback network is this machine's
            with java_tools.Backend(bench.java_home, log, bench.ports.backend, java_tools.Answers(1024), place=java_tools.Place(("0.0.0.0",))), \
                    java_tools.OpenLoad(bench.java_home, log) as client, arms.running(arm, bench.ports) as system:
                found[image] = measure(Measured(system, bench), options, client)
                say(f"{image}: " + json.dumps(found[image]))
    text = table(options.count, found)
    (directory / "endpoints.json").write_text(json.dumps({**kernel.when_and_where(), "options": described(options), "runs": found}, indent=1))
    (directory / "endpoints.md").write_text(text + "\n")
    print(text)
    return status(found)


def table(count: int, found: Mapping[str, Mapping[str, Any]]) -> str:
    """In bold what is beyond its bar."""
    lines = [[heading, *(cell(row.get(key), BARS.get(key), places) for row in found.values()), f"{BARS[key]:g}" if key in BARS else ""] for key, heading, places in ROWS]
    return aligned_table([f"{count:,} endpoints", *found, "at most"], lines)


def cell(value: float | None, most: float | None, places: int) -> str:
    if value is None:
        return "" if most is None else "inconclusive"
    return f"{value:,.{places}f}" if most is None or value <= most else f"**{value:,.{places}f}**"


def status(found: Mapping[str, Mapping[str, Any]]) -> int:
    return 1 if any(row[key] for row in found.values() for key in ("failed", "quiet_failed")) else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("endpoints", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

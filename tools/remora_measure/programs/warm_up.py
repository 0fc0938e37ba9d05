"""Measures how long users wait in the first second after a start, with and without warm-up.

A sidecar is started repeatedly, alternately with and without warm-up. As soon as /ready returns 200, 1,000 requests a second are sent. The report shows the
p99 of the requests that were due in the first second, the p99 of the last seconds of the same start, and the time until the sidecar was ready. The generator
is warmed up before the first start.

Exit status: 0, 1 if a request failed or the target was missed with warm-up, 2 if the host itself was late or a warm-up was not completed, 3 if it could not
run.
"""
import argparse
import http.client
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, spread
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun
from ..load import java_tools, outcomes
from ..load.outcomes import Request
from ..machine import cores, kernel
from ..markdown import spread_table
from ..runs import Host
from ..spread import Figure
from ..systems import sidecars

COLD, WARM = "without", "with warm-up"
CONFIGURATIONS = {COLD: "remora.yaml", WARM: "remora-warm-up.yaml"}
# As the configuration has it.
WARM_UP_REQUESTS = 2000
WARM_UP_TOLD = re.compile(r"warm-up(?: ended after|:) (\d+) requests .*")
FIRST_S, STEADY_S = 1.0, 4.0
# Longest time from the request for a load to its beginning.
LEAD_S = 0.1
# Ratio of the p99 of the first second to that of the steady ones.
MOST_TIMES = 2.0
# Largest share of the steady p99 that the host's own hiccups may be: next to worse ones, every start looks warm.
MOST_SHARE = 0.5
READY_S = 30.0
POLL_S = 0.002
REHEARSAL_S = 4.0
FIGURES = (Figure("ready_ms", "from the start until ready, ms"), Figure("first_p50_ms", "first second p50, ms", 2),
           Figure("first_p99_ms", "first second p99, ms", 2), Figure("first_max_ms", "its slowest, ms", 1), Figure("steady_p99_ms", "steady p99, ms", 2),
           Figure("times", "first to steady p99", 2), Figure("rss_mb", "RSS at the end, MB", 1),
           Figure("first_hiccup_p99_us", "the host's hiccups in the first second p99, us"), Figure("steady_hiccup_p99_us", "in the steady ones, us"))

Row = dict[str, Any]


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that so many do not exceed; they need not be in order."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered), -int(-share * len(ordered) // 1)) - 1)]


def told(requests: Sequence[Request], seconds: float) -> Row:
    """Of one start, whose requests are in the order in which they were due. Raises CouldNotRun where the load was none."""
    began = requests[0].due if requests else 0.0
    first = [1e3 * one.latency for one in requests if one.due < began + FIRST_S]
    steady = [1e3 * one.latency for one in requests if one.due >= began + seconds - STEADY_S]
    if not first or not steady:
        raise CouldNotRun("the load did not last as long as it was to")
    p99, steady_p99 = percentile(first, 0.99), percentile(steady, 0.99)
    return {"requests": len(requests), "failed": sum(not one.is_good for one in requests), "first_p50_ms": percentile(first, 0.5), "first_p99_ms": p99,
            "first_max_ms": max(first), "steady_p99_ms": steady_p99, "times": p99 / steady_p99}


def warmed(log: str) -> Row:
    """What a sidecar's log tells of its warm-up."""
    found = WARM_UP_TOLD.search(log)
    requests = int(found.group(1)) if found else 0
    return {"warm_up_requests": requests, "warm_up_done": requests >= WARM_UP_REQUESTS, "warm_up_told": found.group() if found else "its log tells of none"}


def wait_until_ready(sidecar: sidecars.Sidecar, admin: int) -> None:
    """Raises CouldNotRun."""
    until = time.monotonic() + READY_S
    while time.monotonic() < until and sidecar.alive():
        connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=READY_S)
        try:
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(POLL_S)
    raise CouldNotRun(f"the sidecar did not become ready; it wrote: {' '.join(sidecar.written().split())[-sidecars.LAST_WORDS:]}")


def measure(kind: str, bench: arms.Bench, options: argparse.Namespace, load: java_tools.OpenLoad, hiccups: java_tools.HiccupMeter, own_cores: set[int]) -> Row:
    """One start."""
    arm = arms.image_arm(bench, options.image, options.rate, configuration=CONFIGURATIONS[kind])
    if not arm.start:
        raise CouldNotRun(arm.missing or f"{arm.name} cannot be started")
    file = bench.work / "outcomes"
    began = time.monotonic()
    with cores.kept_to(os.sched_getaffinity(0) | own_cores):
        sidecar = arm.start()
    try:
        wait_until_ready(sidecar, bench.ports.admin)
        ready_ms = 1e3 * (time.monotonic() - began)
        load.begin(bench.ports.front, options.rate, options.connections, 4 * options.connections, file)
        if own_cores:
            cores.move(sidecar.pid, own_cores)
        host = in_windows(hiccups, bench.work / "hiccups.hlog", options.seconds)
        load.end()
        rss_mb = kernel.status(sidecar.pid, "VmRSS")
        log = sidecar.written()
    finally:
        sidecar.stop()
    return {"ready_ms": ready_ms, **told(outcomes.read(file), options.seconds), "rss_mb": rss_mb, **host, **(warmed(log) if kind == WARM else {})}


def in_windows(hiccups: java_tools.HiccupMeter, file: Path, seconds: float) -> Row:
    """Lasts as long as the load that has just begun; what the host did in its first second, and in its steady ones."""
    began, found = time.monotonic(), dict[str, Any]()
    for name, begin, end in (("first", 0.0, LEAD_S + FIRST_S), ("steady", seconds - STEADY_S, seconds)):
        time.sleep(max(0.0, began + begin - time.monotonic()))
        host = Host(hiccups, file)
        time.sleep(max(0.0, began + end - time.monotonic()))
        found.update({f"{name}_{key}": value for key, value in host.end().items()})
    return found


def starts(bench: arms.Bench, options: argparse.Namespace, own_cores: set[int]) -> dict[str, list[Row]]:
    """Of each kind that was asked for, in turn."""
    found: dict[str, list[Row]] = {kind: [] for kind in (COLD, WARM) if kind == COLD or not options.cold}
    with java_tools.OpenLoad(bench.java_home, bench.log) as load, java_tools.HiccupMeter(bench.java_home, bench.log) as hiccups:
        load.begin(bench.ports.backend, options.rate, options.connections, 4 * options.connections, bench.work / "rehearsal")
        time.sleep(REHEARSAL_S)
        load.end()
        for number in range(options.starts):
            for kind, rows in found.items():
                rows.append(measure(kind, bench, options, load, hiccups, own_cores))
                say(f"start {number + 1} of {options.starts}, {kind}: " + "; ".join(f"{rows[-1][figure.key]:.{figure.places}f} {figure.heading}" for figure in FIGURES))
    return found


def judge(found: Mapping[str, Sequence[Row]]) -> tuple[int, str]:
    """The exit status, and a sentence."""
    if failed := sum(row["failed"] for rows in found.values() for row in rows):
        return 1, f"{failed} requests failed"
    times = {kind: statistics.median(row["times"] for row in rows) for kind, rows in found.items()}
    if WARM not in times:
        return 0, f"The first second's p99 is {times[COLD]:.2f} times the steady one's without warm-up, median of the starts; with it nothing was measured."
    text = (f"The first second's p99 is {times[WARM]:.2f} times the steady one's with warm-up (at most {MOST_TIMES:g}), and {times[COLD]:.2f} times without; "
            "medians of the starts")
    # whichever way those would have gone that the host leaves open
    least, most = (statistics.median(either if is_open(row) else row["times"] for row in found[WARM]) for either in (0.0, float("inf")))
    opened = [row for row in found[WARM] if is_open(row)]
    not_done = [row for row in found[WARM] if not row.get("warm_up_done", True)]
    told_of = f" The warm-up of {len(not_done)} of {len(found[WARM])} did not come to its end ({not_done[0]['warm_up_told']})." if not_done else ""
    if least > MOST_TIMES:
        return 1, f"{text}: missed.{told_of}"
    if most <= MOST_TIMES:
        return (2, f"{text}: inconclusive.{told_of}") if not_done else (0, f"{text}: met.")
    return 2, f"{text}: inconclusive, as {len(opened)} of {len(found[WARM])} tell nothing: the host was itself late by up to {max(max(late_ms(row)) for row in opened):.1f} ms.{told_of}"


def late_ms(row: Row) -> tuple[float, float]:
    """p99 of the host's hiccups in the first second and in the steady ones; those of the whole start in a result that knows no others."""
    first, steady = (row.get(f"{window}_hiccup_p99_us", row.get("hiccup_p99_us", 0.0)) / 1e3 for window in ("first", "steady"))
    return first, steady


def is_open(row: Row) -> bool:
    """Whether a start tells nothing: the host was late by too much next to its steady p99, or by what its first second was beyond the bar; or the
    steady seconds were so much slower than the first one that they were not steady."""
    first_ms, steady_ms = late_ms(row)
    above_ms = row["first_p99_ms"] - MOST_TIMES * row["steady_p99_ms"]
    return max(first_ms, steady_ms) > MOST_SHARE * row["steady_p99_ms"] or 0 < above_ms <= first_ms or row["times"] < 1 / MOST_TIMES


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("warm-up", __doc__)
    parser.add_argument("--image", default="i386-client", help="name of a runtime image, host, or a container")
    parser.add_argument("--starts", type=int, default=7, help="number of starts with and without warm-up")
    parser.add_argument("--cold", action="store_true", help="only measure starts without warm-up")
    parser.add_argument("--rate", type=int, default=1000, help="requests per second")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=12, help=f"seconds of load at each start; the last {STEADY_S:g} are the steady ones")
    parser.add_pin()
    parser.add_reports()
    options = parser.parse_args(words)
    if options.seconds < FIRST_S + STEADY_S:
        raise CouldNotRun(f"--seconds: at least {FIRST_S + STEADY_S:g} are needed")
    return options


def run(options: argparse.Namespace) -> int:
    sidecars.require_image(options.image)
    rig_cores, own_cores = cores.parted(options.pin)
    with tempfile.TemporaryDirectory(prefix="warm-up.") as work, cores.kept_to(rig_cores), arms.bench(Path(work), "bundled", 1024) as bench:
        found = starts(bench, options, own_cores)
    status, sentence = judge(found)
    table = spread_table(f"{options.image}, {options.starts} starts of each", {kind: spread.by_figure(rows, FIGURES) for kind, rows in found.items()}, FIGURES)
    directory = new_folder(options.reports, "warm-up")
    (directory / "warm-up.json").write_text(json.dumps({**kernel.when_and_where(),
                                                        "options": described(options), "status": status, "told": sentence, "starts": found}, indent=1))
    (directory / "warm-up.md").write_text(f"{table}\n\n{sentence}\n")
    print(f"{table}\n\n{sentence}")
    return status


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("warm-up", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

"""Measures the memory, CPU usage and latency of the sidecar by rate, from the JVM's defaults to the smallest runtime image.

The sidecar is restarted for each rate, with the profile that the launcher selects. If a rate was missed by more than 1 %, it is marked, and the series of
that variant ends in this round. Latencies are measured by the sidecar itself (/latency.hlog). There are no latencies for rate 0 and for missed rates.

Exit status: 0, 1 if a request failed, 3 if it could not run.
"""
import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun, DidNotEnd
from ..load.java_tools import HiccupMeter, LoadSession
from ..results.rate_chart import RateChart
from ..runs import LEAD_S, Host, Load, Window, failure_of, fixed_rate, require_none_failed

NAMES = (arms.FINAGLE_BEFORE, "compact3-amd64-finagle", "compact3-386-finagle", arms.BEFORE, "amd64-c1", "compact3-amd64", "i386-client")
RATES = "0,10,100,1000,5000,10000"


def arm_at(name: str, bench: arms.Bench, rate: int) -> arms.Arm:
    """The arm for a rate: its profile hangs on it."""
    return arms.before_arm(bench, name) if name in (arms.FINAGLE_BEFORE, arms.BEFORE) else arms.image_arm(bench, name, rate)


def measure(arm: arms.Arm, bench: arms.Bench, load: Load, session: LoadSession, hiccups: HiccupMeter) -> dict[str, Any]:
    """A row of figures of one run. Raises RequestsFailed."""
    with arms.running(arm, bench.ports, charged=True) as system:
        if load.rate == 0:
            return at_rest(system, bench, load, hiccups)
        row = fixed_rate(system, bench, load, session, hiccups)
        # after the memory, because the questions load classes
        return row if row["rate_missed"] else {**row, **own_latencies(load, session)}


def at_rest(system: arms.Running, bench: arms.Bench, load: Load, hiccups: HiccupMeter) -> dict[str, Any]:
    """With no request but the one that found it ready."""
    time.sleep(load.warmup)
    host = Host(hiccups, bench.work / "hiccups.hlog")
    window = Window(system.cpu_seconds, bench.ports.backend)
    time.sleep(load.seconds)
    window.end()
    return {**host.end(), "rate_rps": 0.0, "rate_missed": False, "cpu_share": window.cpu_s / window.seconds, **system.memory()}


def own_latencies(load: Load, session: LoadSession) -> dict[str, Any]:
    """The sidecar's own latencies, over a second window as long as the first."""
    session.begin(load.rate, load.connections, 1, load.seconds)
    time.sleep(LEAD_S + 1)
    session.begin_interval()
    require_none_failed(session.answer()["failed"])
    session.end_interval()
    told = session.latencies()
    return {"own_requests": told["requests"], **{f"own_{key}": told[key] for key in ("p50_us", "p99_us", "p999_us", "max_us")}}


def rounds(bench: arms.Bench, options: argparse.Namespace, told: RateChart, save: Callable[[], None]) -> None:
    rates = [int(word) for word in options.rates.split(",")]
    there = []
    for name in options.only.split(","):
        arm = arm_at(name, bench, rates[0])
        if arm.missing:
            told.left_out[name] = arm.missing
            say(f"left out: {arm.missing}")
        else:
            there.append(name)
    with LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session, \
            HiccupMeter(bench.java_home, bench.log) as hiccups:
        session.prepare(lambda: session.run(1000, options.connections, 1, max(1, options.warmup / 2), port=bench.ports.backend))
        for number in range(options.rounds):
            ended: set[str] = set()
            for rate, name in ((rate, name) for rate in rates for name in there):
                if name in ended:
                    continue
                load = Load(rate, options.connections, options.warmup, options.seconds)
                try:
                    session.revive()
                    row = measure(arm_at(name, bench, rate), bench, load, session, hiccups)
                except DidNotEnd as why:
                    ended.add(name)
                    told.fail(number, f"{name} at {rate}", str(why))
                    say(f"round {number + 1} of {options.rounds}, arm {name} at {rate}: {why}")
                    continue
                if row["rate_missed"]:
                    ended.add(name)
                told.add({"arm": name, "rate": rate, "round": number + 1, **row})
                say(f"round {number + 1} of {options.rounds}, {name} at {rate}: {told.line(row)}")
                save()


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("chart", __doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rates", default=RATES, help="increasing requests per second, separated by commas")
    parser.add_argument("--only", default=",".join(NAMES), help="variants, separated by commas: before, or names of runtime images")
    parser.add_argument("--connections", type=int, default=16)
    arms.add_backend_arguments(parser)
    parser.add_argument("--warmup", type=float, default=8, help="seconds")
    parser.add_argument("--seconds", type=float, default=8, help="seconds for memory and CPU, and the same time for latencies")
    parser.add_argument("--publish", type=Path, help="also copy the charts to this directory, such as docs/measurements")
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    directory = new_folder(options.reports, "chart")
    told = RateChart(described(options))
    with tempfile.TemporaryDirectory(prefix="chart.") as work, \
            arms.bench(Path(work), options.backend, options.body) as bench:
        told.failure = failure_of(lambda: rounds(bench, options, told, lambda: told.save(directory)))
        if not told.rows:
            raise CouldNotRun("nothing was measured: " + "; ".join(told.left_out.values()))
        told.finish(directory)
        print(told.markdown())
    if options.publish and not told.failure:
        told.publish(directory, options.publish)
    print(f"{directory}/footprint.svg, .png, .csv, .md", file=sys.stderr)
    return 1 if told.failure or told.failed_arms else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("chart", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

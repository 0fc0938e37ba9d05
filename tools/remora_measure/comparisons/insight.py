"""Measures what looking inside a sidecar costs at a fixed rate: an open dashboard, a CPU profile, a watch of long turns, and flight recordings.

Each round starts a sidecar for each observer. Windows without and with the observer alternate in this process, as each JVM compiles its code differently. A
window with the observer is compared with the mean of those before and after it, so that a machine whose speed changes affects both alike. The report shows the
median and the range over all windows.

The observers are dashboard, profile (100 samples per second of CPU time), long-turns (of 50 ms), and recording-remora, recording-default and
recording-profile, which need an image with the flight recorder. The observer nothing shows the accuracy of the measurement. A missed target does not change
the exit status.

Exit status: 0, 1 if a request or an observer failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import http.client
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, spread
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun, RequestsFailed
from ..load import java_tools
from ..machine import children, kernel
from ..markdown import aligned_table
from ..runs import LEAD_S, Window, failure_of, own_percentiles, require_none_failed

CONFIGURATION = "remora-insight.yaml"
# Time for an observer to begin, and for a load to reach its rate.
BEGIN_S = 1.5
SETTINGS = ("remora", "default", "profile")
CPU, PRIVATE, RSS, P99, P999 = "cpu_us", "private_mb", "rss_mb", "p99_us", "p999_us"
ADDED_CPU, ADDED_PRIVATE, ADDED_RSS = "added_cpu_percent", "added_private_mb", "added_rss_mb"


@contextlib.contextmanager
def nothing(_admin: int, _seconds: float, _work: Path) -> Iterator[None]:
    yield


@contextlib.contextmanager
def dashboard(admin: int, _seconds: float, work: Path) -> Iterator[None]:
    """One viewer, whose events have to come."""
    with curl(work, "--max-time", "600", f"http://127.0.0.1:{admin}/dashboard/events") as viewer:
        yield
        if viewer.poll() is not None:
            raise RequestsFailed(f"the dashboard ended with status {viewer.returncode}")


@contextlib.contextmanager
def profile(admin: int, seconds: float, work: Path) -> Iterator[None]:
    """A CPU profile that is longer than the window, and has to be whole."""
    with curl(work, "--request", "POST", f"http://127.0.0.1:{admin}/profile?seconds={int(seconds) + 1}") as taken:
        yield
        children.finish(taken, seconds, "profile")
        if taken.returncode or not (work / "observed").stat().st_size:
            raise RequestsFailed(f"the profile ended with status {taken.returncode}")


@contextlib.contextmanager
def long_turns(admin: int, seconds: float, work: Path) -> Iterator[None]:
    """A watch of the event loops that is longer than the window, and has to come to its end."""
    with curl(work, "--request", "POST", f"http://127.0.0.1:{admin}/long-turns?duration={int(seconds) + 1}s") as watched:
        yield
        children.finish(watched, seconds, "long-turns")
        if watched.returncode or " of 50ms or more in " not in (work / "observed").read_text():
            raise RequestsFailed(f"the watch of long turns ended with status {watched.returncode}")


@contextlib.contextmanager
def curl(work: Path, *words: str) -> Iterator[Any]:
    process = children.start(["curl", "--silent", "--fail", "--no-buffer", "--output", work / "observed", *words])
    try:
        yield process
    finally:
        children.kill(process)


def recording(settings: str) -> Callable[..., Any]:
    @contextlib.contextmanager
    def recorded(admin: int, _seconds: float, _work: Path) -> Iterator[None]:
        post(admin, f"/recording/start?settings={settings}")
        yield
        post(admin, "/recording/discard")

    return recorded


def post(admin: int, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=30)
    with contextlib.closing(connection):
        connection.request("POST", path)
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    if response.status != 200:
        raise RequestsFailed(f"{path}: {response.status} {text.strip()}")


OBSERVERS: Mapping[str, Callable[..., Any]] = {
    "nothing": nothing, "dashboard": dashboard, "profile": profile, "long-turns": long_turns, **{f"recording-{name}": recording(name) for name in SETTINGS}}


class Windows:
    """Windows of one sidecar, without and with an observer in turn. Owner: one thread."""

    def __init__(self, system: arms.Running, bench: arms.Bench, options: argparse.Namespace, session: java_tools.LoadSession) -> None:
        self.system, self.bench, self.options, self.session = system, bench, options, session

    def one(self, observer: Callable[..., Any]) -> dict[str, Any]:
        """A row of figures of one window. Raises RequestsFailed and DidNotEnd."""
        options, bench = self.options, self.bench
        lasts = BEGIN_S + options.seconds + 2 * LEAD_S
        self.session.begin(options.rate, options.connections, BEGIN_S, options.seconds + 2 * LEAD_S)
        with observer(bench.ports.admin, lasts, bench.work):
            time.sleep(BEGIN_S)
            self.session.begin_interval()
            window = Window(self.system.cpu_seconds, bench.ports.backend)
            time.sleep(options.seconds)
            window.end()
            self.session.end_interval()
            rollup = kernel.rollup(self.system.sidecar.pid)
            row = {CPU: window.cpu_us(), PRIVATE: kernel.private(rollup) if rollup else None, RSS: self.system.sum_mb("VmRSS")}
        require_none_failed(self.session.answer()["failed"])
        return {**row, **own_percentiles("", self.session)}

    def pairs(self, observer: Callable[..., Any]) -> list[dict[str, Any]]:
        """Rows of windows with the observer, each with what it adds to the mean of its neighbours."""
        rows, before = [], self.one(nothing)
        for _ in range(self.options.blocks):
            with_it, after = self.one(observer), self.one(nothing)
            rows.append({**with_it, **added(before, with_it, after), "without_p99_us": after.get(P99), "without_p999_us": after.get(P999)})
            before = after
        return rows


def added(before: Mapping[str, Any], with_it: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, float]:
    """What a window has more than the mean of the one before and the one after it; figures that one of them lacks are left out."""
    def without(key: str) -> float | None:
        return (before[key] + after[key]) / 2 if None not in (before[key], after[key], with_it[key]) else None

    found = {}
    if cpu := without(CPU):
        found[ADDED_CPU] = 100 * (with_it[CPU] / cpu - 1)
    for key, name in ((PRIVATE, ADDED_PRIVATE), (RSS, ADDED_RSS)):
        if (mean := without(key)) is not None:
            found[name] = with_it[key] - mean
    return found


def measure(name: str, bench: arms.Bench, options: argparse.Namespace, session: java_tools.LoadSession) -> list[dict[str, Any]]:
    """The rows of one round, in which the sidecar starts again. Raises RequestsFailed and DidNotEnd."""
    with arms.running(arms.image_arm(bench, options.image, options.rate, configuration=CONFIGURATION), bench.ports) as system:
        session.run(options.rate, options.connections, options.warmup / 2, options.warmup / 2)
        # the code of the observer is loaded, and its first use is in no window
        windows = Windows(system, bench, options, session)
        windows.one(OBSERVERS[name])
        return windows.pairs(OBSERVERS[name])


FIGURES = (spread.Figure(CPU, "CPU a request, us", 0), spread.Figure(ADDED_CPU, "added CPU, %", 1), spread.Figure(ADDED_PRIVATE, "added private, MB", 2),
           spread.Figure(ADDED_RSS, "added RSS, MB", 2), spread.Figure(P99, "p99, us", 0), spread.Figure("without_p99_us", "p99 without, us", 0),
           spread.Figure(P999, "p999, us", 0), spread.Figure("without_p999_us", "p999 without, us", 0))


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    lines = []
    for name, rows in found.items():
        spreads = spread.by_figure(rows, FIGURES)
        lines.append([name, *(spreads[figure.key].text(figure.places) if figure.key in spreads else "" for figure in FIGURES)])
    return aligned_table(["observer", *(figure.heading for figure in FIGURES)], lines)


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what insight", __doc__)
    parser.add_load(3)
    arms.add_backend_arguments(parser)
    parser.add_argument("--image", default="i386-client")
    parser.add_argument("--only", default="nothing,dashboard,profile", help="observers, separated by commas")
    parser.add_argument("--warmup", type=float, default=20, help="seconds of load before the first window")
    parser.add_argument("--blocks", type=int, default=4, help="windows with the observer in each round")
    parser.add_argument("--seconds", type=float, default=10, help="seconds of each window")
    parser.add_reports()
    return parser.parse(words)


def run(options: argparse.Namespace) -> int:
    names = options.only.split(",")
    if unknown := set(names) - set(OBSERVERS):
        raise CouldNotRun(f"there is no observer {', '.join(sorted(unknown))}; there are {', '.join(OBSERVERS)}")
    if not shutil.which("curl"):
        raise CouldNotRun("no curl, which looks at the sidecar: apt-get install curl")
    directory = new_folder(options.reports, "insight")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}

    def rounds(bench: arms.Bench, session: java_tools.LoadSession) -> None:
        for number in range(1, options.rounds + 1):
            for name in names:
                found[name] += measure(name, bench, options, session)
                say(f"{name}, round {number} of {options.rounds}: {json.dumps(found[name][-1])}")

    with tempfile.TemporaryDirectory(prefix="insight.") as work, arms.bench(Path(work), options.backend, options.body) as bench, \
            java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
        session.prepare(lambda: session.run(options.rate, options.connections, 1, 5, port=bench.ports.backend))
        stopped = failure_of(lambda: rounds(bench, session))
    result = {**kernel.when_and_where(), "options": described(options), "stopped": stopped, "rows": found}
    (directory / "insight.json").write_text(json.dumps(result, indent=1))
    text = table(found)
    (directory / "insight.md").write_text(text + "\n")
    print(text)
    return 1 if stopped else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare", lambda: run(read_arguments(words)))

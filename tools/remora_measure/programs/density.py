"""Measures a herd of sidecars of one image on this machine: start, CPU at rest, memory under light traffic, and what they share.

A second herd runs without the CDS archive (-Xshare:off), which tells what the archive is worth: what it saves by being shared, and
what it takes. Sharing is RSS less PSS: pages that several processes have count once for each in RSS, and by their share in PSS.

Exit status: 0, 1 when a request failed or the herd at rest took too much CPU, 3 when it could not run.
"""
import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms
from ..command_line import Parser, end_with, new_folder
from ..errors import RequestsFailed
from ..load import java_tools
from ..machine import kernel
from ..results.density import markdown, too_busy
from ..runs import require_none_failed
from ..systems import sidecars
from ..systems.herd import Herd

# Longer than the idle timeout of peers/herd.yaml.
SETTLE_S = 5
ARMS = {"with the CDS archive": "", "without it": "-Xshare:off"}


def measure(bench: arms.Bench, options: argparse.Namespace, java_options: str) -> dict[str, Any]:
    """The figures of one herd. Raises RequestsFailed."""
    herd = Herd(options.image, options.n, bench.work, bench.ports.backend, bench.java_home, java_options)
    try:
        time.sleep(SETTLE_S)
        idle = herd.cpu_percents(options.idle)
        with herd.connected():
            time.sleep(SETTLE_S)
            connected = herd.cpu_percents(options.idle)
        with java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
            session.tell("herd", "/body", options.rate, options.warmup, options.seconds, *herd.fronts())
            time.sleep(options.warmup + 0.3)
            light = herd.cpu_percents(max(0.5, options.seconds - 1))
            memory = herd.memory()
            answer = session.answer()
        require_none_failed(answer["failed"])
        percents = {"idle_cpu_percent": idle, "connected_cpu_percent": connected, "light_cpu_percent": light}
        return {"start": herd.starts(), **{key: {"mean": statistics.fmean(each), "most": max(each)} for key, each in percents.items()},
                "requests": answer["requests"], **{f"client_{key}": answer[key] for key in ("p50_us", "p99_us")}, **memory}
    finally:
        herd.stop()


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("density", __doc__)
    parser.add_argument("n", type=int, nargs="?", default=50, help="how many sidecars")
    parser.add_argument("--image", default="i386-client", help="a runtime image, or host")
    parser.add_argument("--rate", type=float, default=1, help="requests a second to each")
    arms.add_backend_arguments(parser)
    parser.add_argument("--idle", type=float, default=20, help="seconds at rest")
    parser.add_argument("--warmup", type=float, default=10, help="seconds of traffic before the window")
    parser.add_argument("--seconds", type=float, default=20, help="seconds of light traffic")
    parser.add_argument("--no-archive-arm", dest="archive_arm", action="store_false", help="leave out the herd without the CDS archive")
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    sidecars.require_image(options.image)
    result: dict[str, Any] = {
        **kernel.when_and_where(), "n": options.n,
        "image": options.image, "rate_each": options.rate, "failure": None, "herds": {}}
    with tempfile.TemporaryDirectory(prefix="density.") as work, \
            arms.bench(Path(work), options.backend, options.body) as bench, contextlib.suppress(RequestsFailed):
        for name, java_options in list(ARMS.items())[: 2 if options.archive_arm else 1]:
            print(f"{options.n} sidecars of {options.image}, {name}", file=sys.stderr)
            try:
                result["herds"][name] = measure(bench, options, java_options)
            except RequestsFailed as failed:
                result["failure"] = str(failed)
                raise
    directory = new_folder(options.reports, "density")
    (directory / "density.json").write_text(json.dumps(result, indent=1))
    (directory / "density.md").write_text(markdown(result))
    print(markdown(result))
    print(f"{directory}/density.md, density.json", file=sys.stderr)
    return 1 if result["failure"] or too_busy(result) else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("density", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

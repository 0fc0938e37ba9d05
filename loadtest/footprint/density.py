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
from pathlib import Path

from . import arms, kernel, processes, sidecars, spread, tools
from .conformance import guarded
from .herd import Herd
from .mappings import KINDS
from .measured import Failed, require_none_failed
from .plan import Parser

IDLE_CPU_PERCENT = 0.1
# Longer than the idle timeout of peers/herd.yaml.
SETTLE_S = 5
CPU = {"idle_cpu_percent": "at rest", "connected_cpu_percent": "with an idle connection", "light_cpu_percent": "in light traffic"}
ARMS = {"with the CDS archive": "", "without it": "-Xshare:off"}


def measure(bench, options, java_options):
    """The figures of one herd. Raises Failed."""
    herd = Herd(options.image, options.n, bench, java_options)
    try:
        time.sleep(SETTLE_S)
        idle = herd.cpu_percents(options.idle)
        with herd.connected():
            time.sleep(SETTLE_S)
            connected = herd.cpu_percents(options.idle)
        with tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
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


def lines(count, found):
    """The headline figures of one herd, as (name, text)."""
    whole, start = found["mappings"]["all"], found["start"]
    return [
        ("start: first, median, all, s", f"{start['first_s']:.2f}, {start['median_s']:.2f}, {start['all_s']:.2f}"),
        *((f"CPU {when}: mean, most, % of a core", f"{found[key]['mean']:.3f}, {found[key]['most']:.3f}") for key, when in CPU.items()),
        ("RSS: all, each, MB", f"{whole['rss_mb']:,.0f}, {whole['rss_mb'] / count:.1f}"),
        ("PSS: all, each, MB", f"{whole['pss_mb']:,.0f}, {whole['pss_mb'] / count:.1f}"),
        ("anonymous, file-backed RSS: each, MB",
         f"{whole['anon_mb'] / count:.1f}, {(whole['rss_mb'] - whole['anon_mb']) / count:.1f}"),
        ("highest peak RSS of one, MB", f"{found['peak_rss_mb']:.1f}"),
        ("saved by sharing: each, MB", f"{whole['saved_mb'] / count:.1f}"),
    ]


def markdown(result):
    count, herds, machine = result["n"], result["herds"], result["machine"]
    head = (f"{count} sidecars of image {result['image']}, {result['rate_each']:g} requests a second each; {machine['cpu']}, "
            f"{machine['cores']} cores, {machine['memory_gib']} GiB, Linux {machine['kernel']}; {result['at'][:10]}")
    columns = [lines(count, found) for found in herds.values()]
    headline = spread.table(["the herd", *herds], [[row[0][0], *(cell[1] for cell in row)] for row in zip(*columns)])
    parts = [head, headline]
    for name, found in herds.items():
        rows = [[kind, *(f"{found['mappings'][kind][key] / count:.1f}" for key in ("rss_mb", "pss_mb", "anon_mb", "saved_mb"))]
                for kind in (*KINDS, "all")]
        parts.append(spread.table([f"MB a sidecar, {name}", "RSS", "PSS", "of RSS written to", "saved by sharing"], rows))
    return "\n\n".join(parts + [verdict(result)]) + "\n"


def too_busy(result):
    """The names of the rests of the first herd that took more CPU than the bar."""
    first = next(iter(result["herds"].values()), {})
    return [CPU[key] for key in ("idle_cpu_percent", "connected_cpu_percent") if first and first[key]["most"] > IDLE_CPU_PERCENT]


def verdict(result):
    if result["failure"]:
        return f"**Stopped, and not to be trusted: {result['failure']}.**"
    busy = too_busy(result)
    return f"CPU without traffic, at most {IDLE_CPU_PERCENT} % of a core each: {'fail, ' + ' and '.join(busy) if busy else 'pass'}"


def read_arguments(words=None):
    parser = Parser(prog="density", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=50, help="how many sidecars")
    parser.add_argument("--image", default="i386-client", help="a runtime image, or host")
    parser.add_argument("--rate", type=float, default=1, help="requests a second to each")
    arms.add_backend_arguments(parser)
    parser.add_argument("--idle", type=float, default=20, help="seconds at rest")
    parser.add_argument("--warmup", type=float, default=10, help="seconds of traffic before the window")
    parser.add_argument("--seconds", type=float, default=20, help="seconds of light traffic")
    parser.add_argument("--no-archive-arm", dest="archive_arm", action="store_false", help="leave out the herd without the CDS archive")
    parser.add_argument("--reports", type=Path, default=processes.LOADTEST / "reports", help="the folder below which results are written")
    return parser.parse_args(words)


def run(options):
    sidecars.require_image(options.image)
    directory = options.reports / time.strftime("density-%Y%m%d-%H%M%S")
    result = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": kernel.describe_machine(), "n": options.n,
              "image": options.image, "rate_each": options.rate, "failure": None, "herds": {}}
    with tempfile.TemporaryDirectory(prefix="density.") as work, arms.bench(Path(work), options) as bench, contextlib.suppress(Failed):
        for name, java_options in list(ARMS.items())[: 2 if options.archive_arm else 1]:
            print(f"{options.n} sidecars of {options.image}, {name}", file=sys.stderr)
            try:
                result["herds"][name] = measure(bench, options, java_options)
            except Failed as failed:
                result["failure"] = str(failed)
                raise
    directory.mkdir(parents=True)
    (directory / "density.json").write_text(json.dumps(result, indent=1))
    (directory / "density.md").write_text(markdown(result))
    print(markdown(result))
    print(f"{directory}/density.md, density.json", file=sys.stderr)
    return 1 if result["failure"] or too_busy(result) else 0


def main(words=None):
    guarded("density", lambda: run(read_arguments(words)))

"""Measures a group of sidecars of one image on this machine: startup, CPU usage at rest, memory under light traffic, shared memory, and the marginal cost.

A second group runs without the CDS archive (-Xshare:off), which shows how much the archive saves by being shared, and how much it uses. After that, groups
of Envoy and HAProxy are started. The shared memory is RSS minus PSS. Pages that several processes map are counted once for each process in RSS, and by their
share in PSS. The marginal cost is the decrease of MemAvailable per sidecar, after each has served its requests and is idle. It needs root, because the
kernel's file cache is dropped before each group is started. With --keep-caches, the marginal cost is omitted.

Exit status: 0, 1 if a request failed or the idle group used too much CPU, 3 if it could not run.
"""
import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, herd_runs
from ..command_line import Parser, end_with, new_folder
from ..errors import DidNotEnd, RequestsFailed
from ..load import java_tools
from ..machine import cgroups, kernel
from ..results.density import markdown, too_busy
from ..runs import require_none_failed
from ..systems import peers, sidecars
from ..systems.herd import Herd, Start, of_image, of_peer

# Longer than the idle timeout of peers/herd.yaml.
SETTLE_S = 5
ARMS = {"with the CDS archive": "", "without it": "-Xshare:off"}
PEERS = ("envoy", "haproxy")


def measure(bench: arms.Bench, options: argparse.Namespace, start: Start) -> dict[str, Any]:
    """The figures of one herd. Raises RequestsFailed."""
    return herd_runs.measure(bench, start, options.n, options.requests, options.rest, lambda herd, session: in_light_traffic(herd, session, options),
                             options.keep_caches)


def in_light_traffic(herd: Herd, session: java_tools.LoadSession, options: argparse.Namespace) -> dict[str, Any]:
    """Start, CPU at rest, and memory in light traffic. Raises RequestsFailed."""
    time.sleep(SETTLE_S)
    idle = herd.cpu_percents(options.idle)
    with herd.connected():
        time.sleep(SETTLE_S)
        connected = herd.cpu_percents(options.idle)
    session.begin_herd(options.rate, options.warmup, options.seconds, herd.fronts())
    time.sleep(options.warmup + 0.3)
    light = herd.cpu_percents(max(0.5, options.seconds - 1))
    memory = {**herd.memory(), "paid": herd.paid_mb()}
    answer = session.answer()
    require_none_failed(answer["failed"])
    percents = {"idle_cpu_percent": idle, "connected_cpu_percent": connected, "light_cpu_percent": light}
    return {"start": herd.starts(), **{key: {"mean": statistics.fmean(each), "most": max(each)} for key, each in percents.items()},
            "requests": answer["requests"], **{f"client_{key}": answer[key] for key in ("p50_us", "p99_us")}, **memory}


def herds(bench: arms.Bench, options: argparse.Namespace, left_out: dict[str, str]) -> dict[str, Start]:
    """Herds by name; left_out receives why others cannot run."""
    found = {name: of_image(options.image, bench.java_home, java_options) for name, java_options in list(ARMS.items())[: 2 if options.archive_arm else 1]}
    for peer in peers.PEERS:
        if options.peers and peer.name in PEERS:
            if program := peers.program(peer.name, options.envoy):
                found[peer.name] = of_peer(peer, program)
            else:
                left_out[peer.name] = f"{peer.name} is not installed: {peer.install}"
    return found


def measure_each(bench: arms.Bench, options: argparse.Namespace, herds: Mapping[str, Start], result: dict[str, Any]) -> None:
    """Fills a result, whose failure names each herd that failed: one that does not end is followed by the next one, a failed request ends the measurement."""
    for name, start in herds.items():
        print(f"{options.n} sidecars, {name if name in PEERS else f'{options.image} {name}'}", file=sys.stderr)
        try:
            result["herds"][name] = measure(bench, options, start)
        except (DidNotEnd, RequestsFailed) as failed:
            result["failure"] = "; ".join(filter(None, (result["failure"], f"{name}: {failed}")))
            if isinstance(failed, RequestsFailed):
                return


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("density", __doc__)
    parser.add_argument("n", type=int, nargs="?", default=50, help="number of sidecars")
    parser.add_argument("--image", default="i386-client", help="name of a runtime image, or host")
    parser.add_argument("--rate", type=float, default=1, help="requests per second to each sidecar")
    arms.add_backend_arguments(parser)
    parser.add_argument("--idle", type=float, default=20, help="seconds without traffic")
    parser.add_argument("--warmup", type=float, default=10, help="seconds of traffic before the window")
    parser.add_argument("--seconds", type=float, default=20, help="seconds of light traffic")
    parser.add_argument("--no-archive-arm", dest="archive_arm", action="store_false", help="omit the group without the CDS archive")
    parser.add_argument("--requests", type=int, default=2000, help="number of requests that each sidecar serves before it is idle")
    parser.add_argument("--rest", type=float, default=10, help="idle seconds before the marginal cost is measured")
    parser.add_argument("--keep-caches", action="store_true", help="do not drop the kernel's file cache, and omit the marginal cost")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="omit the groups of Envoy and HAProxy")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    sidecars.require_image(options.image)
    result: dict[str, Any] = {
        **kernel.when_and_where(), "n": options.n,
        "image": options.image, "rate_each": options.rate, "requests_each": options.requests, "rest_s": options.rest, "keep_caches": options.keep_caches,
        "swap": "off" if cgroups.machine_has_no_swap() else "on", "versions": peers.versions(PEERS, options.envoy) if options.peers else {},
        "left_out": {}, "failure": None, "herds": {}}
    with tempfile.TemporaryDirectory(prefix="density.") as work, \
            arms.bench(Path(work), options.backend, options.body) as bench:
        measure_each(bench, options, herds(bench, options, result["left_out"]), result)
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

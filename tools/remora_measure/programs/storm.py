"""Runs storms against a proxy under a memory limit. Each storm consists of many clients, first one kind at a time and then all together, and a canary client.

The proxy runs in a separate cgroup, so that only its memory counts. The clients and the backend run outside. The proxy must never be killed or run out of
memory, and must use at most 95 % of the limit. Nine canary requests in ten must receive a response within a second (200, or 503 during the storm), and 200
must be received within two seconds after the storm. Collections may take at most a fifth of the time, and 99 in 100 timers may be at most half a second late.
--give-back also shows how much memory is left after a burst. With --tls, all clients including the canary use TLS, with a separate handshake each. With --h2,
they use HTTP/2, with one stream on each connection. With --other-client, the canary uses another address than the crowds. With --own-core, the crowds do not share cores with the proxy. With --container, the container engine's limit replaces the cgroup. With --hostile, different kinds of hostile peers are tested, from peers that never finish a
head to invented hosts. Each of them connects to a sidecar under the lowest limit of each JVM profile, which must never exit. The canary uses another address
and sends twenty requests a second.

Exit status: 0, 1 if the limit was exceeded, which no other load on the machine excuses, 2 if only time targets were missed, 3 if it could not run. The
program needs root to create the cgroup, except for containers.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import hostile_runs, storms
from ..charts import drawing, run_charts
from ..command_line import Parser, end_with, new_folder, say
from ..errors import CouldNotRun
from ..machine import cores, kernel, processes
from ..markdown import aligned_table
from ..storms import Front
from ..systems import certificates, sidecars
from ..systems.configurations import Ports, write_config, write_configs
from . import hostile

TOGETHER = "all together"
CROWDS = {
    "900 slow readers": [("slow-readers", 900)],
    "2,000 slow readers": [("slow-readers", 2000)],
    "5,000 slow readers": [("slow-readers", 5000)],
    "2,000 slow posts": [("slow-posts", 2000)],
    "10,000 idle": [("idle", 10000)],
    "5,000 slow heads": [("slow-heads", 5000)],
    "64 at full speed": [("full-speed", 64)],
    TOGETHER: [("slow-readers", 2000), ("slow-posts", 2000), ("idle", 5000), ("slow-heads", 2000), ("full-speed", 64)],
}
SHORT = {"storm": [("slow-readers", 900), ("slow-posts", 300), ("idle", 3000), ("slow-heads", 500), ("full-speed", 8)]}
SECONDS, SHORT_SECONDS = 120.0, 20.0
# The profile whose limit is the least one.
PROFILE = "rps-1000"
# Each over after BURST_S; what is left of it is looked at storms.GIVEN_BACK_S later.
BURSTS = {"10,000 connections": [("idle", 10000)], "slow readers of large bodies": [("slow-readers", 2000)]}
BURST_S = 20
# Addresses of the crowds, and of a canary that is another client.
CLIENT, OTHER_CLIENT = "127.0.0.1", "127.0.0.2"
WITH_FINAGLE = f"-{sidecars.FINAGLE}"
# The runtime images of which container images are made.
CONTAINER_OF = {"i386-client": "i386", "compact3-amd64": "compact3", **{name: name for name in sidecars.CONTAINERS}}


def draw_bursts(name: str, of_proxy: Sequence[dict[str, Any]], directory: Path) -> None:
    """RSS over time, a line for each burst under each limit, as give-back-NAME.svg and .png."""
    curves = {f"{key}, {one['limit'] / 1e6:.0f} MB allowed": one[key]["curve"] for one in of_proxy for key in BURSTS if key in one}
    chart = run_charts.timed(f"RSS of {name}: a burst of {BURST_S} s, and the minute after it", "MB", curves, "from the beginning of the burst")
    if chart:
        drawing.draw_if_possible({f"give-back-{name}": chart}, directory)


def title(name: str, limit: int, over_tls: bool = False, over_http2: bool = False, other_client: bool = False, own_core: bool = False) -> str:
    """Name of a published row: a proxy under a limit, which may have several. A row over TLS or HTTP/2, with another canary, or with a separate core is a different one."""
    name = (sidecars.CONTAINERS.get(name, name) + (", TLS" if over_tls else "") + (", HTTP/2" if over_http2 else "") +
            (", another client" if other_client else "") + (", own core" if own_core else ""))
    return f"{name}, {limit >> 20} MiB" if limit % (1 << 20) == 0 else f"{name}, {limit / 1e6:.2f} MB"


def size(text: str) -> int:
    number, unit = text.rstrip("kKmMgG"), text[-1:].lower()
    try:
        return int(number) << {"k": 10, "m": 20, "g": 30}.get(unit, 0)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(f"{text}: a size such as 64m is needed") from wrong


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("storm", __doc__)
    parser.add_argument("--image", default="i386-client", help="names of runtime images, host, envoy or haproxy, separated by commas")
    parser.add_argument("--memory", type=size, default=size("64m"), help="memory limit")
    parser.add_argument("--memories", help="memory limits instead of --memory, separated by commas: one for each image, or several for one image")
    parser.add_argument("--least", action="store_true", help=f"use the limit of the {PROFILE} profile of each image, or the least above it that its configuration needs")
    parser.add_argument("--container", action="store_true", help="test the container of that name, i386 or compact3, under the Docker engine's limit")
    parser.add_argument("--seconds", type=float, help=f"seconds of each storm (default: {SECONDS:g})")
    parser.add_argument("--together-seconds", type=float, help=f"seconds of the storm {TOGETHER} (default: same as the others)")
    parser.add_argument("--short", action="store_true", help=f"run a single storm of all kinds, for {SHORT_SECONDS:g} s unless --seconds is given")
    parser.add_argument("--tls", action="store_true", help="use clients with TLS; for sidecars only")
    parser.add_argument("--h2", action="store_true", help="use HTTP/2 clients; for sidecars only")
    parser.add_argument("--other-client", action="store_true", help="have the canary use another address than the crowds, so that it is another client")
    parser.add_argument("--own-core", action="store_true",
                        help="give the proxy a separate core, as compare does: otherwise the crowds' own TLS takes most of the CPU time")
    parser.add_argument("--only", choices=CROWDS, metavar="STORM", help=f"one of {'; '.join(CROWDS)}")
    parser.add_argument("--give-back", action="store_true", help="run bursts, and measure the remaining memory after a minute")
    hostile.add_options(parser)
    parser.add_reports()
    options = parser.parse_args(words)
    if (options.kind or options.profile) and not options.hostile:
        raise CouldNotRun("--kind and --profile are of --hostile")
    if options.own_core and options.hostile:
        raise CouldNotRun("--own-core is for storms only")
    options.seconds = options.seconds or (hostile.SECONDS if options.hostile else SHORT_SECONDS if options.short else SECONDS)
    return options


def measured_image(name: str) -> str:
    """The runtime image by which a profile was measured: that of a container, whichever library for TLS it has."""
    name = name.removesuffix(sidecars.WITH_OPENSSL)
    base = name.removesuffix(WITH_FINAGLE)
    return next((image for image, container in CONTAINER_OF.items() if container == base), base) + name.removeprefix(base)


def least(name: str, options: argparse.Namespace) -> int:
    """The least limit of a sidecar: that of its profile, or more where TLS or HTTP/2 needs more. Raises CouldNotRun."""
    limit = next(profile.limit for profile in hostile_runs.profiles(measured_image(name)) if profile.name == PROFILE)
    with prepared(options) as (work, ports, front):
        return storms.least_limit(name, limit, work, ports, front)


def seconds_of(key: str, options: argparse.Namespace) -> float:
    """How long a storm or a burst lasts."""
    if options.give_back:
        return BURST_S
    return options.together_seconds or options.seconds if key == TOGETHER else options.seconds


def pairs(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Each proxy with each of its limits. Raises CouldNotRun where they do not pair."""
    names = options.image.split(",")
    limits = [size(one) for one in options.memories.split(",")] if options.memories else [options.memory] * len(names)
    if options.container:
        if unknown := [name for name in names if name not in CONTAINER_OF]:
            raise CouldNotRun(f"there is no container of {', '.join(unknown)}; there are {', '.join(CONTAINER_OF)}")
        names = [CONTAINER_OF[name] for name in names]
    if len(names) == 1:
        names *= len(limits)
    if len(names) != len(limits):
        raise CouldNotRun(f"{len(names)} images and {len(limits)} limits: a limit for each image is needed, or one image")
    if len(set(zip(names, limits))) < len(names):
        raise CouldNotRun("an image and a limit are asked for twice")
    return list(zip(names, limits))


def measure(name: str, limit: int, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each storm, or each burst, with what was found."""
    asked_for = {key: kinds for key, kinds in CROWDS.items() if options.only in (None, key)}
    crowds = BURSTS if options.give_back else SHORT if options.short else asked_for
    with rig_cores(options) as own, prepared(options) as (work, ports, front):
        backend = storms.crowd("backend", 0, ports.backend)
        try:
            processes.wait_for(ports.backend, process=backend)
            for key, kinds in crowds.items():
                seconds = seconds_of(key, options)
                say(f"{name}, {limit >> 20} MiB: {key}, {seconds:g} s")
                found = with_proxy(name, limit, work, ports, front, own, lambda proxy, kinds=kinds, seconds=seconds: (
                    storms.give_back(proxy, kinds, seconds) if options.give_back else storms.storm(proxy, kinds, seconds, OTHER_CLIENT if options.other_client else CLIENT)))
                say(", ".join(found["missed"]) or "every bar met")
                yield key, found
        finally:
            storms.stop_all([backend])


@contextlib.contextmanager
def rig_cores(options: argparse.Namespace) -> Iterator[set[int]]:
    """Keeps the rig to its cores. Yields the cores of the proxy, none without --own-core. Raises CouldNotRun."""
    if not options.own_core:
        yield set()
        return
    rig, own = cores.parted(pin=True)
    if rig == own:
        raise CouldNotRun("--own-core needs two cores")
    with cores.kept_to(rig):
        yield own


@contextlib.contextmanager
def prepared(options: argparse.Namespace) -> Iterator[tuple[Path, Ports, Front]]:
    """A folder with all configurations, their ports, and what clients speak."""
    ports = Ports(*processes.free_ports(3))
    with tempfile.TemporaryDirectory(prefix="storm.") as directory:
        work = Path(directory)
        write_configs(work, ports)
        front = Front(certificates.make(certificates.TLS, work) if options.tls else None, options.h2)
        write_config("storms/remora.yaml", work, ports, lines=front.lines())
        yield work, ports, front


def with_proxy(name: str, limit: int, work: Path, ports: Ports, front: Front, own: set[int], action: Any) -> dict[str, Any]:
    # a JVM sizes itself by the cores that it starts on
    with cores.kept_to(os.sched_getaffinity(0) | own):
        proxy = storms.start(name, limit, work, ports, front)
    try:
        if own and not cores.move(proxy.pid(), own):
            raise CouldNotRun("this user may not move the proxy to cores of its own")
        canary = storms.Canary(ports.front, front)
        for _ in range(200):
            canary.ask()
        return action(proxy)
    finally:
        proxy.end()
        (Path(os.environ.get("REMORA_STORM_LOG", os.devnull))).write_bytes((work / "proxy.log").read_bytes())


def burst_cells(found: dict[str, Any]) -> list[str]:
    return [f"{found[key]:.1f}" for key in ("before_mb", "peak_mb", "after_mb")]


def storm_cells(found: dict[str, Any]) -> list[str]:
    recovered = "-" if found["recovered_s"] is None else f"{found['recovered_s']:.1f}"
    thrashing = "-" if found["gc_percent"] is None else f"{found['gc_percent']:.1f}, {found['lag_p99_ms']:.0f}"
    return [f"{found['percent']:.0f}", f"{found['answered_percent']:.0f} ({found['ok_percent']:.0f})", recovered, thrashing]


def run(options: argparse.Namespace) -> int:
    if options.hostile:
        return hostile.run(options)
    asked = pairs(options)
    if os.geteuid() != 0 and not all(name in sidecars.CONTAINERS for name, _ in asked):
        raise CouldNotRun("it makes a memory cgroup, which root may")
    if options.least and any(name in storms.PEERS for name, _ in asked):
        raise CouldNotRun("--least is for sidecars only")
    if (options.tls or options.h2) and any(name in storms.PEERS for name, _ in asked):
        raise CouldNotRun("--tls and --h2 are for sidecars only")
    directory = new_folder(options.reports, "storm")
    everything = {**kernel.when_and_where(),
                  "seconds": BURST_S if options.give_back else options.seconds, "results": {}}
    for name, limit in asked:
        if options.least:
            limit = least(name, options)
        result = everything["results"][title(name, limit, options.tls, options.h2, options.other_client, options.own_core)] = {"proxy": name, "limit": limit}
        for key, found in measure(name, limit, options):
            result[key] = found
            # as it grows: a later limit may be refused
            (directory / "storm.json").write_text(json.dumps(everything, indent=1))
    if options.give_back:
        for name in dict.fromkeys(name for name, _ in asked):
            draw_bursts(name, [one for one in everything["results"].values() if one["proxy"] == name], directory)
    text = table(everything["results"], options.give_back)
    (directory / "storm.md").write_text(text + "\n")
    print(text)
    return status(everything["results"])


def storms_of(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Of a proxy under a limit, its storms or bursts."""
    return {key: found for key, found in result.items() if key not in ("proxy", "limit")}


def table(results: dict[str, dict[str, Any]], give_back: bool) -> str:
    heads = (["proxy", "burst", "seconds", "limit, MB", "RSS before, MB", "at most, MB", "a minute later, MB", "at most 3 MB left"] if give_back else
             ["proxy", "storm", "seconds", "limit, MB", "of it, %", "canaries answered (200), %", "200 again, s", "collections, %; loop late p99, ms", "bars"])
    rows = [[one["proxy"], key, f"{found['seconds']:g}", f"{one['limit'] / 1e6:.0f}", *(burst_cells(found) if give_back else storm_cells(found)), ", ".join(found["missed"]) or "met"]
            for one in results.values() for key, found in storms_of(one).items()]
    return aligned_table(heads, rows)


def status(results: dict[str, dict[str, Any]]) -> int:
    missed = [found for one in results.values() for found in storms_of(one).values() if found["missed"]]
    return 0 if not missed else 1 if any(found["broken"] for found in missed) else 2


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("storm", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

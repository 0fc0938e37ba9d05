"""Shows what your own JVM flags, an environment variable or another profile change, with your configuration and a load like your traffic.

  ./measure try-flag --image host --config sidecar.yaml --metrics http://127.0.0.1:9990/metrics -- -XX:MaxInlineLevel=15
  ./measure try-flag --image i386 --config sidecar.yaml --access-log access.log --env MALLOC_ARENA_MAX=2
  ./measure try-flag --image amd64-c1 --config sidecar.yaml --access-log access.log --other-rps 10000

Arm A is the image as it is, and arm B the same with what is tried. They run in turn, A B A B, each restarted for every run. Listeners are moved to free ports,
and endpoints to a backend that answers with the recorded sizes. The shape of the traffic (rate, connections, protocols, methods, sizes) is read from the
metrics and the access log. A figure differs only if all runs of B are beyond all runs of A.

Exit status: 0, 1 if a request failed, a load did not end or B did not start, 3 if it could not run.
"""
import argparse
import contextlib
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from .. import flag_runs
from ..command_line import Parser, described, end_with, new_folder, say
from ..contenders import Run, in_rounds
from ..errors import CouldNotRun, RequestsFailed
from ..flag_runs import Arm, Times, Trial
from ..load import java_tools
from ..machine import cores, processes
from ..results.flag_trial import BASE, OTHER, FlagTrial
from ..runs import failure_of
from ..systems import access_log, certificates, retargeting, sidecars, traffic
from ..systems.certificates import MTLS, OFF, TLS, Tls
from ..systems.configurations import Ports
from ..systems.retargeting import Configuration, Endpoints, Listener
from ..systems.traffic import Shape

REHEARSAL_S = 4.0
# The longest profile that a sidecar takes.
MOST_PROFILE_S = 300


def read_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Raises CouldNotRun. What stands behind -- are java options of arm B."""
    given = sys.argv[1:] if words is None else list(words)
    end = given.index("--") if "--" in given else len(given)
    parser = Parser("try-flag", __doc__)
    parser.add_argument("--image", default="i386-client", help="name of a runtime image, host, or a container")
    parser.add_argument("--config", type=Path, required=True, help="the configuration of the sidecar")
    parser.add_argument("--listener", metavar="NAME", help="the listener to load; can be omitted if there is only one, or if the access log names it")
    parser.add_argument("--metrics", metavar="FILE|URL", action="append", default=[],
                        help="the metrics of your sidecar. A URL is read twice; give two files in their order for the rate between them")
    parser.add_argument("--interval", type=float, default=10, help="seconds between the two readings of a URL")
    parser.add_argument("--access-log", metavar="FILE", type=Path, help="the access log of your sidecar, whose requests are repeated")
    parser.add_argument("--rate", type=float, help="requests per second, instead of those of the traffic")
    parser.add_argument("--connections", type=int, help="instead of those of the traffic")
    parser.add_argument("--streams", type=int, default=4, help="streams on each connection of HTTP/2")
    parser.add_argument("--path", default="/", help="path of the requests if there is no access log")
    parser.add_argument("--body", type=int, default=1024, help="size of each response in bytes if there are neither metrics nor an access log")
    parser.add_argument("--rps", type=int, help="the profile of both arms is that for this rate (default: the rate of the load)")
    parser.add_argument("--other-rps", type=int, metavar="RPS", help="the profile of arm B is that for this rate")
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="an environment variable of arm B; can be repeated")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each arm")
    parser.add_argument("--warmup", type=float, default=8, help="seconds")
    parser.add_argument("--seconds", type=float, default=14, help="seconds of the steady window")
    parser.add_argument("--profile", action="store_true", help="also profile each run with the sidecar's own profiler")
    parser.add_argument("--profiler", metavar="COMMAND", help="also profile each run with this command, which writes collapsed stacks to {file} "
                        "for {seconds} of process {pid}")
    parser.add_argument("--profile-seconds", type=float, default=10)
    parser.add_pin()
    parser.add_reports()
    parser.add_quick(rounds=2, warmup=2, seconds=4, profile_seconds=3)
    options = parser.parse(given[:end])
    options.flags = given[end + 1:]
    return checked(options)


def checked(options: argparse.Namespace) -> argparse.Namespace:
    """Raises CouldNotRun."""
    if not options.flags and not options.env and not options.other_rps:
        raise CouldNotRun("nothing to try: name flags behind --, or use --env or --other-rps")
    for variable in options.env:
        if not variable.partition("=")[0].isidentifier() or "=" not in variable:
            raise CouldNotRun(f"--env: {variable} is not NAME=VALUE")
    if any(" " in flag for flag in options.flags):
        raise CouldNotRun("a flag contains a space, at which the launcher would split it")
    if options.rounds < 2:
        raise CouldNotRun("--rounds: at least 2 are needed, as the spread of A is the measure")
    if options.profile and options.profiler:
        raise CouldNotRun("--profile and --profiler exclude each other")
    if options.profile and options.profile_seconds not in range(1, MOST_PROFILE_S + 1):
        raise CouldNotRun(f"--profile-seconds: with --profile, a whole number from 1 to {MOST_PROFILE_S}")
    if options.profiler and options.profile_seconds <= 0:
        raise CouldNotRun("--profile-seconds: more than 0")
    if len(options.metrics) > 2:
        raise CouldNotRun("--metrics: two readings at most")
    if not options.metrics and not options.access_log and not options.rate:
        raise CouldNotRun("the traffic is not known: use --metrics, --access-log or --rate")
    return options


def readings(options: argparse.Namespace) -> list[traffic.Reading]:
    found = [traffic.Reading.of(place) for place in options.metrics]
    if len(found) == 1 and options.metrics[0].startswith("http://"):
        say(f"reading the metrics again in {options.interval:g} s")
        time.sleep(options.interval)
        found.append(traffic.Reading.of(options.metrics[0]))
    return found


def known_traffic(options: argparse.Namespace, configuration: Configuration) -> tuple[Listener, Shape]:
    """The listener to load, and its traffic. Raises CouldNotRun."""
    log = None
    if options.access_log:
        with open(options.access_log, errors="replace") as lines:
            log = access_log.read(lines)
    listener = retargeting.chosen(configuration.listeners(), options.listener, (one.listener for one in log.requests) if log else ())
    read = readings(options)
    counts = traffic.counted(read, listener.name) if read else None
    asked = traffic.Asked(options.rate, options.connections, options.path, options.body)
    found = traffic.shape(asked, log.of(listener.name) if log else None, counts)
    if not set(found.protocols) <= set(listener.kinds):
        raise CouldNotRun(f"listener {listener.name} takes {', '.join(listener.kinds)} only, and the traffic has {', '.join(found.protocols)}")
    return listener, found


@contextlib.contextmanager
def backends(configuration: Configuration, java_home: str, log: BinaryIO, own: Tls | None) -> Iterator[Endpoints]:
    """The application, once for each way in which clusters reach it; the one without TLS is always there."""
    modes = configuration.modes() | {OFF}
    ports = dict(zip((OFF, TLS, MTLS), processes.free_ports(3)))
    place = java_tools.Place(configuration.addresses())
    with contextlib.ExitStack() as started:
        for mode in modes:
            tls = own._replace(mode=mode) if own and mode != OFF else None
            started.enter_context(java_tools.Backend(java_home, log, ports[mode], java_tools.Answers(0), tls, place))
        yield Endpoints(ports[OFF], ports[TLS], ports[MTLS])


def arms(options: argparse.Namespace, rate: float) -> dict[str, Arm]:
    """Arms A and B. Variables of B by which the launcher takes options or the rate are merged with those of the command line."""
    base = Arm("", {}, options.rps or math.ceil(rate))
    variables = dict(one.split("=", 1) for one in options.env)
    flags = " ".join([*options.flags, *filter(None, [variables.pop("REMORA_JAVA_OPTS", "")])])
    rps = int(variables.pop("REMORA_RPS", base.rps))
    return {BASE: base, OTHER: Arm(flags, variables, options.other_rps or rps)}


def what(options: argparse.Namespace) -> str:
    """How B differs, in Markdown."""
    return " and ".join(f"`{part}`" for part in (*options.flags, *options.env, *([f"--rps {options.other_rps}"] if options.other_rps else [])))


@contextlib.contextmanager
def prepared(options: argparse.Namespace, configuration: Configuration, listener: Listener, shape: Shape, work: Path, own_cores: set[int]) -> Iterator[Trial]:
    """The backend, the generators and the moved configuration. Raises CouldNotRun."""
    java_home = processes.default_java_home()
    work.chmod(0o755)  # a sidecar in a container is another user
    has_tls = listener.mode != OFF or configuration.modes() != {OFF}
    own = certificates.make(MTLS if MTLS in (listener.mode, *configuration.modes()) else TLS, work) if has_tls else None
    front, admin, *others = processes.free_ports(2 + 2 * len(configuration.listener_nodes()))
    with contextlib.ExitStack() as started:
        log = started.enter_context(open(work / "tools.log", "wb"))
        endpoints = started.enter_context(backends(configuration, java_home, log, own))
        config = work / "remora.yaml"
        config.write_text(configuration.retarget(listener.name, front, admin, others.pop, endpoints, own.directory if own else None, options.profile))
        config.chmod(0o644)
        ports = Ports(front, endpoints.plain, admin)
        parts = flag_runs.parts(shape, work, options.streams)
        sessions = [started.enter_context(java_tools.LoadSession(work, java_home, log, ports)) for _ in parts]
        for part, session in zip(parts, sessions):
            session.prepare(lambda part=part, session=session: flag_runs.rehearse(session, part, endpoints.plain, REHEARSAL_S))
        hiccups = started.enter_context(java_tools.HiccupMeter(java_home, log))
        tls = own._replace(mode=listener.mode) if own and listener.mode != OFF else None
        yield Trial(options.image, config, work, ports, java_home, parts, traffic.first_of_each_kind(shape.requests), sessions, hiccups, own_cores, tls, work if own else None)


def rounds(trial: Trial, options: argparse.Namespace, told: FlagTrial, arms_of: Mapping[str, Arm], save: Callable[[], None]) -> None:
    """Fills a trial, and has it saved after every run. Raises RequestsFailed and CouldNotRun."""
    times = Times(options.warmup, options.seconds, options.profiler, options.profile_seconds if options.profile or options.profiler else 0)
    with flag_runs.running(trial, arms_of[BASE]):
        say("rehearsal: A starts")  # so that the files of the image are in the kernel's cache for each run

    def run(name: str) -> Run:
        def measured() -> dict[str, Any]:
            try:
                return flag_runs.measure(trial, arms_of[name], times, lambda text: told.keep_stacks(name, [text]))
            except CouldNotRun as why:
                if name == BASE:
                    raise
                raise RequestsFailed(str(why)) from why  # which is what B does

        return Run(name, measured, lambda number, row: told.keep(number, name, row))

    in_rounds(options.rounds, lambda _: [run(name) for name in (BASE, OTHER)], told, save, (*trial.sessions, trial.hiccups))


def run(options: argparse.Namespace) -> int:
    sidecars.require_image(options.image)
    java_tools.require_built()
    configuration = Configuration(options.config.read_text())
    listener, shape = known_traffic(options, configuration)
    say(f"listener {listener.name}: {traffic.rate_text(shape.rate)} requests a second over {shape.connections} connections")
    directory = new_folder(options.reports, "try-flag")
    target = directory / "try-flag.json"
    told = FlagTrial({**described(options), "rate": shape.rate}, what(options), shape.describe(), shape.text())
    rig_cores, own_cores = cores.parted(options.pin)
    with tempfile.TemporaryDirectory(prefix="try-flag.") as work, cores.kept_to(rig_cores), \
            prepared(options, configuration, listener, shape, Path(work), own_cores) as trial:
        told.failure = failure_of(lambda: rounds(trial, options, told, arms(options, shape.rate), lambda: told.write([target])))
    told.write([target])
    (directory / "try-flag.md").write_text(told.markdown())
    print(told.markdown())
    print(f"{directory}/try-flag.md, try-flag.json", file=sys.stderr)
    return 1 if told.failure or told.failed_arms else 0


def main(words: list[str] | None = None) -> NoReturn:
    end_with("try-flag", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()

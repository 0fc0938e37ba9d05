"""What a conformance test is asked for, from the words of its command line."""
import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..command_line import Parser
from ..errors import CouldNotRun
from ..repository import REPORTS
from ..systems import certificates, configurations, sidecars
from ..systems.configurations import Ports

SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
# Multiple of the calibration's time, after which Gatling has been compiled over TLS.
REHEARSAL_BY_TLS = 6
BYTES = {"": 1, "b": 1, "kib": 1024, "mib": 1024 * 1024}


def duration(text: str) -> float:
    """Seconds of a duration such as 500ms, 60s, 2m or 1.5h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no duration such as 60s")
    return round(float(found.group(1)) * SECONDS[found.group(2)], 6)


def size(text: str) -> int:
    """Bytes of a size such as 512 or 1KiB."""
    found = re.fullmatch(r"(\d+)\s*([a-z]*)", text.strip().lower())
    if not found or found.group(2) not in BYTES:
        raise argparse.ArgumentTypeError(f"{text} is no size such as 1KiB")
    return int(found.group(1)) * BYTES[found.group(2)]


@dataclass(frozen=True)
class Plan:
    image: str
    rps: int
    profile: str
    connections: int
    duration_s: float
    warmup_s: float
    calibration_s: float
    body_bytes: int
    post_share: int
    delay_ms: float
    error_share: float
    engine: str
    wire: bool = True
    pin: bool = True
    added_p99_ms: float | None = None
    added_p999_ms: float | None = None
    command: str | None = None
    running: Ports | None = None
    backend: str | None = None
    sidecar_log: Path | None = None
    working_set_mb: float | None = None
    kubelet: Path | None = None
    print_report: bool = False
    tls: str = certificates.OFF
    features: str = configurations.PLAIN
    protocol: str = configurations.HTTP1
    generator_options: str = ""
    period_s: float = 1.0
    reports: Path = field(default=REPORTS)

    @property
    def probe_rate(self) -> int:
        """Requests a second of the probe, which are part of the rate: a tenth, so that the load is Gatling's."""
        return max(1, min(200, self.rps // 10))

    @property
    def calibration_rps(self) -> int:
        """What the generator is asked for straight to the backend: more than the ceiling that it has to show."""
        return self.rps * 11 // 5

    @property
    def rehearsal_s(self) -> float:
        """The time until the generator is compiled, which is longer for Gatling over TLS."""
        return (REHEARSAL_BY_TLS if self.tls != certificates.OFF and not self.is_over_http2 else 1) * self.calibration_s

    @property
    def is_over_http2(self) -> bool:
        return self.protocol in configurations.OVER_HTTP2

    @property
    def is_in_container(self) -> bool:
        return not self.command and not self.running and self.image in sidecars.CONTAINERS

    @property
    def profile_rps(self) -> int:
        """The rate by which the launcher picks the JVM profile."""
        return self.rps if self.profile == "auto" else int(self.profile.removeprefix("rps-"))

    def describe(self) -> dict[str, Any]:
        running = list(self.running) if self.running else None
        return {**asdict(self), "running": running, "reports": None, "sidecar_log": None, "kubelet": None, "probe_rate": self.probe_rate}


def profile(text: str) -> str:
    if text != "auto" and not re.fullmatch(r"rps-\d+", text):
        raise argparse.ArgumentTypeError(f"{text} is neither auto nor a profile such as rps-1000")
    return text


def place(text: str) -> str:
    """A host and a port."""
    if not re.fullmatch(r"[\w.-]+:\d{1,5}", text):
        raise argparse.ArgumentTypeError(f"{text} is no host with a port, such as backend:8081")
    return text


def ports(text: str) -> Ports:
    """Those of a sidecar that runs: 8080,8081,9990."""
    words = text.split(",")
    if len(words) != 3 or not all(word.isdigit() and 0 < int(word) < 65_536 for word in words):
        raise argparse.ArgumentTypeError(f"{text} are no three ports: of the sidecar, the application and the admin listener, such as 8080,8081,9990")
    return Ports(*map(int, words))


def arguments(name: str, description: str | None) -> Parser:
    parser = Parser(name, description)
    parser.add_argument("--image", default="i386", help="i386 or compact3 (containers; i386-openssl or compact3-openssl with OpenSSL), host (the machine's JDK), "
                        "or the name of a runtime image")
    parser.add_argument("--rps", type=int, default=1000, help="requests per second, including the probe")
    parser.add_argument("--profile", type=profile, default="auto", help="JVM profile, such as rps-100; auto selects the profile for the rate")
    parser.add_argument("--connections", type=int, default=16, help="initial number of keep-alive connections")
    parser.add_argument("--duration", dest="duration_s", type=duration, default=60.0, help="duration of the steady window, such as 60s")
    parser.add_argument("--warmup", dest="warmup_s", type=duration, default=20.0, help="duration of the load before the steady window")
    parser.add_argument("--calibration", dest="calibration_s", type=duration, default=5.0,
                        help="duration of the load on the backend alone, after a warm-up of the same duration")
    parser.add_argument("--body", dest="body_bytes", type=size, default=1024, help="size of responses and of POST requests, such as 1KiB")
    parser.add_argument("--post-share", type=int, default=10, help="percentage of POST requests")
    parser.add_argument("--backend-delay", dest="delay_ms", type=lambda text: duration(text) * 1000, default=0.0,
                        help="delay of the backend before each response, such as 5ms")
    parser.add_argument("--backend-error-share", dest="error_share", type=float, default=0.0,
                        help="share of responses with status 500, such as 0.01")
    parser.add_argument("--engine", default=sidecars.NETTY, choices=sidecars.ENGINES,
                        help="engine of the sidecar; finagle uses the image with this engine, and compact3 instead of i386")
    parser.add_argument("--tls", default=certificates.OFF, choices=certificates.MODES,
                        help="TLS on both sides of the sidecar; with mtls, both clients present a certificate")
    parser.add_argument("--features", default=configurations.PLAIN, choices=configurations.FEATURES,
                        help="mesh: three endpoints from a watched file, with all features for several endpoints enabled")
    parser.add_argument("--protocol", default=configurations.HTTP1, choices=configurations.PROTOCOLS,
                        help="protocol on both sides of the sidecar; grpc makes unary calls, and tcp sends HTTP/1.1 through a tunnel")
    parser.add_argument("--no-wire", dest="wire", action="store_false", help="do not capture packets")
    parser.add_pin()
    parser.add_argument("--added-p99-ms", type=float, help="target for the added latency at p99, which is otherwise only reported")
    parser.add_argument("--added-p999-ms", type=float, help="the same at p999")
    parser.add_argument("--command", help="command that starts a sidecar instead of the image; {config} is replaced by its configuration")
    parser.add_argument("--running", type=ports,
                        help="measure a sidecar that already runs in the same pod, by the ports of its listener, the application and the admin "
                             "listener, such as 8080,8081,9990")
    parser.add_argument("--backend", type=place, help="with --running, an application that runs on another node, such as backend:8081")
    parser.add_argument("--sidecar-log", type=Path, help="with --running, the file to which the JVM of the sidecar logs compilations")
    parser.add_argument("--kubelet", type=Path,
                        help="with --running, also report the working set that the kubelet counts; a file with the certificates by which to verify the kubelet")
    parser.add_argument("--working-set-mb", type=float, help="target for the working set instead of the one for the image")
    parser.add_argument("--print-report", action="store_true", help="print the report page to the log as well, compressed and in base64")
    parser.add_argument("--generator-options", default="", help="additional JVM options for Gatling")
    parser.add_reports()
    return parser


def read(name: str, description: str | None, words: Sequence[str] | None = None, **defaults: object) -> Plan:
    """The plan of a command line, some defaults of which are others. Raises CouldNotRun where it asks for what cannot be."""
    parser = arguments(name, description)
    parser.set_defaults(**defaults)
    plan = Plan(**vars(parser.parse_args(words)))
    if plan.engine == sidecars.FINAGLE:
        plan = replace(plan, image=sidecars.with_engine("compact3" if plan.image == "i386" else plan.image, plan.engine))
    elif not plan.command:
        plan = replace(plan, engine=sidecars.engine_of(plan.image))
    if plan.features != configurations.PLAIN and plan.tls != certificates.OFF:
        raise CouldNotRun("--features mesh is for a run without --tls")
    if plan.protocol != configurations.HTTP1 and (plan.features != configurations.PLAIN or plan.engine == sidecars.FINAGLE):
        raise CouldNotRun(f"--protocol {plan.protocol} is for a run without --features and --engine finagle")
    if plan.protocol != configurations.HTTP1 and plan.tls != certificates.OFF and not (plan.is_over_http2 and plan.tls == certificates.MTLS):
        raise CouldNotRun(f"--protocol {plan.protocol} is for a run without --tls; h2 and grpc may have --tls mtls")
    if plan.running and (plan.command or plan.features != configurations.PLAIN or plan.tls != certificates.OFF):
        raise CouldNotRun("--running is for a run without --command, --tls and --features")
    if (plan.sidecar_log or plan.kubelet or plan.backend) and not plan.running:
        raise CouldNotRun("--sidecar-log, --kubelet and --backend are for a run with --running")
    if plan.backend and (plan.protocol != configurations.HTTP1 or plan.delay_ms or plan.error_share):
        raise CouldNotRun("--backend is for a run without --protocol, --backend-delay and --backend-error-share")
    if plan.rps < 2 or plan.connections < 1:
        raise CouldNotRun("--rps must be at least 2, one of them the probe's, and --connections at least 1")
    if any(seconds < 1 or seconds != int(seconds) for seconds in (plan.duration_s, plan.warmup_s, plan.calibration_s)):
        raise CouldNotRun("--duration, --warmup and --calibration must be whole seconds")
    if not 0 <= plan.post_share <= 100 or not 0 <= plan.error_share < 1:
        raise CouldNotRun("--post-share is 0 to 100, --backend-error-share at least 0 and below 1")
    return plan

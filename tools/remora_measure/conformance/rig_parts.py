"""The parts of a rig: backend, sidecar, generator and meters, started in order."""
import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..load import java_tools, newcomers
from ..machine import cgroups, cores, kernel, page_cache, processes
from ..systems import certificates, configurations, running, sidecars
from ..systems.configurations import Ports, write_config
from ..systems.kubelet import Kubelet
from . import gatling, sampler
from .plan import Plan

# Compilations as the JVM logs them, by the clock's milliseconds: which methods were compiled late, no counter tells.
COMPILATION_LOG = "-Xlog:jit+compilation=debug:stdout:timemillis,level"
# Over TLS, of new connections one after the other before there is any load.
REHEARSAL_SECONDS = 3
WIRE_WITHOUT_TLS = "a packet capture cannot read TLS"
WIRE_WITHOUT_HTTP2 = "the reader of captures does not read HTTP/2"
WIRE_TO_ANOTHER_NODE = "left out, as the application is on another node"
TLS_ENGINE = re.compile(r"TLS by (?:the )?(AWS-LC|OpenSSL|JDK)")


class Site:
    """The place of a run before anything starts. say(text) reports progress."""

    def __init__(self, plan: Plan, work: Path, say: Callable[[str], None]) -> None:
        self.plan, self.work, self.say = plan, work, say
        self.java_home = processes.default_java_home()
        self.rig_cores, self.sidecar_cores = cores.split(os.sched_getaffinity(0))
        self.ports = plan.running or Ports(*processes.free_ports(3))
        self.log: BinaryIO = open(work / "tools.log", "wb")

    @property
    def all_cores(self) -> set[int]:
        return self.rig_cores | self.sidecar_cores

    @property
    def is_mesh(self) -> bool:
        return self.plan.features == configurations.MESH


class Parts(NamedTuple):
    """All that runs, in the order of its start."""

    tls: certificates.Tls | None
    hiccups: java_tools.HiccupMeter
    backend: java_tools.Backend | None
    sidecar: sidecars.Sidecar
    sampler: sampler.Sampler
    control: java_tools.CoreControl
    rig_control: java_tools.CoreControl
    generator: gatling.Generator


def start(site: Site, started: contextlib.ExitStack, result: dict[str, Any]) -> Parts:
    """Starts all of them, the generator with its calibration; what is known of the sidecar goes into the result. The stack ends them."""
    plan, log = site.plan, site.log
    tls = certificates.make(plan.tls, site.work)
    hiccups = started.enter_context(java_tools.HiccupMeter(site.java_home, log))
    hiccups.prepare(lambda: cores.move(hiccups.process.pid, site.all_cores))  # it speaks for the whole host
    backend = None if plan.backend else started.enter_context(start_backend(site, tls))
    site.say(f"backend pid {backend.process.pid}, on port {site.ports.backend}" if backend else f"backend {plan.backend}")
    sidecar, charged, configuration = find_sidecar(site) if plan.running else start_sidecar(site, started, tls)
    result["memory"] = charged.describe()
    await_sidecar(site, sidecar, tls, result)
    result["system"]["configuration"] = configuration
    own_cores = site.sidecar_cores - site.rig_cores if result["system"].get("cores") else set()
    result["control"]["apart"] = bool(own_cores)
    samples = sampler.Sampler(sidecar.pid, site.ports.admin, site.work / "samples.jsonl", plan.period_s,
                              sampler.Backend(backend.process.pid, site.ports.backend, tls.context() if tls else None) if backend else None, own_cores, charged)
    started.callback(samples.end)
    control = started.enter_context(java_tools.CoreControl(log, own_cores or site.all_cores, sidecar.pid))
    rig_control = started.enter_context(java_tools.CoreControl(log, site.rig_cores))
    control.begin()
    generator = gatling.Generator(plan, site.ports, site.java_home, site.work, tls)
    started.callback(generator.stop)
    pace = "in a closed loop" if tls else f"at {plan.calibration_rps} requests a second"
    site.say(f"calibrating the generator {pace}, straight to the backend")
    return Parts(tls, hiccups, backend, sidecar, samples, control, rig_control, generator)


def start_backend(site: Site, tls: certificates.Tls | None) -> java_tools.Backend:
    plan = site.plan
    answers = java_tools.Answers(plan.body_bytes, plan.delay_ms, plan.error_share)
    return java_tools.Backend(site.java_home, site.log, site.ports.backend, answers, tls,
                              java_tools.Place(configurations.ADDRESSES) if site.is_mesh else java_tools.Place())


def write_configuration(site: Site, tls: certificates.Tls | None) -> Path:
    if site.is_mesh:
        write_config("endpoints-mesh.yaml", site.work, site.ports)
    with_tls = configurations.MTLS_BY_HTTP2 if tls and site.plan.is_over_http2 else tls.configuration if tls else None
    name = with_tls or ("remora-mesh.yaml" if site.is_mesh else configurations.BY_PROTOCOL[site.plan.protocol])
    return write_config(name, site.work, site.ports)


# A sidecar, what it is charged to, and its configuration.
Found = tuple[sidecars.Sidecar, sampler.Charged, str]


def find_sidecar(site: Site) -> Found:
    """The one that runs in this pod, in its own cgroup. Where its JVM logs compilations, the log is read like that of a sidecar started here."""
    assert site.plan.running
    sidecar = running.Running(site.plan.image, site.plan.running, site.plan.sidecar_log or site.work / "sidecar.log")
    asked = Kubelet(site.plan.kubelet) if site.plan.kubelet else None
    return sidecar, sampler.Charged(sidecar.group(), root=sidecar.cgroups_at, kubelet=asked), sidecar.configuration()


def start_sidecar(site: Site, started: contextlib.ExitStack, tls: certificates.Tls | None) -> Found:
    """In a memory cgroup of its own, and without its files in the kernel's cache, where this user may have that."""
    plan, in_container = site.plan, site.plan.is_in_container
    own = None if in_container else cgroups.own_if_allowed("remora-conformance")
    if own:
        started.callback(own.end)
    cold = page_cache.evict_each([] if plan.command else sidecars.files(plan.image))
    folder = tls.directory if tls else site.work if site.is_mesh else None
    given = sidecars.Given(COMPILATION_LOG, folder=folder, group=own)
    config = write_configuration(site, tls)
    with cores.kept_to(site.all_cores):  # a JVM sizes itself by the cores that it starts on
        sidecar = sidecars.start(plan.image, config, plan.profile_rps, site.java_home, site.work / "sidecar.log", given, plan.command)
    started.callback(sidecar.stop)
    return sidecar, sampler.Charged(cgroups.charged_to(sidecar.pid) if in_container else own, cold), config.read_text()


def await_sidecar(site: Site, sidecar: sidecars.Sidecar, tls: certificates.Tls | None, result: dict[str, Any]) -> None:
    """Until it answers; it has its own cores then, and over TLS has seen connections."""
    plan, trusting = site.plan, tls.context(site.plan.is_over_http2) if tls else None
    seconds = sidecars.wait_until_it_answers(sidecar, site.ports.front, tls=trusting, by_http2=plan.is_over_http2)
    result["system"] = {**sidecar.describe(), "start_s": round(seconds, 3), "bits": kernel.word_bits(sidecar.pid)}
    if tls:
        result["system"]["tls"] = {"engine": tls_engine(sidecar.written()), "bits": result["system"]["bits"]}
        result["wire_missing"] = WIRE_WITHOUT_TLS
    if plan.is_over_http2:
        result["wire_missing"] = WIRE_WITHOUT_HTTP2
    if plan.backend:
        result["wire_missing"] = WIRE_TO_ANOTHER_NODE
    site.say(f"sidecar {named(plan)} answers, pid {sidecar.pid}{pin(site, sidecar, result)}")
    if trusting:
        # a handshake takes many times longer before it is compiled, and requests that wait for one make the generator open more
        count = newcomers.one_by_one(site.ports.front, trusting, REHEARSAL_SECONDS, plan.is_over_http2)
        site.say(f"rehearsed handshakes: {count} connections, one after the other")


def named(plan: Plan) -> str:
    return plan.command or ("of this pod" if plan.running else plan.image)


def pin(site: Site, sidecar: sidecars.Sidecar, result: dict[str, Any]) -> str:
    """Moves the sidecar to its own cores, once it has started on all of them; tells what was done."""
    if not site.plan.pin:
        return ""
    if not cores.move(sidecar.pid, site.sidecar_cores):
        return ", not pinned: this user may not"
    result["system"]["cores"] = sorted(site.sidecar_cores)
    return f", on core {listed(site.sidecar_cores)}; what measures it on {listed(site.rig_cores)}"


def tls_engine(log: str) -> str | None:
    """Whose TLS a sidecar has, by the line that it logs at its start; None where there is none."""
    found = TLS_ENGINE.search(log)
    return found.group(1) if found else None


def listed(numbers: set[int]) -> str:
    return ",".join(str(number) for number in sorted(numbers))

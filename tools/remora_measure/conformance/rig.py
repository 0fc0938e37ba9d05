"""The rig of a conformance test: backend, sidecar, generator, probe and meters, started in order, ended whatever happens."""
import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import CouldNotRun
from ..load import java_tools, newcomers, packet_capture
from ..machine import cgroups, cores, kernel, page_cache, processes
from ..systems import admin_pages, certificates, configurations, sidecars
from ..systems.configurations import Ports, write_config
from . import gatling, jvm_log, sampler, verdict
from .plan import Plan

# Compilations as the JVM logs them, by the clock's milliseconds: which methods were compiled late, no counter tells.
COMPILATION_LOG = "-Xlog:jit+compilation=debug:stdout:timemillis,level"
# A generator that needs so much more than its calibration takes does not keep the rate that it is asked for.
CALIBRATION_SLACK_SECONDS = 30
SLACK_SECONDS = 60
PROGRESS_SECONDS = 10
# Over TLS, of new connections one after the other before there is any load.
REHEARSAL_SECONDS = 3
WIRE_WITHOUT_TLS = "a packet capture cannot read TLS"
WIRE_WITHOUT_HTTP2 = "the reader of captures does not read HTTP/2"
# What the probe asks for where it makes calls.
CALL = "/loadtest.Application/Unary"
TLS_ENGINE = re.compile(r"TLS by (?:the )?(OpenSSL|JDK)")


class Rig:
    """Runs a plan once. say(text) is told what goes on; stop_early() is asked every second of the steady window."""

    def __init__(self, plan: Plan, work: Path, say: Callable[[str], None], stop_early: Callable[[], bool] = lambda: False) -> None:
        self.plan, self.work, self.say, self.stop_early = plan, work, say, stop_early
        self.java_home = processes.default_java_home()
        self.rig_cores, self.sidecar_cores = cores.split(os.sched_getaffinity(0))
        self.ports = Ports(*processes.free_ports(3))
        self.log = open(work / "tools.log", "wb")
        self.capture: subprocess.Popen | None = None
        self.probe: java_tools.Probe | None = None
        self.tls: certificates.Tls | None = None
        self.stopped_early = False
        self.result: dict[str, Any] = {"latency": {}, "samples": [], "generator": {}, "system": {}, "steal_share": None, "control": {}}

    def run(self) -> dict[str, Any]:
        """What was measured, as far as it came. Raises CouldNotRun."""
        java_tools.require_built()
        with contextlib.ExitStack() as started:
            started.callback(self.log.close)
            started.callback(self.end_capture)
            if self.plan.pin:
                started.enter_context(cores.kept_to(self.rig_cores))
            self.start(started)
            if self.generator.wait_for("warm-up", 2 * self.plan.calibration_s + CALIBRATION_SLACK_SECONDS):
                self.say(f"warm-up: {self.plan.warmup_s:.0f} s")
                self.result["control"]["before"] = self.control.end(self.work / "control-before.json")
                self.probe = started.enter_context(java_tools.Probe(self.java_home, self.log, self.ports, self.plan.probe_rate,
                                                                    self.tls, *self.probed()))
                if self.generator.wait_for("steady", self.plan.warmup_s + SLACK_SECONDS) and self.sidecar.alive():
                    self.steady(self.probe)
            self.require_rig()
            self.judge_generator()
            self.judge_sidecar()
            self.result["samples"] = sampler.since(self.sampler.end(), *self.window())
            self.result["control"]["full_rate_s"] = self.full_rate_s()
        self.read_files()
        return self.result

    def start(self, started: contextlib.ExitStack) -> None:
        plan, log = self.plan, self.log
        mesh = plan.features == configurations.MESH
        tls = self.tls = certificates.make(plan.tls, self.work)
        trusting = tls.context() if tls else None
        self.hiccups = started.enter_context(java_tools.HiccupMeter(self.java_home, log))
        cores.move(self.hiccups.process.pid, self.rig_cores | self.sidecar_cores)  # it speaks for the whole host
        self.backend = started.enter_context(java_tools.Backend(self.java_home, log, self.ports.backend, plan.body_bytes,
                                                                plan.delay_ms, plan.error_share, tls, configurations.ADDRESSES if mesh else
                                                                (java_tools.LOOPBACK,)))
        self.say(f"backend pid {self.backend.process.pid}, on port {self.ports.backend}")
        if mesh:
            write_config("endpoints-mesh.yaml", self.work, self.ports)
        config = write_config(tls.configuration if tls else "remora-mesh.yaml" if mesh else configurations.BY_PROTOCOL[plan.protocol],
                              self.work, self.ports)
        with cores.kept_to(self.rig_cores | self.sidecar_cores):  # a JVM sizes itself by the cores that it starts on
            self.start_sidecar(started, config, tls.directory if tls else self.work if mesh else None)
        seconds = sidecars.wait_until_it_answers(self.sidecar, self.ports.front, tls=trusting, by_http2=plan.is_over_http2)
        self.result["system"] = {**self.sidecar.describe(), "start_s": round(seconds, 3), "configuration": config.read_text(),
                                 "bits": kernel.word_bits(self.sidecar.pid)}
        if tls:
            self.result["system"]["tls"] = {"engine": tls_engine(self.sidecar.written()), "bits": self.result["system"]["bits"]}
            self.result["wire_missing"] = WIRE_WITHOUT_TLS
        if plan.is_over_http2:
            self.result["wire_missing"] = WIRE_WITHOUT_HTTP2
        self.say(f"sidecar {plan.command or plan.image} answers, pid {self.sidecar.pid}{self.pin()}")
        if trusting:
            # a handshake takes many times longer before it is compiled, and requests that wait for one make the generator open more
            count = newcomers.one_by_one(self.ports.front, trusting, REHEARSAL_SECONDS)
            self.say(f"rehearsed handshakes: {count} connections, one after the other")
        own_cores = self.sidecar_cores - self.rig_cores if self.result["system"].get("cores") else set()
        self.result["control"]["apart"] = bool(own_cores)
        self.sampler = sampler.Sampler(self.sidecar.pid, self.ports.admin, self.work / "samples.jsonl", plan.period_s,
                                       sampler.Backend(self.backend.process.pid, self.ports.backend, trusting), own_cores, self.charged)
        started.callback(self.sampler.end)
        cores_of_both = self.rig_cores | self.sidecar_cores
        self.control = started.enter_context(java_tools.CoreControl(log, own_cores or cores_of_both, self.sidecar.pid))
        self.rig_control = started.enter_context(java_tools.CoreControl(log, self.rig_cores))
        self.control.begin()
        self.generator = gatling.Generator(plan, self.ports, self.java_home, self.work, tls)
        started.callback(self.generator.stop)
        self.say(f"calibrating the generator at {plan.calibration_rps} requests a second, straight to the backend")

    def start_sidecar(self, started: contextlib.ExitStack, config: Path, folder: Path | None) -> None:
        """In a memory cgroup of its own, and without its files in the kernel's cache, where this user may have that."""
        plan, in_container = self.plan, self.plan.is_in_container
        own = None if in_container else cgroups.own_if_allowed("remora-conformance")
        if own:
            started.callback(own.end)
        cold = page_cache.evict_each([] if plan.command else sidecars.files(plan.image))
        self.sidecar = sidecars.start(plan.image, config, plan.profile_rps, self.java_home, self.work / "sidecar.log",
                                      COMPILATION_LOG, plan.command, folder, group=own)
        started.callback(self.sidecar.stop)
        self.charged = sampler.Charged(cgroups.charged_to(self.sidecar.pid) if in_container else own, cold)
        self.result["memory"] = self.charged.describe()

    def pin(self) -> str:
        """Moves the sidecar to its own cores, once it has started on all of them; tells what was done."""
        if not self.plan.pin:
            return ""
        if not cores.move(self.sidecar.pid, self.sidecar_cores):
            return ", not pinned: this user may not"
        self.result["system"]["cores"] = sorted(self.sidecar_cores)
        return f", on core {listed(self.sidecar_cores)}; what measures it on {listed(self.rig_cores)}"

    def window(self) -> tuple[float, float]:
        """The steady window by the monotonic clock; one that has not begun begins now."""
        now = time.monotonic()
        return getattr(self, "began", now), getattr(self, "ended", now)

    def full_rate_s(self) -> float | None:
        """When the warm-up came to the full rate, in seconds of the steady window."""
        warm_up = self.generator.began_at.get("warm-up")
        if warm_up is None:
            return None
        return warm_up + gatling.RAMP_BEGINS_S + gatling.RAMP_SHARE * self.plan.warmup_s - self.window()[0]

    def steady(self, probe: java_tools.Probe) -> None:
        self.say(f"steady: {self.plan.duration_s:.0f} s")
        self.until = time.monotonic() + self.plan.duration_s - 0.7
        try:
            self.begin_window(probe)
        except OSError:
            if self.sidecar.alive():
                raise
            return  # it ended as the window began
        self.wait()
        self.end_window(probe)

    def begin_window(self, probe: java_tools.Probe) -> None:
        self.read_latencies()  # the first question loads classes; it ends the interval of the warm-up as well
        self.hiccups.ask("begin")
        self.control.begin()
        self.rig_control.begin()
        probe.ask("begin")
        self.capture = packet_capture.start(self.work / "wire.pcap", self.log, self.ports) if self.captures() else None
        self.captured_until = time.monotonic() + min(self.plan.duration_s, packet_capture.MOST_EXCHANGES / self.plan.rps)
        self.began, self.began_ms = time.monotonic(), time.time() * 1000
        self.steal, self.cpu = kernel.Steal(), kernel.cpu_seconds(self.sidecar.pid)
        self.exchanges = self.count_exchanges()

    def captures(self) -> bool:
        return self.plan.wire and not self.tls and not self.plan.is_over_http2

    def probed(self) -> tuple[str | None, str]:
        """What the probe speaks where that is not HTTP/1.1, and its path."""
        if self.plan.protocol == configurations.GRPC:
            return f"grpc:{self.plan.body_bytes}", CALL
        return "h2" if self.plan.is_over_http2 else None, "/body"

    def wait(self) -> None:
        """Until the steady window is over, a moment before the load is, or it is stopped early."""
        told = self.began
        while time.monotonic() < self.until and not self.stopped_early and self.sidecar.alive() and not self.generator.ended():
            time.sleep(min(1.0, max(0.0, self.until - time.monotonic())))
            self.require_rig()
            self.stopped_early = self.stop_early()
            if self.capture and time.monotonic() > self.captured_until:
                self.end_capture()
            if time.monotonic() - told >= max(PROGRESS_SECONDS, self.plan.duration_s / 60):
                told = time.monotonic()
                self.tell_progress()

    def require_rig(self) -> None:
        """A sidecar that ends has failed; without the rest of the rig nothing can be judged."""
        for tool in filter(None, (self.backend, self.hiccups, self.control, self.rig_control, self.probe)):
            if tool.process.poll() is not None:
                raise CouldNotRun(f"{tool.title} has ended, with status {tool.process.returncode}: {self.work}/tools.log")

    def tell_progress(self) -> None:
        last = self.sampler.samples[-1]
        share = last.get("cpu_share") or 0.0
        seconds = time.monotonic() - self.began
        self.say(f"{seconds:5.0f} of {self.plan.duration_s:.0f} s: RSS {last['rss_mb']:.1f} MB, CPU {100 * share:.1f} %")

    def end_window(self, probe: java_tools.Probe) -> None:
        """Ends every interval at once; what has ended before cannot be asked any more."""
        self.ended = time.monotonic()
        self.end_controls()
        seconds = self.ended - self.began
        self.result["seconds"] = seconds
        self.result["steal_share"] = self.steal.share()
        with contextlib.suppress(OSError):
            self.result["cpu_share"] = (kernel.cpu_seconds(self.sidecar.pid) - self.cpu) / seconds
            self.result["peak_rss_mb"] = kernel.status(self.sidecar.pid, "VmHWM")
        exchanges = None if self.plan.protocol == configurations.TCP else self.count_exchanges()
        if exchanges is not None and self.exchanges is not None:
            self.result["answered_rps"] = (exchanges - self.exchanges) / seconds
        self.read_latencies("sidecar.hlog")
        self.end_capture()  # before the probe, which waits for what it is owed
        self.result["probe"] = probe.end(self.work / "probe.hlog")
        self.result["hiccups"] = self.hiccups.end(self.work / "hiccups.hlog")

    def end_controls(self) -> None:
        for tag, control in (("sidecar", self.control), ("generator", self.rig_control)):
            told = control.end(self.work / f"control-{tag}.json")
            self.result["latency"][f"wait.{tag}"] = told.pop("waits")
            self.result["control"][tag] = told

    def end_capture(self) -> None:
        if self.capture:
            now = time.monotonic()
            self.result["captured_s"] = min(now, getattr(self, "ended", now)) - getattr(self, "began", now)
            processes.stop(self.capture)
            self.capture = None

    def count_exchanges(self) -> float | None:
        try:
            counts = admin_pages.samples(admin_pages.fetch(self.ports.admin, "/metrics"), "remora_responses_total")
        except OSError:
            return None
        good = ('class="2xx"', 'class="5xx"') if self.plan.error_share else ('class="2xx"',)
        return sum(count for labels, count in counts.items() if any(one in labels for one in good))

    def read_latencies(self, file: str | None = None) -> None:
        """Ends the interval of the sidecar's own latencies, and keeps it where a file is named."""
        with contextlib.suppress(OSError):
            text = admin_pages.fetch(self.ports.admin, "/latency.hlog")
            if file:
                (self.work / file).write_text(text)

    def judge_generator(self) -> None:
        load = self.generator
        if load.late_for:
            self.say(f"the generator did not come to its {load.late_for} phase in time, and was ended: gatling.log")
        if self.stopped_early or not self.sidecar.alive():
            load.process.send_signal(signal.SIGINT)
        self.say("the generator sums up" if self.plan.is_over_http2 else "Gatling writes its report")
        load.finish()
        page = load.report()
        steady = load.phases.get("steady", {})
        if self.plan.protocol == configurations.TCP and "probe" in self.result and load.rate("steady") is not None:
            # A tunnel counts no requests, so that those who were answered have to tell.
            probe = self.result["probe"]
            self.result["answered_rps"] = load.rate("steady") + probe["proxy_requests"] / probe["seconds"]
        self.result["generator"] = {
            "requests": steady.get("requests"), "failed": steady.get("failed"),
            "warm_up_failed": load.phases.get("warm-up", {}).get("failed"), "sent_rps": self.sent_rps(),
            "late_share": steady["late"] / steady["sent"] if steady.get("sent") else None,
            "rate": load.rate("steady"), "ceiling_rps": load.rate("calibration"), "phases": load.phases,
            **load.judged, "report": str(page.relative_to(self.work)) if page else None}

    def sent_rps(self) -> float | None:
        """Of the generator and the probe; over the whole time that was planned, unless the run was stopped early."""
        if "probe" not in self.result or "steady" not in self.generator.phases:
            return None
        told = self.generator.phases["steady"]
        seconds = told["sent_s"] if self.stopped_early else max(self.plan.duration_s, told["sent_s"])
        probe = self.result["probe"]  # both arms keep one schedule, but the proxy's waits for a sidecar that does not answer
        return told["sent"] / seconds + (probe["direct_requests"] + probe["direct_failed"]) / probe["seconds"]

    def judge_sidecar(self) -> None:
        """Why the load through it did not come to its end, where that is the sidecar's own fault and not the generator's."""
        if not self.sidecar.alive():
            self.result["sidecar_fault"] = "ended by itself; sidecar.log has what it wrote"
        elif verdict.is_ceiling_enough(self.plan.rps, self.generator.rate("calibration")):
            for name in ("warm-up", "steady"):
                phase = self.generator.phases.get(name, {})
                if verdict.is_hopeless(phase):
                    self.result["sidecar_fault"] = f"failed {phase['failed']} of {phase['sent']} requests of the {name} phase"

    def read_files(self) -> None:
        latency = self.result["latency"]
        files = [self.work / name for name in ("sidecar.hlog", "probe.hlog", "hiccups.hlog") if (self.work / name).exists()]
        if files:
            latency.update(java_tools.histograms(self.java_home, files))
        if (self.work / "wire.pcap").exists():
            self.say("reading the capture")
            told, count = packet_capture.read(self.work / "wire.pcap", self.ports, self.result.get("captured_s", 0.0) * self.plan.rps)
            if told:
                latency["wire"] = told
            else:
                self.result["wire_missing"] = f"the capture has only {count} exchanges"
            (self.work / "wire.pcap").unlink()
        if all(latency.get(tag, {}).get("count") for tag in ("probe.proxy", "probe.direct")):
            latency["added"] = packet_capture.difference(latency["probe.proxy"], latency["probe.direct"])
        log = self.work / "sidecar.log"
        text = log.read_text(errors="replace") if log.exists() else ""
        if "seconds" in self.result:
            self.result["compiled"] = jvm_log.compiled_by_second(text, self.began_ms, self.result["seconds"])
        self.result["code_cache_full"] = jvm_log.times_full(text)


def tls_engine(log: str) -> str | None:
    """Whose TLS a sidecar has, by the line that it logs at its start; None where there is none."""
    found = TLS_ENGINE.search(log)
    return found.group(1) if found else None


def listed(numbers: set[int]) -> str:
    return ",".join(str(number) for number in sorted(numbers))

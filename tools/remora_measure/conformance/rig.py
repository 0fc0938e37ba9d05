"""The rig of a conformance test: backend, sidecar, generator, probe and meters, started in order, and ended in any case."""
import contextlib
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import CouldNotRun
from ..load import java_tools, packet_capture
from ..machine import children, cores, kernel
from ..systems import admin_pages, configurations
from . import gatling, jvm_log, rig_parts, sampler, verdict
from .plan import Plan
from .rig_parts import Parts, Site

# A generator that needs so much more than its calibration takes does not reach its rate.
CALIBRATION_SLACK_SECONDS = 30
SLACK_SECONDS = 60
PROGRESS_SECONDS = 10
NO_CAPTURE = "left out, as packets cannot be captured here: that needs tcpdump and the capability NET_RAW"
# Path of the probe's calls.
CALL = "/loadtest.Application/Unary"


class Window:
    """The steady window by the monotonic clock, from its creation. The load goes on for a moment after until."""

    def __init__(self, plan: Plan, until: float) -> None:
        self.until = until
        self.began, self.began_ms = time.monotonic(), time.time() * 1000
        self.captured_until = self.began + min(plan.duration_s, packet_capture.MOST_EXCHANGES / plan.rps)
        self.ended: float | None = None


class Before(NamedTuple):
    """Counts at the beginning of the window."""

    steal: kernel.Steal
    cpu: float
    exchanges: float | None


class Rig:
    """Runs a plan once. say(text) reports progress; stop_early() is asked every second of the steady window."""

    def __init__(self, plan: Plan, work: Path, say: Callable[[str], None], stop_early: Callable[[], bool] = lambda: False) -> None:
        self.site, self.stop_early = Site(plan, work, say), stop_early

    def run(self) -> dict[str, Any]:
        """What was measured, as far as it came. Raises CouldNotRun."""
        java_tools.require_built()
        result: dict[str, Any] = {"latency": {}, "samples": [], "generator": {}, "system": {}, "steal_share": None, "control": {}}
        with contextlib.ExitStack() as started:
            started.callback(self.site.log.close)
            if self.site.plan.pin:
                started.enter_context(cores.kept_to(self.site.rig_cores))
            run = Run(self.site, rig_parts.start(self.site, started, result), result, self.stop_early)
            started.callback(run.end_capture)
            run.load(started)
        run.read_files()
        return result


class Run:
    """A load through the parts of a rig, which are started."""

    def __init__(self, site: Site, parts: Parts, result: dict[str, Any], stop_early: Callable[[], bool]) -> None:
        self.plan, self.work, self.say, self.ports, self.log = site.plan, site.work, site.say, site.ports, site.log
        self.java_home, self.stop_early, self.result = site.java_home, stop_early, result
        self.tls, self.sidecar, self.backend, self.generator = parts.tls, parts.sidecar, parts.backend, parts.generator
        self.hiccups, self.sampler, self.control, self.rig_control = parts.hiccups, parts.sampler, parts.control, parts.rig_control
        self.probe: java_tools.Probe | None = None
        self.capture: subprocess.Popen | None = None
        self.window: Window | None = None
        self.stopped_early = False

    def load(self, started: contextlib.ExitStack) -> None:
        """Warm-up and steady window; the probe, which starts between them, is ended by the stack."""
        if self.generator.wait_for("warm-up", self.plan.rehearsal_s + self.plan.calibration_s + CALIBRATION_SLACK_SECONDS):
            self.say(f"warm-up: {self.plan.warmup_s:.0f} s")
            self.result["control"]["before"] = self.control.end(self.work / "control-before.json")
            self.probe = started.enter_context(java_tools.Probe(self.java_home, self.log, self.ports, self.plan.probe_rate, self.tls,
                                                                *self.probed(), self.plan.backend))
            if self.generator.wait_for("steady", self.plan.warmup_s + SLACK_SECONDS) and self.sidecar.alive():
                self.steady(self.probe)
        self.require_rig()
        self.judge_generator()
        self.judge_sidecar()
        if kubelet := self.sampler.charged.kubelet:
            self.result["memory"]["kubelet"] = kubelet.missing
        self.result["samples"] = sampler.since(self.sampler.end(), *self.times())
        self.result["control"]["full_rate_s"] = self.full_rate_s()

    def times(self) -> tuple[float, float]:
        """When the steady window began and ended, which is now for what has not."""
        now = time.monotonic()
        return (self.window.began, self.window.ended or now) if self.window else (now, now)

    def full_rate_s(self) -> float | None:
        """When the warm-up came to the full rate, in seconds of the steady window."""
        warm_up = self.generator.began_at.get("warm-up")
        if warm_up is None:
            return None
        return warm_up + gatling.RAMP_BEGINS_S + gatling.RAMP_SHARE * self.plan.warmup_s - self.times()[0]

    def steady(self, probe: java_tools.Probe) -> None:
        self.say(f"steady: {self.plan.duration_s:.0f} s")
        until = time.monotonic() + self.plan.duration_s - 0.7
        try:
            window, before = self.begin_window(probe, until)
        except OSError:
            if self.sidecar.alive():
                raise
            return  # it ended as the window began
        self.wait(window)
        self.end_window(probe, window, before)

    def begin_window(self, probe: java_tools.Probe, until: float) -> tuple[Window, Before]:
        self.read_latencies()  # the first question loads classes; it ends the interval of the warm-up as well
        self.hiccups.ask("begin")
        self.control.begin()
        self.rig_control.begin()
        probe.ask("begin")
        self.capture = packet_capture.start(self.work / "wire.pcap", self.log, self.ports) if self.captures() else None
        if self.captures() and not self.capture:
            self.result["wire_missing"] = NO_CAPTURE
        window = self.window = Window(self.plan, until)
        return window, Before(kernel.Steal(), kernel.cpu_seconds(self.sidecar.pid), self.count_exchanges())

    def captures(self) -> bool:
        return self.plan.wire and not self.plan.backend and not self.tls and not self.plan.is_over_http2

    def probed(self) -> tuple[str | None, str]:
        """What the probe speaks where that is not HTTP/1.1, and its path."""
        if self.plan.protocol == configurations.GRPC:
            return f"grpc:{self.plan.body_bytes}", CALL
        return "h2" if self.plan.is_over_http2 else None, "/body"

    def wait(self, window: Window) -> None:
        """Until the steady window is over, a moment before the load is, or it is stopped early."""
        told = window.began
        while time.monotonic() < window.until and not self.stopped_early and self.sidecar.alive() and not self.generator.ended():
            time.sleep(min(1.0, max(0.0, window.until - time.monotonic())))
            self.require_rig()
            self.stopped_early = self.stop_early()
            if self.capture and time.monotonic() > window.captured_until:
                self.end_capture()
            if time.monotonic() - told >= max(PROGRESS_SECONDS, self.plan.duration_s / 60):
                told = time.monotonic()
                self.tell_progress(told - window.began)

    def require_rig(self) -> None:
        """A sidecar that ends has failed; without the rest of the rig nothing can be judged."""
        for tool in filter(None, (self.backend, self.hiccups, self.control, self.rig_control, self.probe)):
            if tool.process.poll() is not None:
                raise CouldNotRun(f"{tool.title} has ended, with status {tool.process.returncode}: {self.work}/tools.log")

    def tell_progress(self, seconds: float) -> None:
        last = self.sampler.samples[-1]
        share = last.get("cpu_share") or 0.0
        self.say(f"{seconds:5.0f} of {self.plan.duration_s:.0f} s: RSS {last['rss_mb']:.1f} MB, CPU {100 * share:.1f} %")

    def end_window(self, probe: java_tools.Probe, window: Window, before: Before) -> None:
        """Ends every interval at once; what has ended before cannot be asked any more."""
        window.ended = time.monotonic()
        self.end_controls()
        seconds = window.ended - window.began
        self.result["seconds"] = seconds
        self.result["steal_share"] = before.steal.share()
        with contextlib.suppress(OSError):
            self.result["cpu_share"] = (kernel.cpu_seconds(self.sidecar.pid) - before.cpu) / seconds
            self.result["peak_rss_mb"] = kernel.status(self.sidecar.pid, "VmHWM")
        exchanges = None if self.plan.protocol == configurations.TCP else self.count_exchanges()
        if exchanges is not None and before.exchanges is not None:
            self.result["answered_rps"] = (exchanges - before.exchanges) / seconds
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
            began, ended = self.times()
            self.result["captured_s"] = ended - began
            children.stop(self.capture)
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

    def sidecar_log(self) -> str:
        """What it wrote, or of one that was not started here, its JVM's log of compilations."""
        log = self.plan.sidecar_log or self.work / "sidecar.log"
        if self.plan.running and not log.exists():
            self.result["log_missing"] = "the log of the sidecar's JVM is not to be seen from here: see --sidecar-log"
        return log.read_text(errors="replace") if log.exists() else ""

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
        text = self.sidecar_log()
        if self.window and "seconds" in self.result:
            self.result["compiled"] = jvm_log.compiled_by_second(text, self.window.began_ms, self.result["seconds"])
        self.result["code_cache_full"] = jvm_log.times_full(text)

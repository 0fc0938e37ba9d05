"""Gatling, or over HTTP/2 a generator of our own, as a process: its phases as it tells them, and what it judged."""
import queue
import re
import subprocess
import threading
import time
from pathlib import Path

from ..load import java_tools
from ..machine import children
from ..systems.certificates import Tls
from ..systems.configurations import Ports
from .plan import Plan

# The last has Netty load CutsAreFailures, without which Gatling hides requests that a sidecar loses.
OPTIONS = ("-Xms512m", "-Xmx1g", "-XX:+UseParallelGC", "-XX:+ExitOnOutOfMemoryError", "--add-opens=java.base/java.lang=ALL-UNNAMED",
           "-Dio.netty.bootstrap.extensions=serviceload")
BEGINS = re.compile(r"phase (\S+) begins")
SUMMARY = re.compile(r"phase (\S+) sent (\d+) in ([\d.]+) s, ended (\d+) in ([\d.]+) s, failed (\d+), late (\d+)")
JUDGED = re.compile(r"steady GET: (\S+)(?: percentile)? of response time .*\(actual : ([\d.]+)\)")
# So much of the warm-up, and a second, has passed when it comes to the full rate (SidecarSimulation.warmUpSteps).
RAMP_SHARE, RAMP_BEGINS_S = 0.5, 1
QUANTILES = {"50th": "p50_ms", "99th": "p99_ms", "99.9th": "p999_ms", "max": "max_ms"}


class Generator:
    """Runs the simulation: calibration, warm-up, steady. To be asked from one thread.

    began_at: when each phase began, by the monotonic clock. phases: what each phase sent and got. judged: whole milliseconds by quantile,
    Gatling's own of the steady GETs. The last two are there once finish() has returned. late_for: the phase that it did not come to in the
    time it was given, if there is one."""

    def __init__(self, plan: Plan, ports: Ports, java_home: str, work: Path, tls: Tls | None = None) -> None:
        self.work = work
        self.began_at: dict[str, float] = {}
        self.phases: dict[str, dict[str, float]] = {}
        self.judged: dict[str, float] = {}
        self.late_for: str | None = None
        self.begun: queue.Queue[str | None] = queue.Queue()
        secured = {"scheme": "https", **tls.generator_settings()} if tls else {"scheme": "http"}
        settings = {**secured, "front": ports.front, "backend": plan.backend or ports.backend, "rate": max(1, plan.rps - plan.probe_rate),
                    "calibrationRate": plan.calibration_rps,
                    "connections": plan.connections, "protocol": plan.protocol, "postShare": plan.post_share, "bodyBytes": plan.body_bytes,
                    "mayFail": int(plan.error_share > 0), "rehearsalSeconds": int(plan.rehearsal_s), "calibrationSeconds": int(plan.calibration_s),
                    "warmupSeconds": int(plan.warmup_s), "steadySeconds": int(plan.duration_s), "java.util.prefs.userRoot": work}
        if tls and plan.is_over_http2:
            settings.update(zip(("tls", "certificates"), java_tools.java_words(tls)))
        words = [java_tools.PACKAGE + "Http2Simulation"] if plan.is_over_http2 else [
            "io.gatling.app.Gatling", "--simulation", java_tools.PACKAGE + "SidecarSimulation", "--results-folder", str(work / "gatling")]
        command = [f"{java_home}/bin/java", *OPTIONS, *plan.generator_options.split(),
                   *(f"-D{key}={value}" for key, value in settings.items()), "-cp", java_tools.CLASS_PATH, *words]
        self.process = children.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout
        with open(self.work / "gatling.log", "w") as log:
            for line in self.process.stdout:
                log.write(line)
                if found := BEGINS.search(line):
                    self.began_at[found.group(1)] = time.monotonic()
                    self.begun.put(found.group(1))
                elif found := SUMMARY.search(line):
                    sent, sent_s, ended, ended_s, failed, late = (float(text) for text in found.groups()[1:])
                    self.phases[found.group(1)] = {"sent": int(sent), "sent_s": sent_s, "requests": int(ended), "seconds": ended_s,
                                                   "failed": int(failed), "late": int(late)}
                elif found := JUDGED.search(line):
                    self.judged[QUANTILES[found.group(1)]] = float(found.group(2))
        self.begun.put(None)

    def wait_for(self, phase: str, seconds: float) -> bool:
        """True when that phase has begun, False where the generator gave up before it, or is ended here as it did not come to it in time."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                begun = self.begun.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.late_for = phase
                self.stop()
                return False
            if begun == phase:
                return True
            if begun is None:
                return False

    def ended(self) -> bool:
        return self.process.poll() is not None

    def finish(self, seconds: float = 90) -> None:
        """Waits for the end, Gatling's report included; what it does not end by itself is ended."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            children.stop(self.process)
        self.reader.join(10)

    def stop(self) -> None:
        if not self.ended():
            children.stop(self.process)
        self.reader.join(10)

    def rate(self, phase: str) -> float | None:
        """Requests a second of a phase that were answered well; None where there was no such phase."""
        told = self.phases.get(phase)
        return (told["requests"] - told["failed"]) / told["seconds"] if told and told["seconds"] else None

    def report(self) -> Path | None:
        """The page of Gatling's own report, if it came to that."""
        return next(iter(sorted((self.work / "gatling").glob("*/index.html"))), None)

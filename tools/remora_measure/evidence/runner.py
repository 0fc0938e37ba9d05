"""Measures families: round by round through all variants, each run appended to a file at once, so that a later start goes on from there."""
import datetime
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from .. import arms
from ..errors import CouldNotRun, DidNotEnd
from ..load import wrk
from ..load.java_tools import HiccupMeter, LoadSession
from ..machine import children, kernel
from ..machine.kernel import status
from ..repository import JVM_PROFILES
from ..runs import Window
from ..systems import admin_pages, peers, sidecars
from ..systems.configurations import FIXED_PORTS
from .effects import Record
from .images import Images
from .variants import Family, Variant, Windows

RESULTS = JVM_PROFILES / "evidence/results"
PORTS = FIXED_PORTS
# Start, end and the questions in between.
OVERHEAD_SECONDS = 1.4
CODE_SEGMENT = re.compile(r"(?m)^(CodeCache|CodeHeap '[^']+'): size=(\d+)Kb,? used=\d+Kb,? max_used=(\d+)Kb")

Figures = dict[str, Any]


def run_seconds(family: Family, variant: Variant, windows: Windows | None = None) -> float:
    return sum(windows or family.windows_of(variant)) + OVERHEAD_SECONDS


def describe_machine(envoy: str | None) -> dict[str, object]:
    """The machine, and the versions of the systems that were measured next to the sidecar."""
    commands = {"nginx": ["nginx", "-v"], "wrk": ["wrk", "-v"], "Envoy": [envoy, "--version"] if envoy else []}
    versions = {}
    for name, command in commands.items():
        told = children.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout if command else ""
        found = re.search(r"\d+\.\d+(\.\d+)?", told.split("version:")[-1])
        versions[name] = found.group(0) if found else "missing"
    return {**kernel.describe_machine(), "versions": versions}


def on_file(name: str, results: Path = RESULTS) -> list[Record]:
    path = results / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def in_order(identity: Iterable[Any]) -> list[Any]:
    """With the options sorted: their order makes no difference."""
    return [sorted(part) if isinstance(part, list) else part for part in identity]


def still_to_run(family: Family, rounds: int, records: Iterable[Record]) -> list[tuple[int, Variant]]:
    """The variants of each round that are not on file. Runs with other options do not count, and must not be mixed with."""
    identities = {variant.name: variant.identity() for variant in family.variants}
    done = set()
    for record in records:
        if record["arm"] in identities and in_order(record["identity"]) != identities[record["arm"]]:
            raise SystemExit(f"{family.name}.jsonl holds runs of {record['arm']} with other options; remove it to measure anew")
        done.add((record["arm"], record["round"]))
    return [(number, variant) for number in range(1, rounds + 1) for variant in family.variants if (variant.name, number) not in done]


class Runner:
    """Measures variants one after the other. The backend is there, and the session and the meter have been started."""

    def __init__(self, work: Path, log: BinaryIO, session: LoadSession, hiccups: HiccupMeter, images: Images,
                 results: Path = RESULTS) -> None:
        self.work, self.log, self.session, self.hiccups, self.images, self.results = work, log, session, hiccups, images, results
        self.envoy = peers.envoy_program()
        self.results.mkdir(parents=True, exist_ok=True)
        self.machine = describe_machine(self.envoy)

    def run(self, family: Family, rounds: int, windows: Windows | None = None) -> None:
        for number, variant in still_to_run(family, rounds, on_file(family.name, self.results)):
            its_windows = windows or family.windows_of(variant)
            record = {"family": family.name, "arm": variant.name, "round": number, "identity": variant.identity(),
                      "against": variant.against, "rows": list(variant.rows), "what": variant.what, "topic": variant.topic,
                      "at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                      "load1": os.getloadavg()[0], "windows": its_windows, "machine": self.machine}
            record.update(self.measure(variant, its_windows))
            with open(self.results / f"{family.name}.jsonl", "a") as results:
                results.write(json.dumps(record) + "\n")
            self.tell(record)

    def tell(self, record: Record) -> None:
        shown = [f"{key} {record[key]}" for key in ("rss_mb", "cpu_us", "p99_us", "p999_us", "rps", "failed") if key in record]
        print(f"{record['family']} {record['round']} {record['arm']}: {', '.join(shown)}", file=sys.stderr)

    def measure(self, variant: Variant, windows: Windows) -> Figures:
        """The figures of one run; "failed" alone where the system did not start."""
        output = self.work / "output"
        command, environment = self.command(variant), environment_of(variant)
        arm = arms.Arm(variant.name, lambda: sidecars.Process("command", variant.name, command, output, environment))
        try:
            self.session.revive()
            with arms.running(arm, PORTS) as system:
                figures = {"start_s": round(system.start_s, 4), **self.drive(variant, windows, system.sidecar.pid)}
        except DidNotEnd as why:
            return {"failed": str(why)}
        except CouldNotRun:
            return {"failed": complaint(output.read_text(errors="replace")) or "no answer"}
        return {**figures, **code_cache(output.read_text(errors="replace"))}

    def command(self, variant: Variant) -> list[str]:
        if variant.image:
            return self.images.command(variant.image, variant.options)
        return peers.envoy_command(self.envoy or sys.exit("evidence: no envoy on the PATH"), self.work)

    def drive(self, variant: Variant, windows: Windows, pid: int) -> Figures:
        load = self.begin_load(variant, windows)
        time.sleep(0.2 + windows.warmup)
        steal = kernel.Steal()
        first = Window(lambda: kernel.cpu_seconds(pid), PORTS.backend)
        time.sleep(windows.memory)
        all_windows = [first.end()]
        figures: Figures = {"rss_mb": status(pid, "VmHWM"), "anon_mb": status(pid, "RssAnon"), "file_mb": status(pid, "RssFile")}
        if windows.latency:
            second, hiccups = self.latency_window(variant, windows, pid)
            all_windows.append(second)
            figures.update(hiccups)
        figures["steal_share"] = round(steal.share(), 4)
        figures.update(self.end_load(load))
        requests = sum(window.requests for window in all_windows)
        figures["cpu_us"] = round(sum(window.cpu_s for window in all_windows) / requests * 1e6, 2)
        figures["rps"] = round(requests / sum(window.seconds for window in all_windows), 1)
        if variant.image:
            figures.update(self.inside(pid, windows))
        return figures

    def latency_window(self, variant: Variant, windows: Windows, pid: int) -> tuple[Window, Figures]:
        """A second window, in which the sidecar's own latencies and the host's hiccups are recorded."""
        if variant.image:
            self.session.begin_interval()
        self.hiccups.begin()
        window = Window(lambda: kernel.cpu_seconds(pid), PORTS.backend)
        time.sleep(windows.latency)
        window.end()
        hiccups = self.hiccups.end(self.work / "hiccups.hlog")
        if variant.image:
            self.session.end_interval()
        return window, {"hiccup_max_ms": round(hiccups["max_us"] / 1e3, 2), "hiccups_over_5ms": int(hiccups["over_5ms"])}

    def begin_load(self, variant: Variant, windows: Windows) -> wrk.Loop | None:
        """Starts the load of a variant; a closed loop, or None for the session's fixed rate."""
        seconds = windows.memory + windows.latency + 0.6
        if not variant.rate:
            return wrk.Loop(windows.warmup + seconds + 1, PORTS.front, variant.connections)
        self.session.begin(variant.rate, variant.connections, windows.warmup, seconds)
        return None

    def end_load(self, load: wrk.Loop | None) -> Figures:
        if load:
            return {"requests_failed": wrk.failures(load.told())}
        answer = self.session.answer()
        return {"requests_failed": int(answer["failed"]), "client_p99_us": answer["p99_us"]}

    def inside(self, pid: int, windows: Windows) -> Figures:
        """What only the sidecar's own pages tell; asking for metrics loads classes, as a user's scrapes will."""
        figures: Figures = {"archive": ".jsa" in Path(f"/proc/{pid}/maps").read_text()}
        if windows.latency:
            answer = self.session.latencies()
            figures.update({key: answer[key] for key in ("p50_us", "p99_us", "p999_us")})
            figures["exchanges"] = int(answer["requests"])
        admin_pages.fetch(PORTS.admin, "/metrics")
        figures["rss_scraped_mb"] = status(pid, "VmHWM")
        return figures


def environment_of(variant: Variant) -> dict[str, str]:
    """The environment as it is, with only what the variant says of options and of malloc's arenas."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MALLOC_ARENA_MAX", "JDK_JAVA_OPTIONS")}
    return {**environment, "MALLOC_ARENA_MAX": variant.arenas} if variant.arenas else environment


def complaint(text: str) -> str:
    """The line that says why, among what else was printed before it ended."""
    lines = [line for line in text.splitlines() if re.search(r"(?i)error|unrecognized|could not", line)]
    return lines[0].strip() if lines else ""


def code_cache(text: str) -> Figures:
    """What -XX:+PrintCodeCache says at the JVM's end: size and most used, in KiB, by segment; whether it was ever full."""
    segments = {name.replace("CodeHeap ", "").strip("'"): [int(size), int(most)] for name, size, most in CODE_SEGMENT.findall(text)}
    if len(segments) > 1:
        segments.pop("CodeCache", None)
    counts = {name: int(count) for name, count in re.findall(r"(full_count|stopped_count)=(\d+)", text)}
    return {"code_cache_kib": segments, **counts} if segments else {}

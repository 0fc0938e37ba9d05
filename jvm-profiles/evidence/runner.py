"""Measures families: round by round through all arms, each run appended to a file at once, so that a later start goes on from there."""
import datetime
import json
import os
import re
import subprocess
import sys
import time

from footprint import admin, kernel, processes, systems, tools
from footprint.kernel import status
from profiles import PROFILES

RESULTS = PROFILES / "evidence/results"
PORTS = systems.FIXED
# Start, end and the questions in between.
OVERHEAD_SECONDS = 1.4
CODE_SEGMENT = re.compile(r"(?m)^(CodeCache|CodeHeap '[^']+'): size=(\d+)Kb,? used=\d+Kb,? max_used=(\d+)Kb")


def run_seconds(family, arm, windows=None):
    return sum(windows or family.windows_of(arm)) + OVERHEAD_SECONDS


def describe_machine(envoy):
    """The machine, and the versions of what was measured beside the sidecar."""
    peers = {"nginx": ["nginx", "-v"], "wrk": ["wrk", "-v"], "Envoy": [envoy, "--version"]}
    versions = {}
    for name, command in peers.items():
        told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout if command[0] else ""
        found = re.search(r"\d+\.\d+(\.\d+)?", told.split("version:")[-1])
        versions[name] = found.group(0) if found else "missing"
    return {**kernel.describe_machine(), "versions": versions}


def on_file(name, results=RESULTS):
    path = results / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def in_order(identity):
    """With the options sorted: their order makes no difference."""
    return [sorted(part) if isinstance(part, list) else part for part in identity]


def still_to_run(family, rounds, records):
    """The arms of each round that are not on file. Runs with other options do not count, and must not be mixed with."""
    identities = {arm.name: arm.identity() for arm in family.arms}
    for record in records:
        if record["arm"] in identities and in_order(record["identity"]) != identities[record["arm"]]:
            raise SystemExit(f"{family.name}.jsonl holds runs of {record['arm']} with other options; remove it to measure anew")
    done = {(record["arm"], record["round"]) for record in records}
    return [(number, arm) for number in range(1, rounds + 1) for arm in family.arms if (arm.name, number) not in done]


class Runner:
    def __init__(self, work, log, session, hiccups, images, results=RESULTS):
        self.work, self.log, self.session, self.hiccups, self.images, self.results = work, log, session, hiccups, images, results
        self.envoy = systems.envoy_program()
        self.results.mkdir(parents=True, exist_ok=True)
        (self.results / "machine.json").write_text(json.dumps(describe_machine(self.envoy), indent=1) + "\n")

    def run(self, family, rounds, windows=None):
        for number, arm in still_to_run(family, rounds, on_file(family.name, self.results)):
            record = {"family": family.name, "arm": arm.name, "round": number, "identity": arm.identity(),
                      "against": arm.against, "rows": list(arm.rows), "what": arm.what, "topic": arm.topic,
                      "at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                      "load1": os.getloadavg()[0]}
            record["windows"] = windows or family.windows_of(arm)
            record.update(self.measure(arm, record["windows"]))
            with open(self.results / f"{family.name}.jsonl", "a") as results:
                results.write(json.dumps(record) + "\n")
            self.tell(record)

    def tell(self, record):
        shown = [f"{key} {record[key]}" for key in ("rss_mb", "cpu_us", "p99_us", "p999_us", "rps", "failed") if key in record]
        print(f"{record['family']} {record['round']} {record['arm']}: {', '.join(shown)}", file=sys.stderr)

    def measure(self, arm, windows):
        processes.require_free(PORTS.front, PORTS.admin)
        output = self.work / "output"
        command = self.images.command(arm.image, arm.options) if arm.image else systems.envoy_command(self.envoy, self.work)
        environment = {key: value for key, value in os.environ.items() if key not in ("MALLOC_ARENA_MAX", "JDK_JAVA_OPTIONS")}
        if arm.arenas:
            environment["MALLOC_ARENA_MAX"] = arm.arenas
        with open(output, "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
            try:
                start = processes.seconds_to_first_answer(process, PORTS.front)
                figures = self.drive(arm, windows, process.pid) if start else {}
            finally:
                processes.stop(process)
        text = output.read_text(errors="replace")
        if not start:
            return {"failed": complaint(text) or "no answer"}
        return {"start_s": round(start, 4), **figures, **code_cache(text)}

    def drive(self, arm, windows, pid):
        load = self.begin_load(arm, windows)
        time.sleep(0.2 + windows.warmup)
        steal, spent = kernel.Steal(), lambda: kernel.cpu_seconds(pid)
        first = tools.Window(spent, PORTS.backend)
        time.sleep(windows.memory)
        all_windows = [first.end()]
        figures = {"rss_mb": status(pid, "VmHWM"), "anon_mb": status(pid, "RssAnon"), "file_mb": status(pid, "RssFile")}
        if windows.latency:
            if arm.image:
                self.session.begin_interval()
            self.hiccups.begin()
            second = tools.Window(spent, PORTS.backend)
            time.sleep(windows.latency)
            all_windows.append(second.end())
            hiccups = self.hiccups.end(self.work / "hiccups.hlog")
            figures.update({"hiccup_max_ms": round(hiccups["max_us"] / 1e3, 2), "hiccups_over_5ms": int(hiccups["over_5ms"])})
            if arm.image:
                self.session.end_interval()
        figures["steal_share"] = round(steal.share(), 4)
        figures.update(self.end_load(load))
        requests = sum(window.requests for window in all_windows)
        figures["cpu_us"] = round(sum(window.cpu_s for window in all_windows) / requests * 1e6, 2)
        figures["rps"] = round(requests / sum(window.seconds for window in all_windows), 1)
        if arm.image:
            figures.update(self.inside(pid, windows))
        return figures

    def begin_load(self, arm, windows):
        seconds = windows.memory + windows.latency + 0.6
        if arm.rate:
            return self.session.begin(arm.rate, arm.connections, windows.warmup, seconds)
        return tools.wrk(windows.warmup + seconds + 1, PORTS.front, arm.connections)

    def end_load(self, load):
        if load:
            failed = re.search(r"Non-2xx or 3xx responses: (\d+)", load.communicate()[0])
            return {"requests_failed": int(failed.group(1)) if failed else 0}
        answer = self.session.answer()
        return {"requests_failed": int(answer["failed"]), "client_p99_us": answer["p99_us"]}

    def inside(self, pid, windows):
        """What only the sidecar's own pages tell; asking for metrics loads classes, as a user's scrapes will."""
        figures = {"archive": ".jsa" in open(f"/proc/{pid}/maps").read()}
        if windows.latency:
            answer = self.session.latencies()
            figures.update({key: answer[key] for key in ("p50_us", "p99_us", "p999_us")})
            figures["exchanges"] = int(answer["requests"])
        admin.fetch(PORTS.admin, "/metrics")
        figures["rss_scraped_mb"] = status(pid, "VmHWM")
        return figures


def complaint(text):
    """The line that says why, among what else was printed before it ended."""
    lines = [line for line in text.splitlines() if re.search(r"(?i)error|unrecognized|could not", line)]
    return lines[0].strip() if lines else ""


def code_cache(text):
    """What -XX:+PrintCodeCache says at the JVM's end: size and most used, in KiB, by segment; whether it was ever full."""
    segments = {name.replace("CodeHeap ", "").strip("'"): [int(size), int(most)] for name, size, most in CODE_SEGMENT.findall(text)}
    if len(segments) > 1:
        segments.pop("CodeCache", None)
    counts = {name: int(count) for name, count in re.findall(r"(full_count|stopped_count)=(\d+)", text)}
    return {"code_cache_kib": segments, **counts} if segments else {}

#!/usr/bin/env python3
"""Measures the sidecar beside its peers: RSS, CPU per request, latency at a fixed rate, and closed-loop throughput.

Each round starts every proxy anew, one after the other (A B C, A B C, ...), in front of the same nginx, so that a
machine whose speed drifts treats them alike. Printed are the median and the range over the rounds, and the ratios of
each round's figures to the first peer's.

Needs: a JDK with jlink, nginx; tcpdump for the wire's figures; wrk for the closed loop; envoy and haproxy to compare with.
"""
import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure
import systems
from measure import ADMIN, BACKEND, FRONT, HERE, PROXY, status


class Arm:
    def __init__(self, name, command, environment=None):
        self.name, self.command, self.environment = name, command, environment or {}

    def start(self, log):
        measure.require_free(FRONT, ADMIN)
        return subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **self.environment})


def measure_rate(pid, options, work, session, log):
    row = {}
    session.begin(options.rate, options.connections, options.warmup, options.seconds)
    time.sleep(0.2 + options.warmup + 0.3)
    capture = measure.capture(work / "wire.pcap", log) if options.wire else None
    window = measure.Window(pid)
    time.sleep(max(1, options.seconds - 1.5))
    window.end()
    row["cpu_us"] = window.cpu_seconds / window.requests * 1e6
    row["rss_mb"] = status(pid, "VmHWM")
    row["anon_mb"] = status(pid, "RssAnon")
    row["file_mb"] = status(pid, "RssFile")
    if capture:
        capture.send_signal(signal.SIGTERM)
        capture.wait()
    answer = session.answer()
    if answer["failed"]:
        sys.exit(f"{answer['failed']:.0f} requests failed: these figures would be about something else")
    row.update({f"client_{k}": v for k, v in answer.items() if k.endswith("_us")})
    if capture:
        wire = subprocess.run([sys.executable, HERE / "wire.py", work / "wire.pcap", str(FRONT), str(BACKEND)],
                              capture_output=True, text=True)
        row.update({f"wire_{k}": v for k, v in measure.figures(wire.stdout).items() if k.endswith("_us")})
    return row


def measure_inside(pid, options, session):
    """What the sidecar's own pages say; the questions load classes, so this comes after the RSS."""
    text = measure.admin("/metrics")
    row = {"classes": float(re.search(r"(?m)^remora_jvm_classes_loaded (\S+)", text).group(1))}
    row["code_cache_mb"] = sum(measure.samples(text, "remora_jvm_code_cache_used_bytes").values()) / 1e6
    session.begin(options.rate, options.connections, 1, 11)
    time.sleep(1)
    session.begin_interval()
    session.answer()
    session.end_interval()
    row.update({f"proxy_{k}": v for k, v in session.latencies().items() if k.endswith("_us")})
    row["rss_after_scrape_mb"] = status(pid, "VmHWM")
    return row


def measure_closed(pid, options):
    measure.wrk(4).communicate()
    window = measure.Window(pid)
    measure.wrk(options.closed).communicate()
    window.end()
    return {"closed_rps": window.requests / window.seconds, "closed_cpu_us": window.cpu_seconds / window.requests * 1e6,
            "closed_rss_mb": status(pid, "VmHWM")}


def measure_arm(arm, options, work, session, log):
    process = arm.start(log)
    try:
        measure.wait_for(FRONT)
        row = measure_rate(process.pid, options, work, session, log)
        if arm.name.startswith("remora"):
            row.update(measure_inside(process.pid, options, session))
        if options.closed and shutil.which("wrk"):
            row.update(measure_closed(process.pid, options))
    finally:
        measure.stop(process)
    return row


def arms(options, work, image):
    java = {"REMORA_JAVA": f"{image}/bin/java"}
    remora = [str(PROXY / "bin/remora"), "run", "--config", str(work / "remora.yaml")]
    known = [Arm("remora", remora, java)]
    for extra in options.variant:
        name, _, flags = extra.partition("=")
        known.append(Arm("remora-" + name, remora, {**java, "REMORA_JAVA_OPTS": flags.replace("{work}", str(work))}))
    for extra in options.image:
        name, _, place = extra.partition("=")
        directory, _, rps = place.partition("@")
        known.append(Arm("remora-" + name, [f"{directory}/bin/remora", "run", "--rps", rps or "1000", "--config", str(work / "remora.yaml")]))
    envoy = systems.envoy_program(options.envoy)
    if envoy:
        known.append(Arm("envoy", systems.envoy_command(envoy, work)))
    haproxy = shutil.which("haproxy")
    if haproxy:
        known.append(Arm("haproxy", systems.haproxy_command(haproxy, work)))
    wanted = options.only.split(",") if options.only else None
    return [arm for arm in known if wanted is None or arm.name in wanted]


def report(rows, peers):
    print(f"{'figure':22}" + "".join(f"{name:>34}" for name in rows))
    keys = [key for name in rows for key in rows[name][0]]
    for key in dict.fromkeys(keys):
        line = f"{key:22}"
        for name in rows:
            values = [row[key] for row in rows[name] if key in row]
            line += f"{statistics.median(values):14.1f} ({min(values):8.1f} ..{max(values):8.1f})" if values else " " * 34
        print(line)
    for name, peer in ((name, peer) for name in rows for peer in peers if name.startswith("remora") and peer in rows):
        for key in ("rss_mb", "cpu_us", "wire_p50_us", "closed_rps", "closed_cpu_us"):
            ratios = [a[key] / b[key] for a, b in zip(rows[name], rows[peer]) if key in a and key in b]
            if ratios:
                print(f"{name} to {peer}: {key:14} {statistics.median(ratios):.2f} ({min(ratios):.2f} .. {max(ratios):.2f})")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--java-home", default=measure.default_java_home())
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--body", type=int, default=1024)
    parser.add_argument("--warmup", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--closed", type=int, default=0, help="seconds of closed loop over 64 connections")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wire", action="store_true", help="capture packets in the measured window")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_argument("--only", help="names of the proxies to run, by commas")
    parser.add_argument("--variant", action="append", default=[], help="NAME=JVM OPTIONS: one more arm of the sidecar; {work} is the scratch folder")
    parser.add_argument("--image", action="append", default=[], help="NAME=DIR@RPS: one more arm: a built runtime image with that profile")
    parser.add_argument("--appcds", action="store_true", help="one more arm: the sidecar with an AppCDS archive of its classes")
    parser.add_argument("--json", type=Path, help="also write every round's figures there")
    return parser.parse_args()


def run(options, work, log):
    with contextlib.ExitStack() as started:
        image = measure.jlink(work / "image", options.java_home)
        session = measure.LoadSession(work, options.java_home, log)
        started.callback(session.close)
        nginx = systems.start_backend(work, log)
        started.callback(measure.stop, nginx)
        if options.appcds:
            jar = PROXY / "core/target/remora.jar"
            flags = ["-XX:+UseSerialGC", "-Xmx64m"]
            measure.archive(image / "bin/java", flags, jar, work / "remora.yaml", work / "remora.jsa", session, log)
            options.variant.append(f"appcds=-XX:SharedArchiveFile={work}/remora.jsa")
        rows = {}
        for number in range(options.rounds):
            for arm in arms(options, work, image):
                rows.setdefault(arm.name, []).append(measure_arm(arm, options, work, session, log))
                print(f"round {number + 1} {arm.name} {rows[arm.name][-1]}", file=sys.stderr)
        report(rows, ["envoy", "haproxy"])
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))


def main():
    options = read_arguments()
    work = Path(tempfile.mkdtemp(prefix="footprint."))
    systems.write_configs(work, options.body)
    try:
        with open(work / "log", "wb") as log:
            run(options, work, log)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()

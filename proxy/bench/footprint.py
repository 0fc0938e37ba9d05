#!/usr/bin/env python3
"""Measures the sidecar beside its peers: RSS, CPU per request, latency at a fixed rate, and closed-loop throughput.

Each round starts every proxy anew, one after the other (A B C, A B C, ...), in front of the same nginx, so that a
machine whose speed drifts treats them alike. Printed are the median and the range over the rounds, and the ratios of
each round's figures to the first peer's.

Needs: a JDK with jlink, nginx; tcpdump for the wire's figures; wrk for the closed loop; envoy and haproxy to compare with.
"""
import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROXY = HERE.parent
BACKEND, FRONT, ADMIN = 18081, 18080, 19990
# what jdeps names for the core and its libraries, and what the first scrape loads
MODULES = "java.base,java.management,jdk.unsupported"

NGINX = """worker_processes 1; daemon off; pid {work}/nginx.pid; error_log {work}/nginx.err;
events {{ worker_connections 8192; }}
http {{ access_log off; keepalive_requests 1000000000; keepalive_timeout 3600s;
  client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ root {work}/www; }} }} }}
"""
REMORA = """admin: {{ address: "127.0.0.1:{admin}" }}
listeners:
  - name: inbound
    address: 127.0.0.1:{front}
    cluster: app
clusters:
  app: {{ endpoints: ["127.0.0.1:{port}"] }}
"""
ENVOY = """static_resources:
  listeners:
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {front} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: in
          route_config:
            virtual_hosts:
            - {{ name: all, domains: ["*"], routes: [ {{ match: {{ prefix: "/" }}, route: {{ cluster: app }} }} ] }}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {{ "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }}
  clusters:
  - name: app
    type: STATIC
    load_assignment:
      cluster_name: app
      endpoints: [ {{ lb_endpoints: [ {{ endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }} }} }} ] }} ]
"""
HAPROXY = """global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 1s
  timeout client 300s
  timeout server 300s
frontend in
  bind 127.0.0.1:{front}
  option forwardfor
  default_backend app
backend app
  http-reuse always
  server app 127.0.0.1:{port}
"""


def wait_for(port, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on port {port}")


def status(pid, key):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def admin(path):
    with urllib.request.urlopen(f"http://127.0.0.1:{ADMIN}{path}", timeout=5) as answer:
        return answer.read().decode()


def buckets(text, name):
    found = re.findall(rf'{name}_bucket{{[^}}]*le="([^"]+)"}} ([0-9.e+]+)', text.replace("+Inf", "inf"))
    return {float(bound): float(count) for bound, count in found}


def bucket_percentile(before, after, name, share):
    """The upper bound, in us, of the histogram bucket that holds the percentile of what came between two scrapes."""
    old, new = buckets(before, name), buckets(after, name)
    counts = [(bound, count - old.get(bound, 0)) for bound, count in sorted(new.items())]
    for bound, count in counts:
        if counts[-1][1] and count >= share * counts[-1][1]:
            return bound * 1e6
    return float("nan")


class Arm:
    def __init__(self, name, command, environment=None):
        self.name, self.command, self.environment = name, command, environment or {}

    def start(self, log):
        return subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **self.environment})


def jlink(work, java_home):
    image = work / "image"
    subprocess.run(
        [f"{java_home}/bin/jlink", "--add-modules", MODULES, "--strip-debug", "--no-header-files", "--no-man-pages",
         "--output", image], check=True, capture_output=True)
    subprocess.run([image / "bin/java", "-XX:+UseSerialGC", "-Xshare:dump"], check=True, capture_output=True)
    return image


def archive(options, work, image, java, log):
    """Makes an AppCDS archive of the classes that a training run (start, traffic, scrape, drain) loaded."""
    listed = work / "classes.lst"
    flags = f"-Xshare:off -XX:DumpLoadedClassList={listed}"
    training = next(arm for arm in arms(options, work, image, everything=True) if arm.name == "remora")
    training.environment = {**training.environment, "REMORA_JAVA_OPTS": flags}
    process = training.start(log)
    try:
        wait_for(FRONT)
        load(options, work, java, 200, 0, 3, log).wait()
        admin("/metrics")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    subprocess.run(
        [image / "bin/java", "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:dump", f"-XX:SharedClassListFile={listed}",
         f"-XX:SharedArchiveFile={work}/remora.jsa", "-jar", PROXY / "core/target/remora.jar"],
        check=True, stdout=log, stderr=log)
    return f"-XX:SharedArchiveFile={work}/remora.jsa"


def load(options, work, java, rate, warmup, seconds, log):
    classpath = f"{PROXY}/core/target/lib/*:{work}/classes"
    return subprocess.Popen(
        [java, "-Xmx64m", "-cp", classpath, "FixedRateLoad", str(FRONT), "/body", str(rate), str(options.connections),
         str(warmup), str(seconds)], stdout=subprocess.PIPE, stderr=log, text=True)


def figures(text):
    words = text.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


def measure(arm, options, work, java, log):
    row = {}
    process = arm.start(log)
    try:
        wait_for(FRONT)
        client = load(options, work, java, options.rate, options.warmup, options.seconds, log)
        time.sleep(0.2 + options.warmup + 0.3)
        capture = None
        if options.wire and shutil.which("tcpdump"):
            capture = subprocess.Popen(
                ["tcpdump", "-i", "lo", "-s", "400", "-B", "16384", "-w", work / "wire.pcap", "-Z", "root",
                 f"tcp and (port {FRONT} or port {BACKEND})"], stderr=log)
        before_cpu, before = cpu_seconds(process.pid), time.monotonic()
        time.sleep(max(1, options.seconds - 1.5))
        row["cpu_us"] = (cpu_seconds(process.pid) - before_cpu) / ((time.monotonic() - before) * options.rate) * 1e6
        row["rss_mb"] = status(process.pid, "VmHWM")
        row["anon_mb"] = status(process.pid, "RssAnon")
        row["file_mb"] = status(process.pid, "RssFile")
        if capture:
            capture.send_signal(signal.SIGTERM)
            capture.wait()
        row.update({f"client_{k}": v for k, v in figures(client.communicate()[0]).items() if k.endswith("_us")})
        if capture:
            wire = subprocess.run([sys.executable, HERE / "wire.py", work / "wire.pcap", str(FRONT), str(BACKEND)],
                                  capture_output=True, text=True)
            row.update({f"wire_{k}": v for k, v in figures(wire.stdout).items() if k.endswith("_us")})
        if arm.name.startswith("remora"):
            text = admin("/metrics")
            row["classes"] = float(re.search(r"(?m)^remora_jvm_classes_loaded (\S+)", text).group(1))
            row["code_cache_mb"] = sum(float(v) for v in re.findall(r"(?m)^remora_jvm_code_cache_used_bytes{[^}]*} (\S+)", text)) / 1e6
            load(options, work, java, options.rate, 0, 10, log).communicate()
            steady = admin("/metrics")
            for key, share in (("p50", 0.5), ("p99", 0.99), ("p999", 0.999)):
                row[f"proxy_{key}_us"] = bucket_percentile(text, steady, "remora_proxy_time_seconds", share)
            row["rss_after_scrape_mb"] = status(process.pid, "VmHWM")
        if options.closed and shutil.which("wrk"):
            subprocess.run(["wrk", "-t1", "-c64", "-d4", f"http://127.0.0.1:{FRONT}/body"], capture_output=True)
            before_cpu = cpu_seconds(process.pid)
            out = subprocess.run(["wrk", "-t1", "-c64", f"-d{options.closed}", f"http://127.0.0.1:{FRONT}/body"],
                                 capture_output=True, text=True).stdout
            row["closed_rps"] = float(re.search(r"Requests/sec:\s+(\S+)", out).group(1))
            requests = int(re.search(r"(\d+) requests in", out).group(1))
            row["closed_cpu_us"] = (cpu_seconds(process.pid) - before_cpu) / requests * 1e6
            row["closed_rss_mb"] = status(process.pid, "VmHWM")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return row


def arms(options, work, image, everything=False):
    values = dict(front=FRONT, port=BACKEND, admin=ADMIN, work=work)
    (work / "remora.yaml").write_text(REMORA.format(**values))
    (work / "envoy.yaml").write_text(ENVOY.format(**values))
    (work / "haproxy.cfg").write_text(HAPROXY.format(**values))
    java = {"REMORA_JAVA": f"{image}/bin/java"}
    remora = [str(PROXY / "bin/remora"), "run", "--config", str(work / "remora.yaml")]
    known = [Arm("remora", remora, java)]
    for extra in options.variant:
        name, _, flags = extra.partition("=")
        known.append(Arm("remora-" + name, remora, {**java, "REMORA_JAVA_OPTS": flags.replace("{work}", str(work))}))
    # a wrapper script would be measured in place of the program
    envoy = options.envoy or shutil.which("envoy")
    if envoy:
        known.append(Arm("envoy", [envoy, "-c", str(work / "envoy.yaml"), "--concurrency", "1", "-l", "error"]))
    if shutil.which("haproxy"):
        known.append(Arm("haproxy", [shutil.which("haproxy"), "-db", "-f", str(work / "haproxy.cfg")]))
    wanted = options.only.split(",") if options.only and not everything else None
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
    for peer in peers:
        if peer in rows and "remora" in rows:
            for key in ("rss_mb", "cpu_us", "wire_p50_us", "closed_rps", "closed_cpu_us"):
                ratios = [a[key] / b[key] for a, b in zip(rows["remora"], rows[peer]) if key in a and key in b]
                if ratios:
                    print(f"ratio to {peer}: {key:14} {statistics.median(ratios):.2f} ({min(ratios):.2f} .. {max(ratios):.2f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--java-home", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/default-java"))
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
    parser.add_argument("--appcds", action="store_true", help="one more arm: the sidecar with an AppCDS archive of its classes")
    parser.add_argument("--json", type=Path, help="also write every round's figures there")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="footprint."))
    (work / "www").mkdir()
    (work / "www/body").write_bytes(b"x" * options.body)
    (work / "nginx.conf").write_text(NGINX.format(work=work, port=BACKEND))
    log = open(work / "log", "wb")
    image = jlink(work, options.java_home)
    java = f"{options.java_home}/bin/java"
    subprocess.run([f"{options.java_home}/bin/javac", "-cp", f"{PROXY}/core/target/lib/*", "-d", work / "classes",
                    HERE / "FixedRateLoad.java"], check=True)
    nginx = subprocess.Popen(["nginx", "-c", work / "nginx.conf"], stderr=log)
    try:
        wait_for(BACKEND)
        if options.appcds:
            options.variant.append("appcds=" + archive(options, work, image, java, log))
        rows = {}
        for number in range(options.rounds):
            for arm in arms(options, work, image):
                rows.setdefault(arm.name, []).append(measure(arm, options, work, java, log))
                print(f"round {number + 1} {arm.name} {rows[arm.name][-1]}", file=sys.stderr)
        report(rows, ["envoy", "haproxy"])
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
    finally:
        nginx.send_signal(signal.SIGTERM)
        nginx.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()

"""A real sidecar with all that the panels and the alerts show, scraped by a real Prometheus that has the rules loaded."""
import atexit
import http.server
import json
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

# first, because it makes the others known
import generated
import alerts
import metric_table
import panels
import programs

SIDECAR = os.environ.get("REMORA_COMMAND") or str(generated.ROOT / "proxy/bin/remora")
NATIVE = generated.ROOT / "proxy/native"
# Absent without a memory limit, which not every host has.
NEEDS_A_LIMIT = {"remora_memory_usage_bytes", "remora_memory_limit_bytes"}
# Absent without libremora.so, which the runtime images have.
NEEDS_THE_LIBRARY = {"remora_jvm_compiler_enabled"}
CONFIGURATION = """
admin: {{address: "127.0.0.1:{admin}"}}
access-log: {{output: "{work}/access.log"}}
tracing: {{sample: 1, export: {{format: zipkin, cluster: app}}}}
listeners:
  - {{name: inbound, address: "127.0.0.1:{front}", cluster: app, tls: {{certificates: [{{chain: "{work}/tls.crt", key: "{work}/tls.key"}}]}}}}
  - {{name: plain, address: "127.0.0.1:{plain}", cluster: app}}
clusters:
  app:
    resolver: {{file: "{work}/endpoints.yaml"}}
    retries: {{attempts: 2}}
    accrual: {{consecutive-failures: 5}}
"""
SECONDS = 60


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"not within {SECONDS} s: {what}")


class Application(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class ScrapeTest(unittest.TestCase):
    def setUp(self) -> None:
        if not os.environ.get("REMORA_COMMAND") and not (generated.ROOT / "proxy/core/target/remora.jar").exists():
            self.skipTest("proxy/core/target/remora.jar is missing: make build builds it")
        self.prometheus = programs.prometheus(self)
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="observe.")))
        application = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Application)
        threading.Thread(target=application.serve_forever, daemon=True).start()
        self.addCleanup(application.server_close)
        self.addCleanup(application.shutdown)
        self.front, self.plain, self.admin, self.server = free_ports(4)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test", "-keyout",
                        self.work / "tls.key", "-out", self.work / "tls.crt"], check=True, capture_output=True)
        (self.work / "endpoints.yaml").write_text(f'["127.0.0.1:{application.server_port}"]\n')
        (self.work / "remora.yaml").write_text(CONFIGURATION.format(work=self.work, front=self.front, plain=self.plain, admin=self.admin))
        self.start("sidecar", [*shlex.split(SIDECAR), "run", "--config", self.work / "remora.yaml"], f"http://127.0.0.1:{self.admin}/ready",
                   self.sidecar_environment())
        self.may_be_missing = NEEDS_A_LIMIT | (set() if self.has_library() else NEEDS_THE_LIBRARY)
        for _ in range(20):
            self.assertEqual("", fetch(f"http://127.0.0.1:{self.plain}/"))

    def sidecar_environment(self) -> dict[str, str]:
        """Returns the environment of the sidecar, with libremora.so compiled for its JVM where there are a compiler and headers."""
        java = os.environ.get("REMORA_JAVA") or shutil.which("java", path=os.environ.get("JAVA_HOME", "") + "/bin") or shutil.which("java")
        headers = Path(java or "/").resolve().parent.parent / "include"
        release = headers.parent / "release"
        # the library finds the compilers of JDK 17 alone
        fits = release.exists() and 'JAVA_VERSION="17' in release.read_text()
        if os.environ.get("REMORA_COMMAND") or not fits or not shutil.which("gcc") or not (headers / "jni.h").exists():
            return dict(os.environ)
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", f"-I{headers}", f"-I{headers}/linux", "-o", self.work / "libremora.so",
                        *sorted(NATIVE.glob("*.c"))], check=True)
        options = f"{os.environ.get('REMORA_JAVA_OPTS', '')} -Djava.library.path={self.work}"
        return {**os.environ, "REMORA_JAVA_OPTS": options}

    def has_library(self) -> bool:
        return bool(os.environ.get("REMORA_COMMAND")) or (self.work / "libremora.so").exists()

    def test_each_metric_that_is_shown_is_there(self) -> None:
        scrape = fetch(f"http://127.0.0.1:{self.admin}/metrics")
        known = metric_table.read()
        shown = {name for expression in expressions() for name in metric_table.check(expression, known)}
        missing = {name for name in shown if f"# TYPE {name} " not in scrape}
        self.assertLessEqual(missing, self.may_be_missing)
        for name in shown - missing:
            self.assertIn(f"# TYPE {name} {known[name].kind}\n", scrape)

    def test_prometheus_evaluates_each_panel_and_each_alert(self) -> None:
        (self.work / "prometheus.yaml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(generated.HERE / "rules.yaml")],
            "scrape_configs": [{"job_name": "remora", "static_configs": [
                {"targets": [f"127.0.0.1:{self.admin}"], "labels": {"namespace": "shop", "pod": "cart-1"}}]}]}))
        self.start("prometheus", [self.prometheus / "prometheus", f"--config.file={self.work}/prometheus.yaml", f"--storage.tsdb.path={self.work}/data",
                                  f"--web.listen-address=127.0.0.1:{self.server}"], f"http://127.0.0.1:{self.server}/-/ready")
        # a rate needs two samples
        wait_for("rates in Prometheus", lambda: bool(self.query('rate(remora_exchanges_finished_total[1m]) >= 0')))
        for row in panels.ROWS:
            for panel in row.panels:
                for line in panel.lines:
                    with self.subTest(panel.title):
                        found = self.query(line.expression.replace("$__rate_interval", "1m").replace("$namespace", "shop|none").replace("$pod", ".*"))
                        if not metric_table.check(line.expression, metric_table.read()) & self.may_be_missing:
                            self.assertTrue(found, line.expression)
        rules = json.loads(fetch(f"http://127.0.0.1:{self.server}/api/v1/rules"))["data"]["groups"]
        told = {rule["name"]: rule for group in rules for rule in group["rules"]}
        self.assertEqual({alert.name for group in alerts.GROUPS for alert in group.alerts}, told.keys())
        wait_for("all rules evaluated", lambda: all(rule["health"] == "ok" for group in json.loads(fetch(
            f"http://127.0.0.1:{self.server}/api/v1/rules"))["data"]["groups"] for rule in group["rules"]))

    def query(self, expression: str) -> list[Any]:
        words = urllib.parse.urlencode({"query": expression})
        return json.loads(fetch(f"http://127.0.0.1:{self.server}/api/v1/query?{words}"))["data"]["result"]

    def start(self, name: str, command: list[str | Path], answers: str, environment: dict[str, str] | None = None) -> None:
        log = self.enterContext(open(self.work / f"{name}.log", "w+"))
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=environment)
        # unittest runs no cleanups when it is interrupted
        atexit.register(process.terminate)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

        def is_up() -> bool:
            self.assertIsNone(process.poll(), Path(log.name).read_text())
            return fetch(answers) is not None

        wait_for(f"{name} answers", is_up)


def expressions() -> list[str]:
    return [*(line.expression for row in panels.ROWS for panel in row.panels for line in panel.lines),
            *(alert.expression for group in alerts.GROUPS for alert in group.alerts)]

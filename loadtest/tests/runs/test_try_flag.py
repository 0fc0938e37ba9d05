"""A short trial on the machine's own JDK, with a configuration that has TLS on one side and redirects, and a log of several kinds of requests."""
import json
import tempfile
import unittest
from pathlib import Path

from remora_measure.systems import retargeting

from ..program_runs import Program

CONFIGURATION = """\
listeners:
  - name: inbound
    address: 0.0.0.0:8080
    protocol: auto
    routes:
      - { match: { prefix: /calls }, cluster: calls }
      - { match: { prefix: /moved }, redirect: { host: www.example.org } }
      - { match: { prefix: / }, cluster: app }
clusters:
  app: { endpoints: ["10.0.0.1:8080", "10.0.0.2:8080"] }
  calls:
    endpoints: ["10.0.0.3:8443"]
    protocol: http2
    tls: { trust: /etc/tls/ca.pem }
"""
KINDS = (("HTTP/1.1", "GET", "/moved", 0, 0, 307, None), ("HTTP/1.1", "POST", "/page", 300, 90, 200, None), ("HTTP/2", "GET", "/page", 0, 70_000, 200, None),
         ("HTTP/2", "POST", "/calls/Method", 105, 1005, 200, 0))
SHORT = ("--image", "host", "--rounds", 2, "--warmup", 1, "--seconds", 3, "--connections", 4)


def log(seconds, a_second):
    for number in range(seconds * a_second):
        version, method, target, sent, answered, status, grpc = KINDS[number % len(KINDS)]
        at = f"2026-11-01T00:00:{number // a_second:02d}.{number % a_second * 1000 // a_second:03d}Z"
        yield json.dumps({"time": at, "listener": "inbound", "version": version, "method": method, "target": target, "host": "app.test", "status": status,
                          "failure": None, "request_bytes": sent, "response_bytes": answered, "grpc_status": grpc})


@unittest.skipUnless(retargeting.yaml, "PyYAML is not installed")
class Trial(unittest.TestCase):
    def trial(self, *words):
        with tempfile.TemporaryDirectory() as work:
            config, lines = Path(work, "sidecar.yaml"), Path(work, "access.log")
            config.write_text(CONFIGURATION)
            lines.write_text("\n".join(log(10, 20)))
            return Program("try-flag", *SHORT, "--config", config, "--access-log", lines, *words)

    def test_a_heap_that_is_touched_at_once_takes_more_memory(self):
        run = self.trial("--", "-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        found = json.loads(run.text("try-flag.json"))
        self.assertEqual("worse", found["changes"]["peak_rss_mb"]["result"], run.output)
        self.assertEqual({"http1": 0.5, "h2": 0.25, "grpc": 0.25}, found["shape"]["protocols"])
        self.assertAlmostEqual(20, found["shape"]["rate"], delta=1)
        for row in (*found["rounds"]["A"], *found["rounds"]["B"]):
            self.assertAlmostEqual(20, row["rate_rps"], delta=1)
            self.assertGreater(row["cpu_us"], 10)
        self.assertIn("B is worse: peak RSS", run.text("try-flag.md"))
        self.assertRegex(run.text("try-flag.md"), r"Not judged: .*HTTP/1\.1 p999[^(]* \(\d+ requests in a run, 10,000 are needed\)")
        self.assertNotIn("app.test", run.text("try-flag.json"))

    @unittest.skipUnless(Path("runtime-images/target/i386-client").is_dir(), "the image i386-client is not built")
    def test_the_sidecar_profiles_itself(self):
        run = self.trial("--image", "i386-client", "--profile", "--profile-seconds", 3, "--", "-Xint")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        self.assertRegex(run.text("try-flag.md"), r"\| method +\|.*\n.*\n\| `.+_\[[jvck]]`|No method's share of the samples differs")

    def test_a_flag_that_the_jvm_refuses_is_reported(self):
        run = self.trial("--env", "REMORA_JAVA_OPTS=-XX:+NoSuchFlag")
        self.assertEqual((1, []), (run.status, run.left_behind), run.output)
        self.assertIn("arm B: the sidecar has ended at its start: ", run.output)
        self.assertIn("NoSuchFlag", run.output)


if __name__ == "__main__":
    unittest.main()

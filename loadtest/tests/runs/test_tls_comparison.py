"""Short runs of the comparison over TLS in front of a real backend."""
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from remora_measure import arms, tls_runs
from remora_measure.comparisons import tls
from remora_measure.errors import RequestsFailed
from remora_measure.machine import processes

from ..program_runs import Program

SHORT = ("--rounds", 1, "--rate", 50, "--connections", 2, "--warmup", 2, "--seconds", 1.5, "--latency", 1, "--newcomers", 5, "--closed", 1,
         "--handshakes", 1, "--certificates", 20, "--idle", 20, "--backend", "bundled")


class Runs(unittest.TestCase):
    def test_the_machines_own_jdk_without_tls_and_with_certificates(self):
        run = Program("compare", "--what", "tls", *SHORT, "--only", "host", "--modes", "off,mtls")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-tls.json"))
        self.assertIsNone(result["failure"])
        there = {"host plain", "host JDK mtls"} | set(result["rounds"])
        self.assertEqual(there, set(result["rounds"]), run.output)
        # a host without libremora_tls.so has the JDK's engine only, which must not pass for OpenSSL
        self.assertEqual({"host plain", "host JDK mtls", "host OpenSSL mtls", "host AWS-LC mtls"}, there | set(result["left_out"]))
        figures = result["figures"]["host JDK mtls"]
        for key in ("peak_rss_mb", "rss_above_mb", "handshake_cpu_ms", "closed_rps", "steady_own_p99_us", "new_own_p99_us", "new_arrived"):
            self.assertGreater(figures[key]["low"], 0, key)
        self.assertIn("idle_kib", figures)
        self.assertNotIn("handshake_cpu_ms", result["figures"]["host plain"])
        judged = {bar["key"] for bar in result["bars"] if bar["arm"] == "host JDK mtls"}
        self.assertLessEqual({"rss_above_mb", "steady_own_p99_us", "idle_kib"}, judged)
        self.assertIn("| idle connection, KiB ", run.text("compare-tls.md"))

    @unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
    def test_a_peer_with_the_same_certificates(self):
        run = Program("compare", "--what", "tls", *SHORT, "--only", "haproxy")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-tls.json"))
        self.assertEqual({"haproxy plain", "haproxy tls", "haproxy mtls"}, set(result["rounds"]))
        for key in ("handshake_cpu_ms", "remembered_cpu_ms", "resumed_cpu_ms"):
            self.assertGreater(result["figures"]["haproxy mtls"][key]["low"], 0, key)
        self.assertLess(result["figures"]["haproxy mtls"]["resumed_cpu_ms"]["low"], result["figures"]["haproxy mtls"]["handshake_cpu_ms"]["low"])
        self.assertIn("apt-get install nginx", result["left_out"]["haproxy mtls-h2"])
        self.assertEqual([], result["bars"])

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_http2_with_client_certificates_on_both_sides(self):
        run = Program("compare", "--what", "tls", *SHORT[:-2], "--backend", "nginx", "--only", "host", "--modes", "mtls-h2")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        figures = json.loads(run.text("compare-tls.json"))["figures"]["host JDK mtls-h2"]
        for key in ("peak_rss_mb", "private_mb", "cpu_us"):
            self.assertGreater(figures[key]["low"], 0, key)
        self.assertIn("idle_kib", figures)

    def test_a_client_without_a_certificate_fails_the_measurement(self):
        options = tls.read_arguments(["--backend", "bundled", "--only", "host"])
        with tempfile.TemporaryDirectory() as work, tls.benches_of(Path(work), options) as benches:
            bench = benches["mtls"]
            with arms.running(arms.image_arm(bench, "host", 10), bench.ports, bench.trusting()) as system:
                stranger = bench._replace(tls=bench.tls._replace(mode="tls"))
                with self.assertRaisesRegex(RequestsFailed, "a handshake failed"):
                    tls_runs.handshakes(system, stranger, 1, [])
                with self.assertRaisesRegex(RequestsFailed, "an idle connection failed"):
                    tls_runs.idle(system, stranger, 1)
            self.assertFalse(processes.listens(bench.ports.front))


if __name__ == "__main__":
    unittest.main()

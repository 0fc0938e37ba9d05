"""A run with client certificates on both sides of the sidecar."""
import http.server
import ssl
import tempfile
import threading
import time
import unittest
from pathlib import Path

from remora_measure.conformance import gatling, plan
from remora_measure.machine import processes
from remora_measure.systems import certificates
from remora_measure.systems.configurations import Ports

from ..conformance_runs import FAILED, INCONCLUSIVE, PASSED, ConformanceCase, run_until

# So few that a busy host has done the handshakes of the warm-up, in which nothing is compiled yet, before the next requests come.
SMALL = ("--rps", "20", "--connections", "2", "--calibration", "2s", "--warmup", "6s", "--duration", "4s")


class Run(ConformanceCase):
    def test_a_run_with_certificates_on_both_sides(self):
        run = run_until(lambda one: not one.generator_missed(), *SMALL, "--image", "host",
                        "--tls", "mtls", tries=2)
        self.assert_clean_end(run, PASSED, FAILED, INCONCLUSIVE)
        self.assertIn(run.report["system"]["tls"]["engine"], ("JDK", "OpenSSL", "AWS-LC"), run.output)
        self.assertEqual(("missing", "a packet capture cannot read TLS"),
                         tuple(run.row("time in the proxy on the wire")[key] for key in ("result", "note")))
        self.assertEqual(0, run.report["generator"]["failed"], run.output)
        self.assertIsNotNone(run.row("time in the proxy, p99")["value"], run.output)
        self.assertRegex(run.output, r"rehearsed handshakes: [1-9]\d* connections")
        self.assertIn("of the bar are for TLS by", run.row("peak RSS")["note"])
        self.assertGreater(run.report["latency"]["inbound.proxy"]["count"], 40)
        self.assertNotIn("wire", run.report["latency"])


class SlowToOpen(http.server.BaseHTTPRequestHandler):
    """An application that opens one connection at a time, and takes as long for it as for many requests."""

    protocol_version = "HTTP/1.1"
    lock, opened = threading.Lock(), 0

    def setup(self):
        with SlowToOpen.lock:
            SlowToOpen.opened += 1
            time.sleep(0.02)
        super().setup()

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Calibration(unittest.TestCase):
    def test_the_rehearsal_uses_its_connections_again(self):
        asked = plan.read("conformance", "", ["--rps", "50", "--connections", "4", "--calibration", "3s", "--tls", "mtls"])
        with tempfile.TemporaryDirectory() as work:
            tls = certificates.make("mtls", Path(work))
            ports = Ports(*processes.free_ports(3))
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(tls.directory / "ca.crt"))
            context.load_cert_chain(tls.directory / "app.crt", tls.directory / "app.key")
            context.verify_mode = ssl.CERT_REQUIRED
            with http.server.ThreadingHTTPServer(("127.0.0.1", ports.backend), SlowToOpen) as server:
                server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                generator = gatling.Generator(asked, ports, processes.default_java_home(), Path(work), tls)
                try:
                    self.assertTrue(generator.wait_for("calibration", asked.rehearsal_s + 60))
                    opened = SlowToOpen.opened
                finally:
                    generator.stop()
                    server.shutdown()
        # at a rate, each request would open one; Gatling opens some more where a virtual user begins before another one's connection is free
        self.assertGreater(generator.phases["rehearsal"]["requests"], 10 * opened, generator.phases)


if __name__ == "__main__":
    unittest.main()

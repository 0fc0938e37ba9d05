"""Runs in which the sidecar speaks HTTP/2, carries calls of gRPC, or is a tunnel."""
import unittest

from ..conformance_runs import FAILED, INCONCLUSIVE, PASSED, SMALL, ConformanceCase, run_until

# So few that a busy host has done the handshakes of the warm-up, in which nothing is compiled yet, before the next requests come.
OVER_TLS = ("--rps", "20", "--connections", "2", "--calibration", "2s", "--warmup", "6s", "--duration", "4s")


class Run(ConformanceCase):
    def run_over(self, protocol, *words):
        run = run_until(lambda one: not one.generator_missed(), *SMALL, "--duration", "5s", "--image", "host", "--protocol", protocol, *words, tries=2)
        self.assert_clean_end(run, PASSED, FAILED, INCONCLUSIVE)
        self.assertEqual(0, run.row("failed requests")["value"], run.output)
        self.assertGreater(run.row("the generator's ceiling")["value"], 400, run.output)
        self.assertGreater(run.row("rate sent")["value"], 190, run.output)
        self.assertGreater(run.row("rate answered")["value"], 190, run.output)
        self.assertIn(f"protocol: {'tcp' if protocol == 'tcp' else 'http2'}", run.report["system"]["configuration"])
        return run

    def test_http2_and_calls_have_every_figure_but_that_of_the_wire(self):
        for protocol in ("h2", "grpc"):
            with self.subTest(protocol):
                run = self.run_over(protocol)
                for name in ("time in the proxy, p99", "added latency, p99", "peak RSS", "CPU", "requests as the generator saw them, p99",
                             "host: requests past the sidecar, p99"):
                    self.assertIsNotNone(run.row(name)["value"], f"{name}\n{run.output}")
                self.assertGreater(run.report["latency"]["inbound.proxy"]["count"], 700)
                self.assertEqual(("missing", "the reader of captures does not read HTTP/2"),
                                 tuple(run.row("time in the proxy on the wire")[key] for key in ("result", "note")))
                self.assertIn("3 MB of the bar are for HTTP/2", run.row("peak RSS")["note"])

    def test_http2_and_calls_with_certificates_on_both_sides(self):
        for protocol in ("h2", "grpc"):
            with self.subTest(protocol):
                run = run_until(lambda one: not one.generator_missed(), *OVER_TLS, "--image", "host", "--tls", "mtls", "--protocol", protocol, tries=2)
                self.assert_clean_end(run, PASSED, FAILED, INCONCLUSIVE)
                self.assertEqual(0, run.row("failed requests")["value"], run.output)
                self.assertRegex(run.output, r"rehearsed handshakes: [1-9]\d* connections")
                self.assertIn("client-certificates: required", run.report["system"]["configuration"])
                self.assertIn("protocol: http2", run.report["system"]["configuration"])
                self.assertRegex(run.row("peak RSS")["note"], "of the bar are for TLS by .*, 3 MB of the bar are for HTTP/2")
                self.assertEqual(1, [row["name"] for row in run.report["rows"]].count("time in the proxy on the wire"))
                self.assertGreater(run.report["latency"]["inbound.proxy"]["count"], 40)

    def test_a_tunnel_is_timed_on_the_wire(self):
        run = self.run_over("tcp")
        self.assertIsNone(run.row("time in the proxy by its own clock")["value"])
        self.assertNotIn("inbound.proxy", {tag for tag, told in run.report["latency"].items() if (told or {}).get("count")})
        if run.report["latency"].get("wire"):  # without tcpdump, or the right to capture, there is none
            self.assertIn("on the wire", run.row("time in the proxy, p99")["note"])

    def test_errors_of_the_backend_are_none_of_the_sidecar(self):
        run = run_until(lambda one: not one.generator_missed(), *SMALL, "--duration", "3s", "--image", "host", "--protocol", "grpc",
                        "--backend-error-share", "0.05", tries=2)
        self.assert_clean_end(run, PASSED, FAILED, INCONCLUSIVE)
        self.assertEqual(0, run.row("failed requests")["value"], run.output)


if __name__ == "__main__":
    unittest.main()

"""A run with client certificates on both sides of the sidecar."""
import unittest

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


if __name__ == "__main__":
    unittest.main()

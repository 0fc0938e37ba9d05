"""Short runs of the comparison over HTTP/2, gRPC and TCP in front of real backends."""
import json
import shutil
import unittest

from ..program_runs import Program

SHORT = ("--rounds", 1, "--rate", 50, "--connections", 2, "--warmup", 2, "--seconds", 1.5, "--latency", 1, "--closed", 1, "--stalled", 1, "--idle", 20,
         "--tunnel", 1)
NEEDED = ("nginx", "h2load", "nghttpd")


@unittest.skipUnless(all(map(shutil.which, NEEDED)), f"one of {', '.join(NEEDED)} is not installed")
class Runs(unittest.TestCase):
    def test_the_machines_own_jdk_over_each_protocol(self):
        run = Program("compare", "--what", "h2", *SHORT, "--only", "host")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-h2.json"))
        self.assertIsNone(result["failure"])
        self.assertEqual({"host HTTP/1.1", "host HTTP/2", "host gRPC", "host TCP", "direct HTTP/2"}, set(result["rounds"]), run.output)
        figures = result["figures"]["host HTTP/2"]
        for key in ("peak_rss_mb", "cpu_us", "own_p99_us", "closed_rps", "closed_cpu_us", "client_p99_us", "stalled_p99_us", "unstalled_p99_us"):
            self.assertGreater(figures[key]["low"], 0, key)
        for key in ("rss_above_mb", "added_p99_us", "idle_kib", "idle_direct_kib", "stalled_above"):
            self.assertIn(key, figures)
        self.assertGreater(result["figures"]["host gRPC"]["grpc_rps"]["low"], 100)
        self.assertGreater(result["figures"]["host TCP"]["tcp_mb_s"]["low"], 10)
        judged = {bar["key"]: bar["result"] for bar in result["bars"]}
        self.assertEqual({"cpu_to_envoy", "grpc_to_envoy", "tcp_to_haproxy"}, {key for key, one in judged.items() if one == "not measured"})
        self.assertIn("| idle connection, heap and direct memory, KiB ", run.text("compare-h2.md"))

    @unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
    def test_a_peer(self):
        run = Program("compare", "--what", "h2", *SHORT, "--only", "haproxy")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-h2.json"))
        self.assertEqual({"haproxy HTTP/2", "haproxy gRPC", "haproxy TCP", "direct HTTP/2"}, set(result["rounds"]))
        self.assertEqual([], result["bars"])


if __name__ == "__main__":
    unittest.main()

"""Short runs of the comparison over HTTP/2, gRPC and TCP in front of real backends."""
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from ..program_runs import Program, command_line

SHORT = ("--rounds", 1, "--rate", 50, "--connections", 2, "--warmup", 2, "--seconds", 1.5, "--latency", 1, "--closed", 1, "--first", 1, "--calls-warmup", 3, "--stalled", 1, "--idle", 20,
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
        for key in ("grpc_rps", "grpc_first_rps"):
            self.assertGreater(result["figures"]["host gRPC"][key]["low"], 50, key)
        for arm, key in (("host HTTP/1.1", "private_mb"), ("host HTTP/2", "private_mb"), ("host gRPC", "grpc_private_mb"), ("host TCP", "tcp_private_mb")):
            self.assertGreater(result["figures"][arm][key]["low"], 5, arm)
        self.assertGreater(result["figures"]["host TCP"]["tcp_mb_s"]["low"], 10)
        judged = {bar["key"]: bar["result"] for bar in result["bars"]}
        self.assertEqual({"cpu_to_envoy", "grpc_to_envoy", "tcp_to_haproxy"}, {key for key, one in judged.items() if one == "not measured"})
        self.assertIn("| idle connection, heap and direct memory, KiB ", run.text("compare-h2.md"))

    def test_an_arm_whose_load_does_not_end_has_failed_and_the_others_are_measured(self):
        """By an h2load that ignores what asks it to end, and leaves a child behind."""
        with tempfile.TemporaryDirectory() as folder:
            stuck = Path(folder) / "h2load"
            stuck.write_text("#!/bin/sh\ntrap '' TERM INT HUP\nsleep 600 & wait; sleep 600\n")
            stuck.chmod(0o755)
            run = Program("compare", "--what", "h2", *SHORT, "--only", "host", "--protocols", "http1,h2,tcp", environment={"PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual([], [path for path in Path("/proc").glob("[0-9]*") if str(stuck) in command_line(path)])
        self.assertEqual((1, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-h2.json"))
        self.assertEqual([{"round": 1, "arm": "host HTTP/2", "why": "load did not end within 16 s"}], result["failed_arms"])
        self.assertEqual({"host HTTP/1.1", "host TCP", "direct HTTP/2"}, {name for name, rows in result["rounds"].items() if rows})
        self.assertEqual("failed", next(bar["result"] for bar in result["bars"] if bar["arm"] == "host HTTP/2"))
        self.assertRegex(run.text("compare-h2.md"), r"\| host HTTP/2 +\| +failed \|")

    @unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
    def test_a_peer(self):
        run = Program("compare", "--what", "h2", *SHORT, "--only", "haproxy")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare-h2.json"))
        self.assertEqual({"haproxy HTTP/2", "haproxy gRPC", "haproxy TCP", "direct HTTP/2"}, set(result["rounds"]))
        self.assertEqual([], result["bars"])


if __name__ == "__main__":
    unittest.main()

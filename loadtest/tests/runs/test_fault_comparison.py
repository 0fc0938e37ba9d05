"""Short runs of the comparison of faults, and one that is interrupted."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from remora_measure.results.fault_comparison import BUSY_MS

from ..program_runs import START, Program, command_line

BRIEF = ("--warmup", 1.5, "--before", 1, "--fault-seconds", 3, "--after", 6, "--rate", 200, "--connections", 16)
FAULTS = "kill,drop,slow,errors"


def namespaces():
    told = subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout
    return [name for name in told.split() if name.startswith("remora-faults-")]


@unittest.skipUnless(os.geteuid() == 0 and all(map(shutil.which, ("ip", "iptables", "tcpdump"))), "root, ip, iptables and tcpdump are needed")
class Runs(unittest.TestCase):
    def test_the_machines_own_jdk_with_faults_of_each_kind(self):
        before = namespaces()
        run = Program("compare", "--what", "faults", *BRIEF, "--only", "host", "--faults", FAULTS)
        # a sidecar that fails a request fails this test too, unless the machine has so much other work that it excuses it
        self.assertIn(run.status, (0, 2), run.output)
        self.assertEqual(([], before), (run.left_behind, namespaces()))
        told = json.loads(run.text("compare-faults.json"))
        self.assertEqual(set(FAULTS.split(",")), set(told["runs"]))
        for fault, by_arm in told["runs"].items():
            row, = by_arm["host"]
            if row["before_p99_ms"] <= BUSY_MS:  # a machine with other work may not reach the rate
                self.assertAlmostEqual(1, row["requests"] / (200 * row["fault_s"]), delta=0.05, msg=fault)
            if fault == "errors":
                self.assertGreater(row["failed"], 100, fault)
            else:
                self.assertGreater(row["sick_attempts"], 0, fault)
                self.assertLess(row["sick_percent"], 33, fault)
        # of those that nobody asks how many there were, and that no fault of theirs has started again
        for fault in ("kill", "slow", "errors"):
            row, = told["runs"][fault]["host"]
            self.assertEqual(row["served"][1:], row["captured"][1:], fault)
            self.assertGreater(min(row["captured"]), 0, fault)
        self.assertGreater(told["runs"]["slow"]["host"][0]["p999_ms"], 400)
        self.assertIn("| packets dropped ", run.text("compare-faults.md"))

    @unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
    def test_a_peer_with_the_same_fault(self):
        run = Program("compare", "--what", "faults", *BRIEF, "--faults", "errors", "--only", "haproxy", "--after", 1)
        self.assertEqual(0, run.status, run.output)
        told = json.loads(run.text("compare-faults.json"))
        row, = told["runs"]["errors"]["haproxy"]
        self.assertGreater(row["failed"], 0)
        self.assertGreater(min(row["captured"]), 0)
        self.assertEqual([], told["bars"])

    def test_an_interrupt_leaves_nothing_behind(self):
        before = namespaces()
        with tempfile.TemporaryDirectory() as scratch:
            command = [*START, "compare", "--what", "faults", *map(str, BRIEF), "--only", "host", "--faults", "stop", "--fault-seconds", "30",
                       "--reports", f"{scratch}/reports"]
            with subprocess.Popen(command, env={**os.environ, "PYTHON": sys.executable, "TMPDIR": scratch}, text=True, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, start_new_session=True) as process:
                for line in process.stderr:
                    if "a fault begins" in line:
                        process.send_signal(signal.SIGINT)
                self.assertEqual(130, process.wait(60))
            left = [path.name for path in Path("/proc").glob("[0-9]*") if re.search(re.escape(scratch), command_line(path))]
        self.assertEqual(([], before), (left, namespaces()))


if __name__ == "__main__":
    unittest.main()

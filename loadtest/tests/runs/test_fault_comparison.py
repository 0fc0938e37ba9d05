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

from remora_measure.repository import LOADTEST

from ..program_runs import Program, command_line

BRIEF = ("--warmup", 1.5, "--before", 1, "--fault-seconds", 3, "--after", 6, "--rate", 200, "--connections", 16)


def namespaces():
    told = subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout
    return [name for name in told.split() if name.startswith("remora-faults-")]


@unittest.skipUnless(os.geteuid() == 0 and all(map(shutil.which, ("ip", "iptables", "tcpdump"))), "root, ip, iptables and tcpdump are needed")
class Runs(unittest.TestCase):
    def test_the_machines_own_jdk_with_each_fault(self):
        before = namespaces()
        run = Program("compare-faults", *BRIEF, "--only", "host")
        self.assertIn(run.status, (0, 2), run.output)
        self.assertEqual(([], before), (run.left_behind, namespaces()))
        told = json.loads(run.text("compare-faults.json"))
        self.assertEqual({"kill", "stop", "drop", "slow", "errors", "refuse"}, set(told["runs"]))
        for fault, by_arm in told["runs"].items():
            row, = by_arm["host"]
            self.assertAlmostEqual(1, row["requests"] / (200 * row["fault_s"]), delta=0.05, msg=fault)
            if fault in ("errors", "refuse"):
                self.assertGreater(row["failed"], 100, fault)
            else:
                self.assertEqual({}, row["failures"], fault)
                self.assertGreater(row["sick_attempts"], 0, fault)
                self.assertLess(row["sick_percent"], 33, fault)
        self.assertGreater(told["runs"]["errors"]["host"][0]["attempts_per_request"], 1.0)
        self.assertGreater(told["runs"]["slow"]["host"][0]["p999_ms"], 400)
        self.assertIn("| packets dropped ", run.text("compare-faults.md"))

    @unittest.skipUnless(shutil.which("haproxy"), "haproxy is not installed")
    def test_what_a_slow_endpoint_was_sent_is_what_it_counted(self):
        """The capture and the backend itself agree, where the backend was there all the time."""
        run = Program("compare-faults", *BRIEF, "--faults", "errors", "--only", "haproxy", "--after", 1)
        self.assertEqual(0, run.status, run.output)
        row, = json.loads(run.text("compare-faults.json"))["runs"]["errors"]["haproxy"]
        self.assertGreater(row["attempts_per_request"], 0.3)
        self.assertGreater(sum(row["served"]), row["attempts"])

    def test_an_interrupt_leaves_nothing_behind(self):
        before = namespaces()
        with tempfile.TemporaryDirectory() as scratch:
            command = [LOADTEST / "compare-faults", *map(str, BRIEF), "--only", "host", "--faults", "stop", "--fault-seconds", "30",
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

"""The CPU time that a mesh and features add to a request: its arithmetic, its verdicts and its competing load."""
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from remora_measure import arms
from remora_measure.comparisons import added_cpu
from remora_measure.errors import CouldNotRun
from remora_measure.load import wrk
from remora_measure.machine import hogs, kernel
from remora_measure.results.added_cpu import About, AddedCpu, Block, Spent, row

from ..program_runs import command_line

OPTIONS = {"connections": 64, "body": 1024, "blocks": 3, "seconds": 4}
MESH, FEATURES, NOTHING = (About("image", variant) for variant in ("+mesh", "+features", "+nothing"))
WRK_TOLD = """Running 4s test @ http://127.0.0.1:28080/body
  1 threads and 64 connections
  53011 requests in 4.00s, 64.71MB read
Requests/sec:  13251.02
"""


def block(plain_us, us, busy=1.0):
    return Block(Spent(plain_us / 100, 10_000, 4.0, busy), Spent(us / 100, 10_000, 4.0, 1.0))


def comparison(**rounds):
    """rounds: {variant: a list of blocks for each round}."""
    told = AddedCpu(OPTIONS, {})
    for about in (MESH, FEATURES, NOTHING):
        for number, blocks in enumerate(rounds.get(about.variant[1:], [])):
            told.add(number, about, row(blocks))
    return told


class Figures(unittest.TestCase):
    def test_both_of_a_block_are_compared_whatever_the_speed_of_the_machine(self):
        told = row([block(50, 55), block(100, 110), block(80, 88.8)])
        self.assertEqual([10.0, 10.0, 11.0], [round(one, 6) for one in told["blocks_percent"]])
        self.assertEqual((10.0, 10.5, 80.0), tuple(round(told[key], 6) for key in ("added_percent", "high_percent", "plain_cpu_us")))
        self.assertAlmostEqual(2500, told["rps"])

    def test_one_block_has_a_spread_of_its_own(self):
        self.assertEqual(1, len({round(row([block(100, 104)])[key], 6) for key in ("added_percent", "low_percent", "high_percent")}))

    def test_requests_are_those_that_wrk_counts(self):
        self.assertEqual((53011, 0), (wrk.requests(WRK_TOLD), wrk.requests("")))


class Bars(unittest.TestCase):
    def results(self, **rounds):
        told = comparison(**rounds)
        return {one["arm"]: one["result"] for one in told.judged()}, told.markdown()

    def test_the_median_of_the_rounds_decides(self):
        results, text = self.results(mesh=[[block(100, us)] for us in (104, 109, 118)], features=[[block(100, us)] for us in (111, 112.1, 113)])
        self.assertEqual({"image+mesh": "met", "image+features": "missed"}, results)
        self.assertRegex(text, r"image\+mesh \| +9\.0 \(4\.0 \.\. 18\.0\) \| +10 \| +met \|")
        self.assertIn("**missed**", text)

    def test_an_image_next_to_itself_has_no_bar(self):
        results, text = self.results(nothing=[[block(100, 101)]])
        self.assertEqual({}, results)
        self.assertIn("image+nothing", text)

    def test_a_sidecar_that_rests_proves_nothing(self):
        for us in (104, 140):
            self.assertEqual({"image+mesh": "inconclusive"}, self.results(mesh=[[block(100, us, busy=0.89)]])[0])
        self.assertEqual({"image+mesh": "met"}, self.results(mesh=[[block(100, 104, busy=0.9)]])[0])

    def test_an_arm_without_a_figure_is_not_measured(self):
        told = AddedCpu(OPTIONS, {})
        told.expect(MESH)
        self.assertEqual(["not measured"], [one["result"] for one in told.judged()])


class Words(unittest.TestCase):
    def test_what_is_not_known_cannot_run(self):
        for words in (("--only", "squid"), ("--variants", "squid")):
            with self.assertRaisesRegex(CouldNotRun, "there is no squid"):
                added_cpu.contenders({}, added_cpu.read_arguments(words))

    def test_all_that_is_judged_can_be_asked_for(self):
        self.assertEqual({*arms.VARIANTS, "+nothing"}, set(added_cpu.VARIANTS.values()))


class Busy(unittest.TestCase):
    """The competing load of --busy."""

    def test_it_keeps_its_cores_busy_and_ends(self):
        allowed = os.sched_getaffinity(0)
        with hogs.on(allowed):
            # a process that has not begun its program has this one's words
            self.assertTrue(until(lambda: len(running_hogs()) == len(allowed)))
            found = running_hogs()
            self.assertTrue(until(lambda: [os.sched_getaffinity(pid) for pid in found] == [{core} for core in sorted(allowed)]))
            self.assertTrue(until(lambda: min(map(kernel.cpu_seconds, found)) > 0.1))
            self.assertEqual({os.getpriority(os.PRIO_PROCESS, 0)}, {os.getpriority(os.PRIO_PROCESS, pid) for pid in found})
        self.assertEqual([], [pid for pid in found if os.path.exists(f"/proc/{pid}")])

    def test_it_ends_with_the_program_that_started_it(self):
        core = str(min(os.sched_getaffinity(0)))
        with subprocess.Popen([sys.executable, "-m", "remora_measure.machine.hogs", core], stdin=subprocess.PIPE) as hog:
            self.assertTrue(until(lambda: kernel.cpu_seconds(hog.pid) > 0.1))
            hog.stdin.close()
            self.assertEqual(0, hog.wait(10))

    def test_the_report_names_it(self):
        for busy in (False, True):
            told = AddedCpu({**OPTIONS, "busy": busy}, {})
            self.assertEqual(busy, "next to a competing load, one process on each core" in told.markdown())


def running_hogs():
    return [pid for pid in kernel.descendants(os.getpid()) if "remora_measure.machine.hogs" in command_line(Path(f"/proc/{pid}"))]


def until(met, seconds=20):
    deadline = time.monotonic() + seconds
    while not (found := met()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


if __name__ == "__main__":
    unittest.main()

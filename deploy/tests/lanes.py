"""Runs all modules of tests, or those that are named, in lanes, each of which has a cluster of its own, and prints how long each took.

Most of the time is spent on waits: for a probe, a delay, a turn of upkeep. REMORA_LANES is the number of lanes, three by default. What measures runs alone, at the end."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from cluster import Cluster

HERE = Path(__file__).parent
LANES = max(1, int(os.environ.get("REMORA_LANES", "3")))
# The longest that a module may take; what hangs would hold its lane for ever.
MODULE_SECONDS = 1800
# The longest that a start of a cluster is waited for at the end of a run that is cut.
START_SECONDS = 120
# By duration, the longest first, so that lanes end together; others follow. A module whose classes share nothing is taken class by class.
LONG = ("test_upgrades", "test_conformance", "test_injected", "test_kustomize", "test_capture", "test_injector", "test_helm", "test_traffic", "test_workloads", "test_insight", "test_dual_stack")
BY_CLASS = ("test_conformance", "test_kustomize", "test_traffic", "test_capture", "test_insight")
# Tests that judge a time. They run alone, at the end.
ALONE = ("test_footprint", "test_conformance.VerdictTest.test_a_run_passes_and_names_what_it_left_out",
         "test_conformance.VerdictTest.test_a_bar_that_cannot_be_met_fails_the_job")


class Run:
    """The modules that are left, and what became of the others. Lanes share it."""

    def __init__(self, modules):
        self.left, self.seconds, self.failed, self.running, self.lock = list(modules), {}, [], set(), threading.Lock()

    def start(self, cluster):
        """A lane in a cluster, which is started unless it runs. One that does not start has failed, and leaves the modules to the others."""
        try:
            cluster.start()
            self.lane(cluster.directory)
        except Exception as why:
            with self.lock:
                self.failed.append(f"the lane in {cluster.directory}")
                print(f"==== a lane has ended: {why!r}", flush=True)

    def lane(self, directory):
        """Takes modules until there is none."""
        while True:
            with self.lock:
                if not self.left:
                    return
                module = self.left.pop(0)
            began = time.monotonic()
            status, output = self.test(module, directory)
            with self.lock:
                self.seconds[module] = time.monotonic() - began
                if status != 0:
                    self.failed.append(module)
                print(f"==== {module}, {self.seconds[module]:.0f} s, load average {os.getloadavg()[0]:.1f}\n{output}", flush=True)

    def test(self, module, directory):
        """(exit status, output) of a module's tests, in a process group of their own."""
        process = subprocess.Popen([sys.executable, "-m", "unittest", module], cwd=HERE, env={**os.environ, "REMORA_CLUSTER": str(directory)}, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        with self.lock:
            self.running.add(process)
        try:
            output, _ = process.communicate(timeout=MODULE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\nlanes: {module} did not end within {MODULE_SECONDS} s"
        finally:
            with self.lock:
                self.running.discard(process)
        return process.returncode, output

    def end(self):
        """Ends the tests that still run, of a run that is cut."""
        with self.lock:
            self.left.clear()
            for process in self.running:
                os.killpg(process.pid, signal.SIGTERM)


def parts(module):
    """The classes of a module that have tests of their own, and the tests of a class of which others run alone."""
    tests = [test.id() for group in unittest.defaultTestLoader.loadTestsFromName(module) for test in group]
    split = {one.rpartition(".")[0] for one in ALONE}
    names = [one if one.rpartition(".")[0] in split else one.rpartition(".")[0] for one in tests]
    return list(dict.fromkeys(name for name in names if name not in ALONE))


def main():
    modules = sys.argv[1:] or sorted(path.stem for path in HERE.glob("test_*.py"))
    ordered = [one for one in LONG if one in modules] + [one for one in modules if one not in LONG + ALONE]
    ordered = [part for one in ordered for part in (parts(one) if one in BY_CLASS else [one])]
    run, began = Run(ordered), time.monotonic()
    # so that a run that is cut stops its clusters as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    clusters, lanes = [Cluster() for _ in range(LANES)], []
    try:
        # first, as it builds what is missing; the others then start while it is in use
        clusters[0].start()
        lanes += [threading.Thread(target=run.start, args=(one,), daemon=True) for one in clusters]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        for one in clusters[1:]:
            one.stop()
        run.left = [one for one in ALONE if one.partition(".")[0] in modules]
        run.lane(clusters[0].directory)
    finally:
        run.end()
        for lane in lanes:
            # one whose cluster is just starting: what has not started cannot be stopped
            if lane.ident:
                lane.join(START_SECONDS)
        for one in clusters:
            one.stop()
    for module, seconds in sorted(run.seconds.items(), key=lambda each: -each[1]):
        print(f"{module}: {seconds:.0f} s{', FAILED' if module in run.failed else ''}")
    for name in run.failed:
        if name not in run.seconds:
            print(f"{name}: FAILED")
    print(f"{time.monotonic() - began:.0f} s in {LANES} lanes, {sum(run.seconds.values()):.0f} s of modules, {os.cpu_count()} cores")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs of ./measure conformance at a small scale, with sidecars that have a fault of ours."""
import atexit
import contextlib
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from remora_measure.machine import processes
from remora_measure.repository import LOADTEST, SIDECAR_JAR, SIDECAR_LIBRARIES

from .program_runs import START

PASSED, FAILED, INCONCLUSIVE, COULD_NOT_RUN = 0, 1, 2, 3
CLASS_PATH = f"{LOADTEST}/target/test-classes:{SIDECAR_JAR}:{SIDECAR_LIBRARIES}/*"
FAULTY_SIDECAR = LOADTEST / "src/test/sidecar/io/remora/FaultySidecar.java"
# Room for the leak, so that it ends by its growth and not by its limits.
OPTIONS = "-Xms16m -Xmx16m -Xmn4m -XX:MaxDirectMemorySize=512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
SMALL = ("--rps", "200", "--connections", "4", "--calibration", "3s", "--warmup", "3s")
GENERATOR_ROWS = ("the generator's ceiling", "rate sent")
# The longest run, and as much again for a machine that has other work.
DEADLINE_SECONDS = 90


@functools.cache
def faulty_classes():
    """Where the faulty sidecar is, compiled against the jar under test; it is removed when the tests end."""
    directory = tempfile.TemporaryDirectory(prefix="faulty.")
    atexit.register(directory.cleanup)
    subprocess.run([f"{processes.default_java_home()}/bin/javac", "-d", directory.name, "-cp", CLASS_PATH, FAULTY_SIDECAR], check=True)
    return directory.name


def sidecar(fault):
    """The command line of a sidecar with one of the faults none, slow, burn, leak, drop, drop-many and swallow."""
    java = f"{processes.default_java_home()}/bin/java"
    return f"{java} {OPTIONS} -Dremora.fault={fault} -cp {faulty_classes()}:{CLASS_PATH} io.remora.FaultySidecar run --config {{config}}"


class Run:
    """A run that has ended: status, output, and report, which is None where there is none.

    at_warm_up and at_steady name a process that is sent SIGTERM when that phase begins: "backend", "sidecar"; or the test itself,
    "test", which is sent SIGINT at the first word of progress in the steady window. planted(run) is called when the steady window begins,
    and what it returns is closed at its end. cores, of "sidecar" and "generator", is known by then."""

    def __init__(self, *words, program="conformance", at_warm_up=None, at_steady=None, planted=None, environment=None):
        self.pids, self.cores, self.at_steady, self.planted, lines = {}, {}, at_steady, planted, []
        self.ends = contextlib.ExitStack()
        self.ended_at = {" warm-up: ": at_warm_up, " steady: ": at_steady}
        with tempfile.TemporaryDirectory() as reports:
            command = [*START, program, *words, "--reports", reports]
            variables = {**(os.environ if environment is None else environment), "PYTHON": sys.executable}
            with self.ends, subprocess.Popen(command, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                             start_new_session=True) as process, deadline(process):
                self.process = process
                for line in process.stdout:
                    lines.append(line)
                    self.hear(line)
            self.status = process.returncode
            self.output = "".join(lines)
            self.samples = sum(len(file.read_text().splitlines()) for file in Path(reports).glob("*/samples.jsonl"))
            written = list(Path(reports).glob("*/report.json"))
            self.report = json.loads(written[0].read_text()) if written else None

    def hear(self, line):
        if found := re.search(r"\b(backend|sidecar)\b.* pid (\d+)", line):
            self.pids[found.group(1)] = int(found.group(2))
        if found := re.search(r"on core ([\d,]+); what measures it on ([\d,]+)", line):
            self.cores = {who: {int(core) for core in told.split(",")} for who, told in zip(("sidecar", "generator"), found.groups())}
        if self.planted and " steady: " in line:
            self.ends.enter_context(self.planted(self))
        if "Gatling writes" in line:
            self.ends.close()
        for phase, name in self.ended_at.items():
            if name in self.pids and phase in line:
                os.kill(self.pids[name], signal.SIGTERM)
        if self.at_steady == "test" and " s: RSS " in line:
            self.process.send_signal(signal.SIGINT)

    def row(self, name):
        return next(row for row in self.report["rows"] if row["name"] == name)

    def rows_with(self, result):
        return [row for row in self.report["rows"] if row["result"] == result]

    def generator_missed(self):
        """Whether the machine was too busy for the load itself, of which nothing follows."""
        return bool(self.report) and any(row["name"] in GENERATOR_ROWS for row in self.rows_with("inconclusive"))

    def left_behind(self):
        return [name for name, pid in self.pids.items() if Path(f"/proc/{pid}").exists()]


@contextlib.contextmanager
def deadline(process):
    """Interrupts a run that takes too long, as a user would, so that it still ends what it started."""
    timer = threading.Timer(DEADLINE_SECONDS, process.send_signal, (signal.SIGINT,))
    timer.start()
    try:
        yield
        process.wait()
    finally:
        timer.cancel()


def run_until(fits, *words, tries=3, **planted):
    """The first of some runs that fits, or the last."""
    for _ in range(tries):
        run = Run(*words, **planted)
        if fits(run):
            break
    return run


def run_fault(fault, seconds, *words):
    """A run of a faulty sidecar; again where the generator could not drive it."""
    return run_until(lambda run: not run.generator_missed(), *SMALL, "--duration", f"{seconds}s", "--command", sidecar(fault), *words)


class ConformanceCase(unittest.TestCase):
    """What tests of such runs have in common."""

    def assert_clean_end(self, run, *statuses):
        self.assertIn(run.status, statuses, run.output)
        self.assertEqual([], run.left_behind())
        self.assertNotIn("Traceback", run.output)

    def assert_told(self, run, name):
        """The report's verdict and reasons, and not only the exit status, say it."""
        self.assertEqual("fail", run.report["verdict"], run.output)
        self.assertTrue(any(name in reason for reason in run.report["reasons"]), run.report["reasons"])

    def assert_could_not_run(self, run, *words):
        self.assertEqual(COULD_NOT_RUN, run.status, run.output)
        self.assertNotIn("Traceback", run.output)
        self.assertEqual([], run.left_behind())
        last = run.output.strip().splitlines()[-1]
        for word in words:
            self.assertIn(word, last)

"""The parts of the rig: cores, samples, and what a JVM logs of its compilers."""
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure.conformance import gatling, jvm_log, plan, sampler
from remora_measure.load import core_control, java_tools
from remora_measure.machine import cores, kernel, processes
from remora_measure.systems import sidecars
from remora_measure.systems.configurations import Ports

from ..disturbances import HOG as SPIN
from ..disturbances import hogs

SCRAPE = """# TYPE remora_jvm_code_cache_used_bytes gauge
remora_jvm_code_cache_used_bytes{segment="all"} 2000000
remora_jvm_code_cache_reserved_bytes{segment="all"} 8000000
remora_jvm_gc_collections_total{collector="Copy"} 3
remora_jvm_gc_collections_total{collector="MarkSweepCompact"} 1
remora_exchanges_finished_total{listener="inbound"} 42
"""


class CoresTest(unittest.TestCase):
    def test_the_sidecar_has_cores_of_its_own_where_there_are_two(self):
        self.assertEqual(({0}, {1}), cores.split({0, 1}))
        self.assertEqual(({0, 1, 2}, {3}), cores.split(range(4)))
        self.assertEqual((set(range(12)), {12, 13, 14, 15}), cores.split(range(16)))

    def test_one_core_is_shared(self):
        self.assertEqual(({3}, {3}), cores.split({3}))

    def test_a_process_is_moved_with_all_its_threads_and_what_is_started_meanwhile_stays(self):
        one = {min(os.sched_getaffinity(0))}
        before = os.sched_getaffinity(0)
        with cores.kept_to(one), subprocess.Popen(["sleep", "60"]) as child:
            self.assertEqual(one, os.sched_getaffinity(child.pid))
            self.assertTrue(cores.move(child.pid, before))
            self.assertEqual(before, os.sched_getaffinity(child.pid))
            child.kill()
        self.assertEqual(before, os.sched_getaffinity(0))


class PortsTest(unittest.TestCase):
    def test_they_are_none_that_a_connection_may_have_from_the_kernel(self):
        ports = processes.free_ports(100)
        self.assertEqual(100, len(set(ports)))
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as connection:
            given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
            self.assertGreaterEqual(connection.getsockname()[1], given)
            if given > processes.LOWEST_PORT + processes.ENOUGH_PORTS:
                self.assertLess(max(ports), given)

    def test_one_on_which_somebody_listens_is_not_free(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.assertFalse(processes.is_free(server.getsockname()[1]))
        self.assertTrue(processes.is_free(processes.free_ports(1)[0]))


class GeneratorTest(unittest.TestCase):
    def test_one_that_does_not_come_to_a_phase_in_its_time_has_given_up_and_is_ended(self):
        with tempfile.TemporaryDirectory() as work:
            asked = plan.read("conformance", "", ["--rps", "40000", "--calibration", "1s"])
            generator = gatling.Generator(asked, Ports(*processes.free_ports(3)), processes.default_java_home(), Path(work))
            self.assertFalse(generator.wait_for("warm-up", 0.5))
            self.assertTrue(generator.ended())
            self.assertEqual("warm-up", generator.late_for)
            self.assertIsNone(generator.rate("calibration"))


class KernelTest(unittest.TestCase):
    """Two processes that share a core wait for each other, and a control group tells how long it was stopped."""

    def test_threads_that_share_a_core_are_seen_to_wait(self):
        core = min(os.sched_getaffinity(0))
        with hogs([core], 2), hogs([core], 1), subprocess.Popen([sys.executable, "-c", SPIN, str(core)]) as spinning:
            waits = kernel.Waits(spinning.pid)
            self.assertEqual(0.0, waits.seconds())
            waited = until(lambda: waits.seconds() > 0.05)
            spinning.kill()
        self.assertTrue(waited)

    def test_busy_cores_are_told_from_idle_ones_by_their_numbers(self):
        core = min(os.sched_getaffinity(0))
        before = kernel.busy_seconds({core})
        with hogs([core], 1):
            self.assertTrue(until(lambda: kernel.busy_seconds({core}) > before + 0.05))
        self.assertEqual(0.0, kernel.busy_seconds({10_000}))

    def test_a_limit_tells_how_long_it_stopped_a_process(self):
        groups = [line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text().splitlines()]
        controllers, group = next(((names, path) for names, path in groups if "cpu" in names.split(",")), None) or groups[-1]
        for text, seconds in (("nr_throttled 3\nthrottled_time 2500000000\n", 2.5), ("usage_usec 9\nthrottled_usec 1500000\n", 1.5)):
            with tempfile.TemporaryDirectory() as root:
                directory = Path(root, controllers, group.lstrip("/"))
                directory.mkdir(parents=True, exist_ok=True)
                (directory / "cpu.stat").write_text(text)
                self.assertEqual(seconds, kernel.throttled_seconds(os.getpid(), Path(root)))
        with tempfile.TemporaryDirectory() as nothing:
            self.assertIsNone(kernel.throttled_seconds(os.getpid(), Path(nothing)))

    def test_descendants_are_found_while_threads_end(self):
        script = "import threading\nprint('starts', flush=True)\nwhile True: threading.Thread(target=int).start()"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as child:
            try:
                self.assertEqual(b"starts\n", child.stdout.readline())
                for _ in range(2000):
                    self.assertIn(child.pid, kernel.descendants(os.getpid()))
            finally:
                child.kill()


class CoreControlTest(unittest.TestCase):
    def test_it_measures_pieces_and_waits_on_its_cores(self):
        core = min(os.sched_getaffinity(0))
        with tempfile.TemporaryDirectory() as directory, open(Path(directory, "log"), "wb") as log:
            with java_tools.CoreControl(log, [core], os.getpid()) as control:
                self.assertEqual({core}, until(lambda: only(os.sched_getaffinity(control.process.pid), {core})))
                control.begin()
                file = Path(directory, "control.json")
                self.assertTrue(until(lambda: len(control.end(file)["cpu_us"]) >= 3))
                told = control.end(file)
        self.assertGreaterEqual(told["waits"]["count"], len(told["cpu_us"]))
        self.assertEqual(len(told["cpu_us"]), len(told["wall_us"]))
        self.assertGreater(min(told["cpu_us"]), 0)
        self.assertGreaterEqual(sum(told["wall_us"]), 0.9 * sum(told["cpu_us"]))

    def test_what_the_sidecar_itself_ran_is_no_wait(self):
        with subprocess.Popen([sys.executable, "-c", SPIN, str(min(os.sched_getaffinity(0)))]) as spinning:
            clock = core_control.process_clock(spinning.pid)
            self.assertTrue(until(lambda: clock() > 10_000_000))
            spinning.kill()
        self.assertEqual((0, 0), (clock(), core_control.process_clock(0)()))


class SamplerTest(unittest.TestCase):
    def test_a_scrape_is_told_by_segment_and_in_sums(self):
        told = sampler.scraped(SCRAPE)
        self.assertEqual({"all": {"used_mb": 2.0, "reserved_mb": 8.0}}, told["code_cache"])
        self.assertEqual((4, 42), (told["gc_count"], told["exchanges"]))
        self.assertIsNone(told["compile_s"])

    def test_samples_of_a_process_are_on_file_as_they_come_and_end_with_it(self):
        with tempfile.TemporaryDirectory() as directory, subprocess.Popen(["sleep", "60"]) as child:
            file = Path(directory, "samples.jsonl")
            one = sampler.Sampler(child.pid, processes.free_ports(1)[0], file, period_seconds=0.01)
            deadline = time.monotonic() + 10
            while (not file.exists() or file.read_text().count("\n") < 3) and time.monotonic() < deadline:
                time.sleep(0.01)
            child.kill()
            child.wait()
            one.join(10)
            self.assertFalse(one.is_alive())
            samples = one.end()
        self.assertGreaterEqual(len(samples), 3)
        self.assertGreater(samples[0]["rss_mb"], 0)
        self.assertEqual(len(samples), one.unanswered)

    def test_the_window_gives_the_samples_their_time(self):
        samples = [{"at": 10.0, "rss_mb": 1}, {"at": 12.5, "rss_mb": 2}, {"at": 99.0, "rss_mb": 3}]
        self.assertEqual([{"t_s": -1.0, "rss_mb": 1}, {"t_s": 1.5, "rss_mb": 2}], sampler.since(samples, 11.0, 20.0))


class JvmTest(unittest.TestCase):
    def test_a_real_jvm_logs_its_compilations_in_time(self):
        began_ms = time.time() * 1000
        told = subprocess.run([f"{processes.default_java_home()}/bin/java", "-Xlog:jit+compilation=debug:stdout:timemillis,level", "-Xcomp",
                               "-version"], capture_output=True, text=True, check=True).stdout
        by_second = jvm_log.compiled_by_second(told, began_ms, 600)
        self.assertGreater(sum(by_second.values()), 100)
        self.assertEqual({}, jvm_log.compiled_by_second(told, began_ms + 600_000, 600))

    def test_a_log_without_compilations_tells_nothing(self):
        self.assertIsNone(jvm_log.compiled_by_second("INFO ready\n", 0, 60))

    def test_a_full_code_cache_is_counted(self):
        self.assertEqual(1, jvm_log.times_full("[1ms][warning] CodeCache is full. Compiler has been disabled.\n"))
        self.assertEqual(0, jvm_log.times_full("[1ms][debug] 12 java.lang.String::hashCode (60 bytes)\n"))

    def test_argument_files_are_written_out(self):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "options")
            file.write_text("# heap\n-Xmx16m  # most\n-XX:+UseSerialGC\n")
            command = java_tools.java(processes.default_java_home(), "HiccupMeter", options=(f"@{file}",))
            with subprocess.Popen(command, stdin=subprocess.PIPE) as java:
                try:
                    words = until(lambda: [word for word in sidecars.command_line(java.pid) if word == "-Xmx16m"])
                finally:
                    java.kill()
        self.assertEqual(["-Xmx16m"], words)


def only(found, wanted):
    return found if found == wanted else None


def until(ask, seconds=10):
    deadline = time.monotonic() + seconds
    while not (told := ask()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return told


if __name__ == "__main__":
    unittest.main()

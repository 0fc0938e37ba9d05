"""A sidecar's cost to its node: private memory and the working set, as the kernel's files have them, and how a run is judged by them."""
import contextlib
import mmap
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure import arms
from remora_measure.conformance import controls, memory_rows, plan, sampler, verdict
from remora_measure.machine import cgroups, kernel, page_cache, processes
from remora_measure.programs import conformance, soak
from remora_measure.systems import sidecars
from remora_measure.systems.configurations import Ports

from ..inflating_sidecar import INFLATED_BYTES, PROGRAM
from .test_working_set import FILES

FAKE = Path(__file__).parents[1] / "fake_sidecar.py"
NO_SWAP = "Filename\tType\tSize\tUsed\tPriority\n"
WITH_SWAP = NO_SWAP + "/swapfile file 1048572 0 -2\n"
ROLLUP = """55f0-7ffd ---p 00000000 00:00 0    [rollup]
Rss:               30000 kB
Pss:               12000 kB
Private_Dirty:     10500 kB
Anonymous:         10000 kB
Swap:               1000 kB
"""


@contextlib.contextmanager
def layout(first, **more):
    """The files of a cgroup; dots of their names are underscores."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in {**FILES[first], **{name.replace("memory_", "memory."): text for name, text in more.items()}}.items():
            (Path(directory) / name).write_text(text)
        yield cgroups.Group(Path(directory), first)


class PrivateOfACgroup(unittest.TestCase):
    def test_is_anonymous_shared_dirty_and_swapped_memory(self):
        stat = FILES[True]["memory.stat"] + "total_shmem 1000\ntotal_dirty 200\ntotal_swap 30\nswap 7\nshmem 7\n"
        with layout(True, memory_stat=stat) as group:
            self.assertEqual(15_065_088 + 1230, group.private())
        stat = FILES[False]["memory.stat"] + "shmem 1000\nfile_dirty 200\nswapcached 7\n"
        with layout(False, memory_stat=stat) as group:
            self.assertEqual(15_065_088 + 1200, group.private())
            (group.path / "memory.swap.current").write_text("30\n")
            self.assertEqual(15_065_088 + 1230, group.private())

    def test_a_working_set_is_never_negative(self):
        with layout(False, memory_current="100\n") as group:
            self.assertEqual(0, group.used())

    def test_swap_is_off_where_the_machine_or_the_cgroup_has_none(self):
        with tempfile.TemporaryDirectory() as directory:
            swaps = Path(directory, "swaps")
            swaps.write_text(NO_SWAP)
            with layout(False) as group:
                self.assertTrue(group.is_swap_off(swaps))
                swaps.write_text(WITH_SWAP)
                self.assertFalse(group.is_swap_off(swaps))
                for most, off in (("max\n", False), ("0\n", True)):
                    (group.path / "memory.swap.max").write_text(most)
                    self.assertEqual(off, group.is_swap_off(swaps))
            with layout(True, memory_limit_in_bytes="67108864\n") as group:
                for most, off in (("9223372036854771712\n", False), ("67108865\n", False), ("67108864\n", True)):
                    (group.path / "memory.memsw.limit_in_bytes").write_text(most)
                    self.assertEqual(off, group.is_swap_off(swaps))

    def test_one_without_a_limit_is_found_and_the_machines_own_is_not(self):
        for lines, file in (("4:memory:/docker/x\n0::/docker/x\n", "memory/docker/x/memory.limit_in_bytes"), ("0::/docker/x\n", "docker/x/memory.max")):
            with self.subTest(file), tempfile.TemporaryDirectory() as directory:
                limit = Path(directory, file)
                limit.parent.mkdir(parents=True)
                limit.write_text("max\n")
                self.assertEqual(limit.parent, cgroups.group_in(lines, Path(directory), limited=False).path)
                (limit.parents[1] / limit.name).write_text("max\n")
                self.assertIsNone(cgroups.group_in(lines.replace("/docker/x", "/"), Path(directory), limited=False))


class Layers(unittest.TestCase):
    MOUNTS = ("122 71 0:49 / / ro,relatime - overlay overlay rw,lowerdir=/layers/2:/layers/1,upperdir=/layers/3,workdir=/layers/work\n"
              "123 122 0:50 / /proc rw - proc proc rw\n")

    def test_those_of_a_container_are_the_lower_ones_of_its_root(self):
        self.assertEqual([Path("/layers/2"), Path("/layers/1")], sidecars.mounted_layers(self.MOUNTS))
        self.assertEqual([], sidecars.mounted_layers(self.MOUNTS.replace(" / / ", " / /elsewhere ")))
        self.assertEqual([], sidecars.files("host"))

    def test_a_layer_that_is_not_to_be_seen_here_leaves_the_caches_as_they_were(self):
        with tempfile.TemporaryDirectory() as directory:
            layers = [Path(directory, "1"), Path(directory, "gone")]
            layers[0].mkdir()
            for read, caches in ((layers, "as they were"), ([], "as they were"), (layers[:1], "dropped")):
                self.assertEqual(caches, sampler.Charged(None, page_cache.evict_each(read)).describe()["caches"], read)

    def test_a_container_that_ends_before_its_mounts_are_read_tells_no_layers(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "123").mkdir()
            Path(directory, "123/mountinfo").write_text(self.MOUNTS)
            self.assertEqual(2, len(sidecars.layers_of(lambda: "123\n", Path(directory))))
            # one that has ended has no process; its number may be another process's by then
            for pids in (["0"], ["124"], ["123", "0"]):
                self.assertEqual([], sidecars.layers_of(iter(pids).__next__, Path(directory)), pids)


class PrivateOfAProcess(unittest.TestCase):
    def test_a_dirty_anonymous_page_counts_once_and_swap_counts(self):
        told = kernel.parse_rollup(ROLLUP)
        self.assertAlmostEqual(11_500 * 1024 / 1e6, kernel.private(told))
        self.assertAlmostEqual(12_000 * 1024 / 1e6, told["Pss"])

    def test_of_a_real_process_it_is_what_it_has_written(self):
        before = kernel.private(kernel.rollup(os.getpid()))
        with mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as written:
            for _ in range(16):
                written.write(b"x" * (1 << 20))
            self.assertAlmostEqual(len(written) / 1e6, kernel.private(kernel.rollup(os.getpid())) - before, delta=2)


@unittest.skipIf(cgroups.denied(), "this user may make no memory cgroup")
class RealCgroup(unittest.TestCase):
    def test_pages_that_were_released_are_in_the_working_set_and_neither_private_nor_in_rss(self):
        with inflated() as (group, pid):
            inflated_mb = INFLATED_BYTES / 1e6
            self.assertGreater(group.parts()["working_set_mb"], inflated_mb)
            self.assertLess(group.private() / 1e6, inflated_mb / 2)
            self.assertLess(kernel.status(pid, "VmHWM"), inflated_mb / 2)
            self.assertAlmostEqual(kernel.status(pid, "RssAnon"), group.private() / 1e6, delta=2)
            self.assertEqual(group.path, cgroups.charged_to(pid).path)

    def test_the_planted_sidecar_fails_by_its_working_set_and_by_nothing_else(self):
        with inflated() as (group, pid), tempfile.TemporaryDirectory() as directory:
            told = sampler.Sampler(pid, processes.free_ports(1)[0], Path(directory, "samples"), 0.01, charged=sampler.Charged(group, cold=False))
            deadline = time.monotonic() + 10
            while len(told.samples) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            samples = sampler.since(told.end(), 0.0, time.monotonic())
        measured = {"samples": samples, "memory": sampler.Charged(group, cold=False).describe()}
        rows = memory_rows.rows(asked(), measured, max(one["peak_mb"] for one in samples))
        self.assertEqual(["private", "working set"], [row.name for row in rows])
        self.assertEqual([verdict.REPORTED, verdict.FAIL], [row.result for row in rows])
        self.assertGreater(rows[1].value, rows[1].bar)

    def test_pages_that_were_reclaimed_and_read_again_are_counted_and_first_reads_are_not(self):
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
            file = Path(directory, "file")
            file.write_bytes(b"x" * (48 << 20))
            page_cache.evict(file)
            # with room for the whole file: below it the kernel may evict pages that it has read ahead, and read those again
            self.assertEqual(0, self.repeated_reads(96 << 20, ["cat", file]))
            page_cache.evict(file)
            self.assertGreater(self.repeated_reads(32 << 20, ["cat", file, file]), 1_000)

    def repeated_reads(self, limit, command):
        """Pages that a program read again under a memory limit in bytes."""
        group = cgroups.OwnGroup("remora-reader", limit)
        try:
            with open(os.devnull, "wb") as nowhere:
                self.assertEqual(0, group.start(command, nowhere, None).wait(60))
            return group.repeated_reads()
        finally:
            group.end()

    def test_a_compared_system_is_charged_by_itself_and_reads_its_files_again(self):
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
            work, ports = Path(directory), Ports(*processes.free_ports(3))
            config, file = work / "config", work / "file"
            config.write_text(f'address: "127.0.0.1:{ports.front}"\naddress: "127.0.0.1:{ports.admin}"\n')
            file.write_bytes(b"x" * (4 << 20))
            reader = ["sh", "-c", 'cat "$0" >/dev/null && exec "$@"', file, sys.executable, FAKE, config]
            arm = arms.Arm("fake", lambda group=None: sidecars.Process("command", "fake", reader, work / "log", None, group), files=lambda: [file])
            with arms.running(arm, ports, charged=True) as system:
                found, path = system.memory(), system.group.path
                # it was read into this cgroup, and has been accessed once
                self.assertGreater(system.group.stat("total_inactive_file" if system.group.first else "inactive_file"), 3 << 20)
                self.assertTrue(found["cold"])
            self.assertFalse(path.exists())
            self.assertGreater(found["working_set_mb"], found["private_mb"])
            self.assertLess(found["private_mb"], found["peak_rss_mb"])
            self.assertEqual(system.group.version, found["cgroup"])
            with arms.running(arm, ports) as system:
                self.assertNotIn("working_set_mb", system.memory())
            with arms.running(arm._replace(files=lambda: []), ports, charged=True) as system:
                self.assertFalse(system.memory()["cold"])


@contextlib.contextmanager
def inflated():
    """The cgroup and the process of the planted sidecar, once it has inflated its working set."""
    group = cgroups.OwnGroup("remora-inflated")
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
        try:
            with open(Path(directory, "log"), "wb") as log, \
                    group.start([sys.executable, PROGRAM, Path(directory, "file"), "sleep", "60"], log, None) as process:
                deadline = time.monotonic() + 30
                try:
                    while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
                        if time.monotonic() > deadline:
                            raise AssertionError("the planted sidecar has not inflated its working set within 30 s")
                        time.sleep(0.01)
                    yield group, process.pid
                finally:
                    process.kill()
        finally:
            group.end()


def asked(*words):
    return plan.read("conformance", "", words)


class Rows(unittest.TestCase):
    FIRST = {"cgroup": 1, "swap": "off", "caches": "dropped"}

    def rows(self, working_set_mb, *words, memory=FIRST, peak_rss_mb=30.0, more_mb=0.0, connections=16, **more):
        samples = [{"t_s": -1.0, "working_set_mb": 99.0, "private_mb": 99.0, "connections": 999},
                   *({"t_s": float(second), "working_set_mb": value, "private_mb": 10.0, "connections": connections}
                     for second, value in enumerate(working_set_mb))]
        return memory_rows.rows(asked(*words), {"samples": samples, "memory": memory}, peak_rss_mb, more_mb, **more)

    def test_an_image_has_the_bar_of_what_was_measured_and_room(self):
        for words, most_mb in ((("--image", "i386"), 8.4), (("--image", "i386-client"), 8.4), (("--image", "amd64-c1"), 11.0), (("--image", "compact3"), 11.6),
                               (("--image", "i386-openssl"), 8.4),
                               (("--image", "amd64-tiered"), 26.2)):
            bar = self.rows([1.0], *words)[1].bar
            self.assertAlmostEqual(1.15 * (most_mb + memory_rows.ASKED_MB), bar, delta=0.05)
            self.assertEqual(verdict.PASS, self.rows([bar - 1, bar], *words)[1].result)
            self.assertEqual(verdict.FAIL, self.rows([bar + 0.1, bar - 1], *words)[1].result)
            self.assertEqual(bar + 3, self.rows([1.0], *words, more_mb=3.0)[1].bar)
            # that many connections may take 8 KiB each, and no more
            self.assertAlmostEqual(100 * 8192 / 1e6, self.rows([1.0], *words, connections=116)[1].bar - bar, delta=0.1)

    def test_any_other_run_may_not_be_charged_more_than_its_peak_rss(self):
        for words in (("--image", "host"), ("--rps", "2000"), ("--features", "mesh"), ("--engine", "finagle"), ("--command", "java")):
            self.assertEqual(30.0, self.rows([1.0], *words)[1].bar, words)
        row = self.rows([30.1], "--command", "java")[1]
        self.assertEqual(verdict.FAIL, row.result)
        self.assertIn("the bar is this run's own peak RSS, as nothing like it was measured", row.note)
        self.assertNotIn("the bar is", self.rows([1.0])[1].note)

    def test_on_version_2_which_was_not_measured_the_bar_is_peak_rss(self):
        row = self.rows([29.0], memory={**self.FIRST, "cgroup": 2})[1]
        self.assertEqual((30.0, verdict.PASS), (row.bar, row.result))
        self.assertIn("the bar is this run's own peak RSS, as version 2 also charges sockets, and was not measured", row.note)
        self.assertEqual(verdict.FAIL, self.rows([30.1], memory={**self.FIRST, "cgroup": 2})[1].result)

    def test_in_a_soak_the_bar_is_peak_rss(self):
        row = self.rows([29.0], in_soak=True)[1]
        self.assertEqual((30.0, verdict.PASS), (row.bar, row.result))
        self.assertIn("as a soak runs longer than what was measured", row.note)
        measured = {"latency": {}, "samples": [{"t_s": 1.0, "rss_mb": 20.0, "peak_mb": 20.0, "private_mb": 10.0, "working_set_mb": 19.0}], "memory": self.FIRST,
                    "generator": {}, "control": {}, "steal_share": 0.0}
        for judge, bar in ((conformance.judge, 13.1), (soak.judge, 20.0)):
            self.assertEqual(bar, next(row.bar for row in judge(asked(), measured) if row.name == "working set"))

    def test_a_host_that_kept_the_sidecar_waiting_leaves_the_measured_bar_open_and_not_peak_rss(self):
        waiting = controls.Controls(kept=0.3, others=0.5)
        for value, host, words, result in ((29.0, waiting, (), verdict.INCONCLUSIVE), (29.0, verdict.QUIET, (), verdict.FAIL),
                                           (29.0, controls.Controls(kept=0.001), (), verdict.FAIL), (13.0, waiting, (), verdict.PASS),
                                           (100.0, verdict.QUIET, (), verdict.FAIL), (100.0, waiting, (), verdict.FAIL),
                                           (30.1, waiting, ("--image", "compact3"), verdict.FAIL)):
            row = self.rows([value], *words, host=host)[1]
            self.assertEqual(result, row.result, (value, host, words))
            self.assertEqual(result == verdict.INCONCLUSIVE, "the host" in row.note, row.note)

    def test_waiting_that_was_measured_excuses_a_run(self):
        kept = [{"t_s": float(second), "rss_mb": 30.0, "peak_mb": 30.0, "private_mb": 10.0, "working_set_mb": 29.0, "cpu_s": 0.1 * second, "throttled_s": 0.0,
                 "waited_s": waited * second, "cores_busy_s": busy * second} for waited, busy in ((0.3, 0.8), (0.0, 0.1)) for second in range(20)]
        for samples, result in ((kept[:20], verdict.INCONCLUSIVE), (kept[20:], verdict.FAIL)):
            measured = {"latency": {}, "samples": samples, "memory": self.FIRST, "generator": {}, "control": {}, "steal_share": 0.0}
            self.assertEqual(result, next(row.result for row in conformance.judge(asked(), measured) if row.name == "working set"))

    def test_they_say_how_they_were_taken(self):
        private, working_set = self.rows([10.0])
        self.assertIn("cgroup version 1", working_set.note)
        for words in ("version 1 charges less of the kernel's memory", "caches dropped"):
            self.assertIn(words, working_set.note)
        self.assertIn("swap off", private.note)
        self.assertIn("caches as they were", self.rows([10.0], memory={"cgroup": 2, "swap": "on", "caches": "as they were"})[1].note)

    def test_without_a_cgroup_the_working_set_is_unknown_and_decides_nothing(self):
        samples = [{"t_s": 1.0, "private_mb": 10.0}]
        rows = memory_rows.rows(asked(), {"samples": samples, "memory": {"cgroup": None, "swap": "on", "caches": "as they were"}}, 30.0)
        self.assertEqual([(10.0, verdict.REPORTED), (None, verdict.MISSING)], [(row.value, row.result) for row in rows])
        self.assertIn("unknown", rows[1].note)
        self.assertIn("smaps_rollup", rows[0].note)
        self.assertEqual(verdict.PASS, verdict.overall(rows))

    def test_they_stand_next_to_peak_rss(self):
        measured = {"latency": {}, "samples": [{"t_s": 1.0, "rss_mb": 20.0, "peak_mb": 20.0, "private_mb": 10.0, "working_set_mb": 11.0}], "memory": self.FIRST,
                    "generator": {}, "control": {}, "steal_share": 0.0}
        names = [row.name for row in conformance.judge(asked(), measured)]
        at = names.index("peak RSS")
        self.assertEqual(["peak RSS", "private", "working set"], names[at:at + 3])


if __name__ == "__main__":
    unittest.main()

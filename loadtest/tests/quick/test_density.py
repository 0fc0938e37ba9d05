"""The density of a herd: the kinds of memory, and the verdicts."""
import os
import re
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from remora_measure.errors import CouldNotRun, DidNotEnd, RequestsFailed
from remora_measure.machine import kernel, mappings, page_cache
from remora_measure.programs import density as program
from remora_measure.results import density

SMAPS = """\
f6a00000-f7600000 r-xp 00000000 fe:00 123   /opt/image/lib/client/libjvm.so
Size:              12288 kB
Rss:                8000 kB
Pss:                 200 kB
Shared_Clean:       7900 kB
Anonymous:             0 kB
AnonHugePages:         0 kB
VmFlags: rd ex mr mw me
f7600000-f7700000 rw-p 00c00000 fe:00 123   /opt/image/lib/client/libjvm.so
Rss:                 100 kB
Pss:                 100 kB
Pss_Dirty:           100 kB
Anonymous:           100 kB
b0000000-b1000000 rw-p 00001000 fe:00 124   /opt/image/lib/client/remora.jsa
Rss:                5000 kB
Pss:                3000 kB
Anonymous:          2000 kB
c0000000-c0800000 rw-p 00000000 00:00 0
Rss:                4000 kB
Pss:                4000 kB
Anonymous:          4000 kB
ffc00000-ffc21000 rw-p 00000000 00:00 0     [stack]
Rss:                  10 kB
Pss:                  10 kB
Anonymous:            10 kB
"""

MEMINFO = """MemTotal:        8123456 kB
MemFree:          123456 kB
MemAvailable:    5123456 kB
Buffers:           23456 kB
"""


def herd(idle_percent, connected_percent):
    shares = {"idle_cpu_percent": idle_percent, "connected_cpu_percent": connected_percent, "light_cpu_percent": 9.0}
    return {"herds": {"one": {key: {"mean": value, "most": value} for key, value in shares.items()}}, "failure": None}


class Mappings(unittest.TestCase):
    def test_every_mapping_counts_once_under_its_kind(self):
        found = mappings.parse(SMAPS)
        self.assertAlmostEqual(8100 * 1024 / 1e6, found["JVM library"]["rss_mb"])
        self.assertAlmostEqual(300 * 1024 / 1e6, found["JVM library"]["pss_mb"])
        self.assertAlmostEqual(2000 * 1024 / 1e6, found["CDS archive"]["anon_mb"])
        self.assertAlmostEqual(4010 * 1024 / 1e6, found["anonymous"]["rss_mb"])

    def test_kinds_by_the_names_the_kernel_gives(self):
        for path, kind in {"/usr/lib/libc.so.6": "other libraries", "/lib/ld-linux.so.2": "other libraries",
                           "/x/lib/modules": "modules file", "/x/lib/server/classes.jsa (deleted)": "CDS archive",
                           "/x/remora.jar": "other files", "[heap]": "anonymous", "": "anonymous",
                           "[anon:x]": "anonymous", "/memfd:a (deleted)": "anonymous"}.items():
            self.assertEqual(kind, mappings.kind(path), path)

    def test_what_is_shared_is_what_rss_counts_again(self):
        total = mappings.total([mappings.parse(SMAPS)] * 3)
        self.assertAlmostEqual(3 * 7800 * 1024 / 1e6, total["JVM library"]["saved_mb"])
        self.assertAlmostEqual(0, total["anonymous"]["saved_mb"])
        self.assertAlmostEqual(sum(total[kind]["pss_mb"] for kind in mappings.KINDS), total["all"]["pss_mb"])

    def test_the_sums_of_a_real_process_are_the_kernels_own(self):
        pid = os.getpid()
        self.assertAlmostEqual(kernel.pss(pid), mappings.total([mappings.of(pid)])["all"]["pss_mb"], delta=1)


def found(marginal_mb=31.4, working_set_mb=26.0):
    sizes = {"rss_mb": 60.0, "pss_mb": 40.0, "anon_mb": 20.0, "saved_mb": 20.0}
    shares = {key: {"mean": 0.01, "most": 0.02} for key in density.CPU}
    paid = {"rss_mb": 50.0, "private_mb": 22.0, "working_set_mb": working_set_mb}
    return {"start": {"first_s": 0.1, "median_s": 0.2, "all_s": 0.3}, "cgroup": working_set_mb and 1, **shares, "peak_rss_mb": 35.0,
            "mappings": {kind: sizes for kind in (*mappings.KINDS, "all")}, "paid": paid, "rested": {**paid, "rss_mb": 34.0, "marginal_mb": marginal_mb, "kept_mb": 1.0}}


def result(**herds):
    machine = {"cpu": "Some CPU", "cores": 2, "memory_gib": 8, "kernel": "6.1"}
    return {"n": 2, "image": "i386-client", "rate_each": 1.0, "requests_each": 2000, "rest_s": 10.0, "swap": "off", "at": "2026-01-02T03:04:05Z",
            "machine": machine, "versions": {"haproxy": "HAProxy version 2.6"}, "left_out": {"envoy": "envoy is not installed: how to"}, "failure": None, "herds": herds}


class Paid(unittest.TestCase):
    def cells(self, text, name):
        return next([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith(f"| {name}"))

    def test_what_each_of_a_herd_costs_stands_next_to_its_rss(self):
        text = density.markdown(result(**{"with the CDS archive": found(), "haproxy": found(marginal_mb=9.0)}))
        self.assertEqual(["15.7", "4.5"], self.cells(text, "after its requests and at rest, marginal cost")[1:])
        for name, each in (("not released at the end", "0.5"), ("private", "11.0"), ("working set", "13.0"), ("RSS", "17.0")):
            self.assertEqual([each, each], self.cells(text, f"after its requests and at rest, {name}")[1:])
        self.assertEqual("25.0", self.cells(text, "in light traffic, RSS")[1])
        for words in ("after 2,000 requests each and 10 s of rest", "version 1; swap off", "HAProxy version 2.6", "left out: envoy is not installed"):
            self.assertIn(words, text)

    def test_what_only_root_may_take_is_missing(self):
        text = density.markdown(result(one=found(marginal_mb=None, working_set_mb=None)))
        self.assertEqual("missing", self.cells(text, "after its requests and at rest, marginal cost")[1])
        self.assertEqual("missing", self.cells(text, "in light traffic, working set")[1])
        self.assertIn("smaps_rollup", text)

    def test_caches_that_were_kept_are_told(self):
        self.assertTrue(program.read_arguments(["5", "--keep-caches"]).keep_caches)
        self.assertFalse(program.read_arguments(["5"]).keep_caches)
        text = density.markdown({**result(one=found(marginal_mb=None)), "keep_caches": True})
        self.assertEqual("missing", self.cells(text, "after its requests and at rest, marginal cost")[1])
        self.assertIn("marginal cost: missing, as the kernel's caches were kept", text)


class Caches(unittest.TestCase):
    def test_all_are_dropped_by_the_kernels_file(self):
        with tempfile.TemporaryDirectory() as directory, unittest.mock.patch.object(page_cache, "DROP", Path(directory, "drop_caches")):
            page_cache.DROP.write_text("")
            self.assertTrue(page_cache.drop_all())
            self.assertEqual("3", page_cache.DROP.read_text())

    def test_no_disk_is_written_to_where_they_may_not_be_dropped(self):
        with tempfile.TemporaryDirectory() as directory, unittest.mock.patch.object(page_cache, "DROP", Path(directory, "none")), \
                unittest.mock.patch("os.sync", side_effect=AssertionError("synced")):
            self.assertFalse(page_cache.drop_all())

    def test_available_memory_is_the_kernels_estimate(self):
        self.assertAlmostEqual(5_123_456 * 1024 / 1e6, kernel.parse_available_mb(MEMINFO))
        with self.assertRaisesRegex(CouldNotRun, "MemAvailable"):
            kernel.parse_available_mb(MEMINFO.replace("MemAvailable", "MemOther"))
        total_mb = int(re.search(r"MemTotal: +(\d+)", Path("/proc/meminfo").read_text()).group(1)) * 1024 / 1e6
        self.assertTrue(0 < kernel.available_mb() < total_mb)


class Verdict(unittest.TestCase):
    def test_cpu_without_traffic_is_judged_with_and_without_a_connection(self):
        self.assertEqual([], density.too_busy(herd(0.05, 0.1)))
        self.assertEqual(["with an idle connection"], density.too_busy(herd(0.05, 0.11)))
        self.assertIn("fail, at rest and with an idle connection", density.verdict(herd(0.2, 0.2)))
        self.assertIn("pass", density.verdict(herd(0.05, 0.05)))

    def measured(self, **failures):
        """The result of herds, each of which fails as given, or not at all."""
        def measure(_bench, _options, start):
            if start:
                raise start
            return found()
        with unittest.mock.patch.object(program, "measure", measure):
            told = result()
            program.measure_each(None, program.read_arguments(["2"]), failures, told)
        return told

    def test_every_herd_that_does_not_end_is_named(self):
        told = self.measured(one=DidNotEnd("load", 55), two=None, three=DidNotEnd("load", 66))
        self.assertEqual("one: load did not end within 55 s; three: load did not end within 66 s", told["failure"])
        self.assertEqual(["two"], list(told["herds"]))

    def test_a_failed_request_ends_it_and_hides_no_herd_that_did_not_end(self):
        told = self.measured(one=DidNotEnd("load", 55), two=RequestsFailed("3 requests failed"), three=None)
        self.assertEqual(("one: load did not end within 55 s; two: 3 requests failed", []), (told["failure"], list(told["herds"])))

if __name__ == "__main__":
    unittest.main()

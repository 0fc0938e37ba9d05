"""The density of a herd: how memory is told apart, and what is judged."""
import os
import unittest

from remora_measure.machine import kernel, mappings
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


class Verdict(unittest.TestCase):
    def test_cpu_without_traffic_is_judged_with_and_without_a_connection(self):
        self.assertEqual([], density.too_busy(herd(0.05, 0.1)))
        self.assertEqual(["with an idle connection"], density.too_busy(herd(0.05, 0.11)))
        self.assertIn("fail, at rest and with an idle connection", density.verdict(herd(0.2, 0.2)))
        self.assertIn("pass", density.verdict(herd(0.05, 0.05)))

if __name__ == "__main__":
    unittest.main()

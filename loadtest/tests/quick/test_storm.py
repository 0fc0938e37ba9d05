"""What a storm's figures are judged by, and what the kernel tells of sockets."""
import unittest
import unittest.mock

from remora_measure.errors import CouldNotRun
from remora_measure.machine import cgroups
from remora_measure.programs import storm

BROKEN = ("killed", "out_of_memory", "percent")
WELL = {"killed": False, "out_of_memory": False, "percent": 95.0, "answered_percent": 90.0, "recovered_s": 2.0, "major_faults_a_second": 50.0,
        "gc_percent": 20.0, "lag_p99_ms": 500.0}
SOCKETS = """ESTAB 0 0 127.0.0.1:80 127.0.0.1:1 ino:5085025 sk:503d3 cgroup:/ <->
\t skmem:(r100,rb131072,t1,tb4194304,f20,w3000,o0,bl0,d0)
ESTAB 0 0 127.0.0.1:80 127.0.0.1:2 sk:503d4 cgroup:/ <->
\t skmem:(r7,rb131072,t0,tb4194304,f0,w0,o0,bl0,d0)
ESTAB 0 0 127.0.0.1:80 127.0.0.1:3 ino:7 sk:503d5 cgroup:/ <->
\t skmem:(r40000,rb131072,t0,tb4194304,f0,w0,o0,bl0,d0)
"""


class Storms(unittest.TestCase):
    def test_every_bar_can_be_missed(self):
        self.assertEqual(storm.missed(WELL), [])
        for key, value, told in (
            ("killed", True, "killed"), ("out_of_memory", True, "OutOfMemoryError"), ("percent", 95.6, "96 % of the limit"),
            ("answered_percent", 89.4, "89 % of the canaries answered"), ("recovered_s", 2.1, "200 again after 2.1 s"),
            ("recovered_s", None, "200 again after more than 30 s"), ("major_faults_a_second", 51, "51 major faults a second"),
            ("gc_percent", 21, "collections took 21 % of the time"), ("lag_p99_ms", 1000, "loop late by 1000 ms"),
        ):
            with self.subTest(key):
                self.assertEqual(storm.missed({**WELL, key: value}), [told])
                # only what the machine's other work cannot do
                self.assertEqual(storm.broken({**WELL, key: value}), [told] if key in BROKEN or value is None else [])

    def test_thrashing_is_what_came_between(self):
        before = storm.Thrashing(10.0, 1.0, {0.001: 90, 0.1: 100, float("inf"): 100})
        after = storm.Thrashing(20.0, 3.0, {0.001: 188, 0.1: 200, float("inf"): 200})
        self.assertAlmostEqual(after.gc_percent_since(before), 20.0)
        self.assertEqual(after.lag_ms_since(before), 100.0)
        self.assertEqual(storm.Thrashing(20.0, 3.0, {}).lag_ms_since(before), 0.0)

    def test_sockets_that_nobody_has_accepted_do_not_count(self):
        self.assertEqual(cgroups.sum_of_sockets(SOCKETS), 100 + 1 + 20 + 3000 + 40000)

    def test_canaries_are_told_by_second(self):
        self.assertEqual(storm.by_second([(11.5, 503), (10.1, 200), (10.2, 0)], 10.0), ["0: 200 0", "1: 503"])

    def test_tls_is_for_sidecars_only(self):
        options = storm.read_arguments(["--tls", "--image", "i386-client,haproxy"])
        with unittest.mock.patch("os.geteuid", return_value=0), self.assertRaisesRegex(CouldNotRun, "sidecars only"):
            storm.run(options)
        self.assertFalse(storm.read_arguments([]).tls)

    def test_sizes(self):
        self.assertEqual([storm.size(text) for text in ("64m", "1G", "4096")], [64 << 20, 1 << 30, 4096])
        self.assertEqual(storm.read_arguments(["--short"]).seconds, 20)
        self.assertEqual(storm.read_arguments([]).seconds, 120)


if __name__ == "__main__":
    unittest.main()

"""What a storm's figures are judged by, and what the kernel tells of sockets."""
import json
import os
import socket
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path

from remora_measure.errors import CouldNotRun
from remora_measure.machine import cgroups
from remora_measure import storms
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
    def test_a_container_has_the_limit_of_its_runtime_image(self):
        for name, image in (("i386", "i386-client"), ("compact3", "compact3-amd64"), ("i386-openssl", "i386-client"), ("compact3-openssl", "compact3-amd64"),
                            ("compact3-finagle", "compact3-amd64-finagle"), ("amd64-c1", "amd64-c1"), ("amd64-c1-openssl", "amd64-c1"),
                            ("compact3-386-finagle", "compact3-386-finagle"), ("host", "host"), ("host-finagle", "host-finagle")):
            self.assertEqual(image, storm.measured_image(name))

    def test_every_bar_can_be_missed(self):
        self.assertEqual(storms.missed(WELL), [])
        for key, value, told in (
            ("killed", True, "killed"), ("out_of_memory", True, "OutOfMemoryError"), ("percent", 95.6, "96 % of the limit"),
            ("answered_percent", 89.4, "89 % of the canaries answered"), ("recovered_s", 2.1, "200 again after 2.1 s"),
            ("recovered_s", None, "200 again after more than 30 s"), ("major_faults_a_second", 51, "51 major faults a second"),
            ("gc_percent", 21, "collections took 21 % of the time"), ("lag_p99_ms", 1000, "loop late by 1000 ms"),
        ):
            with self.subTest(key):
                self.assertEqual(storms.missed({**WELL, key: value}), [told])
                # only what the machine's other work cannot do
                self.assertEqual(storms.broken({**WELL, key: value}), [told] if key in BROKEN or value is None else [])

    def test_a_sidecar_that_tells_nothing_of_its_thrashing_has_not_met_the_bar(self):
        silent = {**WELL, "gc_percent": None, "lag_p99_ms": None}
        self.assertEqual(storms.missed({**silent, "is_sidecar": False}), [])
        self.assertEqual(storms.late({**silent, "is_sidecar": True}), ["its metrics did not tell of collections and of the loop"])
        self.assertEqual(storms.missed({**silent, "is_sidecar": True, "killed": True}), ["killed"])

    def test_a_proxy_that_a_burst_has_killed_has_missed_the_bar(self):
        with subprocess.Popen(["sleep", "60"]) as process:
            proxy = unittest.mock.Mock(pid=lambda: process.pid, crowd=lambda *_: process.kill(), killed=lambda: True)
            proxy.group.limit = 64 << 20
            with unittest.mock.patch.object(storms, "stop_all") as stopped:
                found = storms.give_back(proxy, [("idle", 1)], 1)
        self.assertEqual((found["broken"], found["missed"]), (["killed"], ["killed"]))
        self.assertTrue(stopped.called)

    def test_thrashing_is_what_came_between(self):
        before = storms.Thrashing(10.0, 1.0, {0.001: 90, 0.1: 100, float("inf"): 100})
        after = storms.Thrashing(20.0, 3.0, {0.001: 188, 0.1: 200, float("inf"): 200})
        self.assertAlmostEqual(after.gc_percent_since(before), 20.0)
        self.assertEqual(after.lag_ms_since(before), 100.0)
        self.assertEqual(storms.Thrashing(20.0, 3.0, {}).lag_ms_since(before), 0.0)

    def test_sockets_that_nobody_has_accepted_do_not_count(self):
        self.assertEqual(cgroups.sum_of_sockets(SOCKETS), 100 + 1 + 20 + 3000 + 40000)

    def test_a_canary_that_still_waits_is_one_without_an_answer(self):
        """Its timeout is of each step, so that all of them may take longer than a storm's end is waited for."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            canary = storms.Canary(silent.getsockname()[1])
            asking = threading.Thread(target=canary.one, args=(7.0,))
            asking.start()
            connection, _ = silent.accept()
            with connection:
                self.assertEqual([[7.0, 0]], canary.results)
            asking.join()
            self.assertEqual([[7.0, 0]], canary.results)

    def test_canaries_are_told_by_second(self):
        self.assertEqual(storms.by_second([(11.5, 503), (10.1, 200), (10.2, 0)], 10.0), ["0: 200 0", "1: 503"])

    def test_tls_and_http2_are_for_sidecars_only(self):
        for word in ("--tls", "--h2"):
            options = storm.read_arguments([word, "--image", "i386-client,haproxy"])
            with unittest.mock.patch("os.geteuid", return_value=0), self.assertRaisesRegex(CouldNotRun, "sidecars only"):
                storm.run(options)
        self.assertEqual((False, False), ((plain := storm.read_arguments([])).tls, plain.h2))

    def pairs(self, *words):
        return storm.pairs(storm.read_arguments([*words]))

    def test_an_image_has_several_limits(self):
        self.assertEqual(self.pairs("--image", "i386-client", "--memories", "28m,64m"), [("i386-client", 28 << 20), ("i386-client", 64 << 20)])
        self.assertEqual(self.pairs("--image", "i386-client,envoy", "--memories", "28m,200m"), [("i386-client", 28 << 20), ("envoy", 200 << 20)])
        self.assertEqual(self.pairs("--image", "host,envoy", "--memory", "80m"), [("host", 80 << 20), ("envoy", 80 << 20)])
        for wrong, why in ((("--image", "a,b", "--memories", "28m"), "2 images and 1 limits"), (("--image", "a,a"), "asked for twice"),
                           (("--memories", "64m,65536k"), "asked for twice")):
            with self.subTest(wrong), self.assertRaisesRegex(CouldNotRun, why):
                self.pairs(*wrong)

    def test_a_container_is_that_of_its_runtime_image(self):
        self.assertEqual(self.pairs("--container", "--image", "i386-client,compact3"), [("i386", 64 << 20), ("compact3", 64 << 20)])
        with self.assertRaisesRegex(CouldNotRun, "no container of envoy"):
            self.pairs("--container", "--image", "envoy")

    def test_results_are_by_proxy_and_limit(self):
        self.assertEqual([storm.title("i386-client", 64 << 20), storm.title("i386", 29_150_000)], ["i386-client, 64 MiB", "remora:i386, 29.15 MB"])
        self.assertEqual(storm.title("i386-client", 64 << 20, over_tls=True), "i386-client, TLS, 64 MiB")
        self.assertEqual(storm.title("i386", 28 << 20, over_tls=True, over_http2=True), "remora:i386, TLS, HTTP/2, 28 MiB")
        self.assertEqual(storm.title("i386", 28 << 20, over_tls=True, other_client=True), "remora:i386, TLS, another client, 28 MiB")
        self.assertEqual(storm.title("i386", 28 << 20, other_client=True, own_core=True), "remora:i386, another client, own core, 28 MiB")
        bad = {**WELL, "ok_percent": 10, "missed": ["slow"], "broken": [], "seconds": 120}
        with tempfile.TemporaryDirectory() as directory, unittest.mock.patch("os.geteuid", return_value=0), \
                unittest.mock.patch.object(storm, "measure", lambda name, limit, _: [("10,000 idle", bad if limit == 28 << 20 else {**bad, "missed": []})]), \
                unittest.mock.patch("builtins.print") as printed:
            status = storm.run(storm.read_arguments(["--memories", "28m,64m", "--reports", directory]))
            told = json.loads(next(Path(directory).glob("*/storm.json")).read_text())
        self.assertEqual(status, 2)
        self.assertEqual({title: one["limit"] for title, one in told["results"].items()},
                         {"i386-client, 28 MiB": 28 << 20, "i386-client, 64 MiB": 64 << 20})
        self.assertEqual(printed.call_args.args[0].count("| i386-client | 10,000 idle |"), 2)

    def test_the_rig_leaves_its_core_to_the_proxy(self):
        mine = os.sched_getaffinity(0)
        with storm.rig_cores(storm.read_arguments([])) as own:
            self.assertEqual((own, os.sched_getaffinity(0)), (set(), mine))
        if len(mine) > 1:
            with storm.rig_cores(storm.read_arguments(["--own-core"])) as own:
                self.assertTrue(own)
                self.assertEqual(os.sched_getaffinity(0) | own, mine)
                self.assertFalse(os.sched_getaffinity(0) & own)
        self.assertEqual(os.sched_getaffinity(0), mine)
        os.sched_setaffinity(0, {min(mine)})
        try:
            with self.assertRaises(CouldNotRun), storm.rig_cores(storm.read_arguments(["--own-core"])):
                pass
        finally:
            os.sched_setaffinity(0, mine)

    def test_what_was_found_stays_where_a_later_storm_cannot_run(self):
        def measure(*_):
            yield "10,000 idle", {**WELL, "missed": [], "broken": [], "seconds": 1}
            raise CouldNotRun("no more")

        with tempfile.TemporaryDirectory() as directory, unittest.mock.patch("os.geteuid", return_value=0), unittest.mock.patch.object(storm, "measure", measure):
            with self.assertRaisesRegex(CouldNotRun, "no more"):
                storm.run(storm.read_arguments(["--reports", directory]))
            told = json.loads(next(Path(directory).glob("*/storm.json")).read_text())
        self.assertEqual(["proxy", "limit", "10,000 idle"], list(told["results"]["i386-client, 64 MiB"]))

    def test_the_cgroup_of_a_container_is_found(self):
        for lines, file, first in (("4:memory:/docker/x\n0::/docker/x\n", "memory/docker/x/memory.limit_in_bytes", True), ("0::/docker/x\n", "docker/x/memory.max", False)):
            with self.subTest(file), tempfile.TemporaryDirectory() as directory:
                root = Path(directory)
                (root / file).parent.mkdir(parents=True)
                (root / file).write_text("67108864\n")
                found = cgroups.group_in(lines, root)
                self.assertEqual((found.path, found.first, found.limit), ((root / file).parent, first, 64 << 20))
                (root / file).write_text("max\n")
                self.assertIsNone(cgroups.group_in(lines, root))

    def test_sizes(self):
        self.assertEqual([storm.size(text) for text in ("64m", "1G", "4096")], [64 << 20, 1 << 30, 4096])
        self.assertEqual(storm.read_arguments(["--short"]).seconds, 20)
        self.assertEqual(storm.read_arguments([]).seconds, 120)

    def test_all_crowds_together_may_last_longer_than_each_alone(self):
        options = storm.read_arguments(["--seconds", "30", "--together-seconds", "120"])
        self.assertEqual([storm.seconds_of(key, options) for key in ("10,000 idle", "all together")], [30, 120])
        self.assertEqual(storm.seconds_of("all together", storm.read_arguments(["--seconds", "30"])), 30)
        self.assertEqual(storm.seconds_of("storm", storm.read_arguments(["--short"])), 20)
        self.assertEqual(storm.seconds_of("10,000 connections", storm.read_arguments(["--give-back"])), storm.BURST_S)

    def test_a_storm_that_there_is_not_is_no_pass(self):
        with self.assertRaisesRegex(CouldNotRun, "all toghether"):
            storm.read_arguments(["--only", "all toghether"])


if __name__ == "__main__":
    unittest.main()

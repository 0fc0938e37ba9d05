"""The judgement of a load that did not keep its rate, on this machine and without a cluster."""
import contextlib
import http.server
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from cluster import ClusterTest, Load, Spent, group_seconds

BURN_SECONDS = 0.5
BURN = f"import time\nwhile time.process_time() < {BURN_SECONDS}: pass"
RATE = 50


class Machine:
    """Stands for a cluster: its programs start here, and its pods are a cgroup of this test."""

    def __init__(self):
        self.group = f"/remora-test-load-{os.getpid()}"
        version_1 = Path("/sys/fs/cgroup/cpuacct")
        self.folder = Path(f"{version_1 if version_1.exists() else '/sys/fs/cgroup'}{self.group}")
        self.inner = self.folder / "pod"
        self.inner.mkdir(parents=True)

    def pods_group(self):
        return self.group

    def popen(self, *command):
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def burn(self, in_a_pod):
        """Takes so many seconds of CPU."""
        def enter():
            Path(self.inner, "cgroup.procs").write_text(str(os.getpid()))
        subprocess.run([sys.executable, "-c", BURN], check=True, timeout=60, preexec_fn=enter if in_a_pod else None)

    def close(self):
        self.inner.rmdir()
        self.folder.rmdir()


class Slow(http.server.BaseHTTPRequestHandler):
    """Handler that answers after the delay of its server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(self.server.delay)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    delay = 0.0


@unittest.skipUnless(os.getuid() == 0, "a cgroup needs root")
class Judged(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)

    @contextlib.contextmanager
    def server(self, delay=0.0):
        with Server(("127.0.0.1", 0), Slow) as server:
            server.delay = delay
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield server
            server.shutdown()

    def load(self, server, rate=RATE):
        load = Load(self.machine, f"http://127.0.0.1:{server.server_port}/", "--rps", rate, "--connections", 100, "--fresh", "0")
        self.addCleanup(load.stop)
        return load

    def test_pods_are_told_from_other_programs(self):
        for in_a_pod in (True, False):
            before = Spent.so_far(self.machine.group)
            self.machine.burn(in_a_pod)
            spent = Spent.so_far(self.machine.group).since(before)
            with self.subTest(in_a_pod):
                self.assertAlmostEqual(BURN_SECONDS if in_a_pod else 0, spent.pods, delta=0.2 * BURN_SECONDS)
                # by the ticks of a clock, and others run as well
                self.assertGreater(spent.busy, 0.8 * BURN_SECONDS)
                self.assertGreaterEqual(spent.all, spent.busy)
        self.assertGreaterEqual(group_seconds(self.machine.group), 0.8 * BURN_SECONDS)

    def test_the_wait_for_the_last_answers_is_no_time_of_the_load(self):
        with self.server() as server:
            load = self.load(server)
            load.await_requests(2 * RATE)
            server.delay = 3
            time.sleep(0.3)
            began = time.monotonic()
            counts = load.stop()
            self.assertGreater(time.monotonic() - began, 2, "it did wait")
        self.assertGreaterEqual(counts["requests"], 2 * RATE)
        self.assertIsNone(load.why_not_held())

    def test_only_others_excuse_a_rate_that_was_not_held(self):
        with self.server(delay=1.0) as server:
            load = self.load(server, rate=300)
            time.sleep(2)
            load.stop()
        self.assertRegex(load.why_not_held(), "^[0-9]+ of 300 requests a second: [0-9]+ of [0-9]+ were not sent")
        judge = ClusterTest("assert_held")
        for excused, spent in ((True, Spent(all=20, busy=19, pods=4)),
                               # pods that have become expensive
                               (False, Spent(all=20, busy=20, pods=12)),
                               # a core was free
                               (False, Spent(all=20, busy=17, pods=1))):
            load.spent = spent
            with self.subTest(spent), self.assertRaises(unittest.SkipTest if excused else AssertionError):
                judge.assert_held(load)
        # what the load took itself is no excuse either
        load.spent, load.answers[-1]["cpu_s"] = Spent(all=20, busy=20, pods=6), 6
        with self.assertRaises(AssertionError):
            judge.assert_held(load)


if __name__ == "__main__":
    unittest.main()

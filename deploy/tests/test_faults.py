"""What fails when a process dies, what does not, and how an exchange outlives the drain that finds it open."""
import time

from cluster import ClusterTest, await_that
from manifests import GRPC_PORT, PORT, application, config_map, pod, pod_spec, sidecar

APP_LIMIT_MB = 64


class SinglePod(ClusterTest):
    """One pod, asked at its own address, so that no Service hides what it does."""

    def begin(self, spec):
        self.apply(config_map(), pod("web", spec))
        self.ready("web")
        self.address = self.pod_address("web")
        self.url = f"http://{self.address}:{PORT}/"

    def restarts(self, container):
        status = self.get("pod", "web")["status"]
        return next(one["restartCount"] for one in status["containerStatuses"] + status["initContainerStatuses"] if one["name"] == container)

    def restarted(self, container):
        """Waits until the kubelet has started a container again; returns its new id."""
        def running(pods):
            for one in pods[0]["status"]["containerStatuses"] + pods[0]["status"]["initContainerStatuses"] if pods else ():
                if one["name"] == container and one["restartCount"] == 1 and "running" in one["state"]:
                    return one["containerID"].removeprefix("containerd://")
            return None
        return self.watch("pod", "web").until(f"{container} runs again", running)


class Killed(SinglePod):
    """The sidecar's process ends by force; the kubelet starts it again."""

    def setUp(self):
        super().setUp()
        self.begin(pod_spec(application()))
        self.seen = self.events()
        self.steady = self.load(self.url, "--rps", "100")
        self.steady.await_requests(200)
        self.upload = self.hold("upload", self.url + "upload")

    def judge(self, killed):
        """Requests fail from the end of the process until its next start and a second more, and no others do."""
        identity = self.restarted("remora")
        started = self.seen.find("/tasks/start", identity)["at"]
        await_that("a first success", lambda: self.steady.counts()["last_success_at"] > started)
        self.steady.await_requests(200)
        counts = self.steady.stop()
        first = next(at for at in counts["recovered"] if at > started)
        late = [one for one in self.steady.failures if one["at"] > first]
        print(f"{self._testMethodName}: the first success came {first - started:.3f} s after the start; {self.steady.summary()}")
        self.assertRegex(self.upload.result(), "^broken after ", "an upload in flight fails")
        self.assertTrue(self.steady.failures, "requests failed while nobody listened")
        self.assertGreaterEqual(min(one["at"] for one in self.steady.failures), killed - 0.05)
        self.assertEqual([], late)
        self.assertLessEqual(first - started, 1.0)
        self.assertEqual(0, self.restarts("app"))

    def test_killed_sidecar_is_back_within_a_second_of_its_start(self):
        pid = self.cluster.container_pid(self.cluster.container_id(self.namespace, "web", "remora"))
        killed = time.time()
        self.cluster.execute("kill", "-9", pid)
        self.judge(killed)

    def test_sidecar_out_of_memory_is_back_within_a_second_of_its_start(self):
        identity = self.cluster.container_id(self.namespace, "web", "remora")
        group = self.memory_group(self.cluster.container_pid(identity))
        killed = time.time()
        # Pages of a file that a small process writes count for the container: the largest process in it is the sidecar's.
        fill = "/run/remora-fill"
        self.addCleanup(self.cluster.execute, "rm", "-f", fill)
        self.cluster.execute("sh", "-c", 'echo $$ >"$1" && exec dd if=/dev/zero of="$2" bs=1M count=96', "fill", f"{group}/cgroup.procs", fill,
                             check=False)
        self.cluster.execute("rm", "-f", fill)
        self.judge(killed)
        self.assertEqual("OOMKilled", self.ended("web", "remora")["reason"])

    def memory_group(self, pid):
        lines = self.cluster.execute("cat", f"/proc/{pid}/cgroup").stdout.splitlines()
        for line in lines:
            _, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                return f"/sys/fs/cgroup/memory{path}"
        return f"/sys/fs/cgroup{lines[0].split(':', 2)[2]}"


class ApplicationDies(SinglePod):
    """The application's end is the client's 502, and not the sidecar's end."""

    def test_application_out_of_memory_leaves_the_sidecar_running(self):
        self.begin(pod_spec(application(memory=f"{APP_LIMIT_MB}Mi")))
        status, _ = self.cluster.http(f"{self.url}allocate?mb={2 * APP_LIMIT_MB}")
        self.assertEqual(502, status)
        self.restarted("app")
        await_that("an answer of the new application", lambda: self.cluster.http(self.url)[0] == 200)
        self.assertEqual("OOMKilled", self.ended("web", "app")["reason"])
        self.assertEqual(0, self.restarts("remora"))

    def test_application_that_uses_up_its_grace_leaves_the_sidecar_time_to_exit(self):
        grace = 4
        self.begin(pod_spec(application("--ignore-term"), remora=sidecar(drain=None), grace=grace))
        app, remora = (self.cluster.container_id(self.namespace, "web", name) for name in ("app", "remora"))
        seen = self.events()
        deleted = time.time()
        self.kubectl("delete", "pod", "web")
        killed, exited = seen.find("/tasks/exit", app), seen.find("/tasks/exit", remora)
        print(f"{self._testMethodName}: the application was killed after {killed['at'] - deleted:.2f} s, and the sidecar exited after {exited['at'] - deleted:.2f} s")
        self.assertEqual(137, killed["exit_status"])
        self.assertEqual(0, exited.get("exit_status", 0), "the sidecar drained, and was not killed")
        # both ends are due at the same moment: an idle sidecar may be the first to be gone
        self.assertGreaterEqual(exited["at"] - deleted, grace, "the sidecar ran as long as the application could run")


class Drained(SinglePod):
    """A pod is deleted while exchanges are open: they end as their clients want."""

    def test_open_exchanges_outlive_the_deletion_of_their_pod(self):
        self.begin(pod_spec(application("--linger", "15s", sleep=5), grace=60))
        held = [self.hold("websocket", self.url + "ws"), self.hold("upload", self.url + "upload"),
                self.hold("grpc", f"http://{self.address}:{GRPC_PORT}/remora.test.Echo/Stream")]
        self.kubectl("delete", "pod", "web", "--wait=false")
        await_that("the drain has begun", lambda: self.cluster.http(self.url)[0] == 0)
        for one in held:
            with self.subTest("a further message passes after that", kind=one.kind):
                self.assertGreater(one.pieces_after_a_further_one(), 0)
        results = {one.kind: one.finish() for one in held}
        print(f"{self._testMethodName}: {results}")
        for kind, result in results.items():
            self.assertRegex(result, "^complete ", kind)

    def test_new_clients_are_served_until_the_delay_is_over(self):
        self.begin(pod_spec(application("--linger", "15s", sleep=5)))
        self.kubectl("delete", "pod", "web", "--wait=false")
        await_that("readiness turns", lambda: self.cluster.http(f"http://{self.address}:15020/ready")[0] == 503, every=0.02)
        self.assertEqual(200, self.cluster.http(self.url)[0], "the port is open, because not every client has learned of it")
        self.assertEqual(200, self.cluster.http(f"http://{self.address}:15020/live")[0])

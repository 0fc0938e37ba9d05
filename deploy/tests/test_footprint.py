"""Start and memory in a pod: from containerd's start event to the first 200 of /ready, and the working set at 1,000 requests a second."""
import datetime
import os
import statistics
import unittest

from cluster import ClusterTest, app_program, await_that, run
from manifests import APP_PORT, HEALTH_PORT, PORT, application, config_map, pod, pod_spec, service, sidecar

IMAGES = os.environ.get("REMORA_IMAGES", "remora:i386 remora:compact3").split()
STARTS = 5
START_BAR_SECONDS = 0.5
RATE = 1000
# Memory limit of the sidecar by image, for this rate.
LIMIT = {"remora:i386": "64Mi", "remora:compact3": "96Mi"}


class Footprint(ClusterTest):
    """One pod of each image."""

    # Pods of the start before, which are being deleted.
    ending = ()

    @classmethod
    def setUpClass(cls):
        for image in IMAGES[:]:
            if run(["docker", "image", "inspect", image], check=False).returncode != 0:
                print(f"{image} was not tested: there is no such image")
                IMAGES.remove(image)
        cls.images = tuple(IMAGES)
        super().setUpClass()

    def test_start(self):
        """An init container holds the sidecar back until its address is known and asked each 10 ms."""
        self.apply(config_map())
        for image in IMAGES:
            times = sorted(self.start(image, number) for number in range(STARTS))
            print(f"start of {image}, from containerd's event to the first 200 of /ready: median {statistics.median(times):.3f} s, "
                  f"{times[0]:.3f} to {times[-1]:.3f} s; {STARTS} pods, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            with self.subTest(image):
                self.assertLessEqual(statistics.median(times), START_BAR_SECONDS)

    def start(self, image, number):
        """Seconds of one start. Its pods end while the next ones are prepared, but not while that is measured."""
        name = image.partition(":")[2] + f"-{number}"
        gate_name = f"gate-{name}"
        self.apply(service(gate_name, APP_PORT))
        gate = f"http://{self.service_address(gate_name)}/"
        spec = pod_spec(application(), remora=sidecar(image, drain=None, memory=LIMIT.get(image, "96Mi")))
        spec["initContainers"].insert(0, application("--patience", "100s", gate, command="fetch", name="gate"))
        seen = self.events()
        self.apply(pod(name, spec))
        address = self.watch("pod", name).until("an address", lambda pods: pods and pods[0]["status"].get("podIP"))
        poll = self.cluster.popen(app_program(), "poll", f"{address}:{HEALTH_PORT}", "/ready")
        self.assertEqual("polling", poll.stdout.readline().strip())
        for ended in self.ending:
            self.wait(f"pod/{ended}", "delete")
        self.apply(pod(gate_name, pod_spec(application(), remora=False)))
        first = float(poll.stdout.readline())
        poll.wait(10)
        poll.stdout.close()
        poll.stdin.close()
        self.ready(name)
        began = seen.find("/tasks/start", self.cluster.container_id(self.namespace, name, "remora"))["at"]
        self.ending = (name, gate_name)
        self.kubectl("delete", "pod", *self.ending, "--grace-period=1", "--wait=false")
        return first - began

    def test_working_set_at_a_thousand_requests_a_second(self):
        names = {image: image.partition(":")[2] for image in IMAGES}
        self.apply(config_map(), *(pod(name, pod_spec(application(), remora=sidecar(image, memory=LIMIT.get(image, "96Mi")))) for image, name in names.items()))
        for name in names.values():
            self.ready(name)
        at_rest = self.working_sets(names.values())
        for image, name in names.items():
            steady = self.load(f"http://{self.pod_address(name)}:{PORT}/", "--rps", RATE, "--connections", "16", "--fresh", "0")
            steady.await_requests(20 * RATE)
            rest, busy = at_rest[name], self.working_sets([name])[name]
            counts = steady.stop()
            seconds = 20
            print(f"working set of {image} by the kubelet: {rest / 1e6:.1f} MB at rest, {busy / 1e6:.1f} MB at {RATE} requests a second; {steady.summary()}")
            with self.subTest(image):
                self.assertEqual([], steady.failures[:5])
                self.assertGreater(busy, 0)
                self.assertGreater(counts["succeeded"], seconds * RATE)
            self.kubectl("delete", "pod", name, "--grace-period=1")

    def working_sets(self, names):
        """Bytes by pod, each of a sample that the kubelet takes from now on; it takes one every ten to twenty seconds."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {name: await_that("a sample", lambda: (told := self.cluster.stats(self.namespace, name, "remora")).get("time", "") > now and told["workingSetBytes"],
                                 every=0.5) for name in names}


if __name__ == "__main__":
    unittest.main()

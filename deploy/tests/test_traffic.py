"""Nothing is lost while pods come and go: a Deployment of three behind a Service at 300 requests a second, without retries."""
import unittest

from cluster import ClusterTest, await_that
from manifests import CONFIGURATION, application, config_map, deployment, pod_spec, service

# Half of the requests open a connection, the others share eight that are kept.
RATE = ("--rps", "300", "--connections", "8")


class SteadyLoad(ClusterTest):
    """What a cluster does to a Deployment, under load."""

    one_namespace = True

    def setUp(self):
        super().setUp()
        self.apply(config_map(), service("web"), deployment("web", self.spec()))
        self.rolled_out("deployment/web")
        self.url = f"http://{self.service_address('web')}/"
        self.await_answers(self.url, 3)
        self.steady = self.load(self.url, *RATE)
        self.steady.await_requests(600)

    def spec(self, *options):
        # after its hook the application keeps accepting for 5 s more
        return pod_spec(application("--linger", "5s", *options, sleep=5))

    def scale(self, replicas):
        self.kubectl("scale", "deployment/web", f"--replicas={replicas}")
        self.rolled_out("deployment/web")

    def gone(self):
        """Waits until all pods that are being deleted are gone."""
        self.watch("pods").until("no pod is terminating", lambda pods: pods and not any("deletionTimestamp" in p["metadata"] for p in pods))

    def test_rolling_update_loses_no_request(self):
        before = {pod["metadata"]["name"] for pod in self.pods("app=web")}
        self.kubectl("rollout", "restart", "deployment/web")
        self.rolled_out("deployment/web")
        self.gone()
        self.steady.await_requests(600)
        counts = self.assert_clean(self.steady)
        self.assertFalse(before & {pod["metadata"]["name"] for pod in self.pods("app=web")})
        self.assertGreaterEqual(len(counts["answers"]), 6, "three old and three new pods answered")

    def test_scaling_loses_no_request(self):
        self.scale(6)
        self.await_answers(self.url, 6)
        self.scale(1)
        self.gone()
        self.steady.await_requests(600)
        counts = self.assert_clean(self.steady)
        self.assertGreaterEqual(len(counts["answers"]), 6)
        self.assertEqual(1, len(self.pods("app=web")))

    def test_deleted_pod_loses_no_request(self):
        name = self.pods("app=web")[0]["metadata"]["name"]
        self.kubectl("delete", "pod", name)
        self.rolled_out("deployment/web")
        self.steady.await_requests(600)
        self.assert_clean(self.steady)

    def test_reload_from_the_config_map_loses_no_request(self):
        self.assertNotIn("Forwarded:", self.cluster.http(self.url + "headers")[1])
        self.apply(config_map(CONFIGURATION.replace("    cluster: app\n", "    headers: {forwarded: append}\n    cluster: app\n", 1)))
        await_that("the new configuration in use by each pod", lambda: all(self.generation(pod) >= 2 for pod in self.pods("app=web")))
        self.assertIn("\nForwarded:", "\n" + self.cluster.http(self.url + "headers")[1])
        self.steady.await_requests(600)
        self.assert_clean(self.steady)

    def generation(self, pod):
        """The configuration's generation, by the launcher's own client in the container."""
        done = self.kubectl("exec", pod["metadata"]["name"], "-c", "remora", "--", "/opt/remora/bin/remora", "get", "/config")
        return int(done.stdout.split("generation ", 1)[1].split(",")[0])

    def test_kubelet_restart_loses_no_request(self):
        before = [pod["metadata"]["name"] for pod in self.pods("app=web")]
        old = self.cluster.pid_of("kubelet")
        self.assertNotEqual(old, self.cluster.restart_kubelet())
        # it serves again when it deletes a pod
        self.kubectl("delete", "pod", before[0])
        self.rolled_out("deployment/web")
        self.steady.await_requests(600)
        self.assert_clean(self.steady)
        restarts = [one["restartCount"] for pod in self.pods("app=web") for one in pod["status"]["containerStatuses"] + pod["status"]["initContainerStatuses"]]
        self.assertEqual({0}, set(restarts), "the restart of the kubelet restarted no container")


class WithoutHook(SteadyLoad):
    """An application without a hook, which keeps accepting for 5 s after SIGTERM, as long as the delay of the shipped hook."""

    test_scaling_loses_no_request = test_reload_from_the_config_map_loses_no_request = test_kubelet_restart_loses_no_request = None
    test_deleted_pod_loses_no_request = None

    def spec(self, *options):
        return pod_spec(application("--linger", "5s", *options))


if __name__ == "__main__":
    unittest.main()

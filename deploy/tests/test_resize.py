"""The memory limit of a running sidecar is raised and lowered in place; a limit that it already exceeds is refused by the kubelet."""
import json
import unittest

from cluster import ClusterTest
from manifests import PORT, application, config_map, pod, pod_spec, sidecar

MIB = 1 << 20


class Resized(ClusterTest):
    """A pod under load whose limit changes."""

    def setUp(self):
        super().setUp()
        self.apply(config_map(), pod("web", pod_spec(application(), remora=sidecar(memory="64Mi"))))
        self.ready("web")
        self.watched = self.watch("pod", "web")
        self.steady = self.load(f"http://{self.pod_address('web')}:{PORT}/", "--rps", "200")
        self.steady.await_requests(300)

    def resize(self, mib):
        amounts = {"memory": f"{mib}Mi"}
        self.kubectl("patch", "pod", "web", "--subresource", "resize", "--type", "strategic", "--patch", json.dumps(
            {"spec": {"initContainers": [{"name": "remora", "resources": {"requests": amounts, "limits": amounts}}]}}))

    @staticmethod
    def remora(pods):
        return next(one for one in pods[0]["status"]["initContainerStatuses"] if one["name"] == "remora")

    def resized(self, mib):
        """Waits until the kubelet reports the limit, and looks at the cgroup itself."""
        self.watched.until(f"a limit of {mib} MiB", lambda pods: pods and self.remora(pods)["resources"]["limits"]["memory"] == f"{mib}Mi"
                           and not self.conditions(pods))
        self.assertEqual(mib * MIB, self.limit())

    @staticmethod
    def conditions(pods):
        """Those about a resize that is not done."""
        return [one for one in pods[0]["status"]["conditions"] if one["type"].startswith("PodResize") and one["status"] == "True"]

    def limit(self):
        identity = self.cluster.container_id(self.namespace, "web", "remora")
        return int(self.cluster.memory_file(identity, "memory.limit_in_bytes", "memory.max"))

    def test_limit_is_raised_and_lowered_under_load(self):
        for mib in (96, 48, 64):
            self.resize(mib)
            self.resized(mib)
            self.steady.await_requests(300)
        self.assert_clean(self.steady)
        self.assertEqual(0, self.remora([self.get("pod", "web")])["restartCount"])

    def test_limit_below_usage_is_refused_by_the_kubelet(self):
        self.resize(6)
        problem = self.watched.until("the kubelet says why", lambda pods: pods and next((one for one in self.conditions(pods) if one.get("reason")), None))
        print(f"{self._testMethodName}: {problem['type']} {problem['reason']}: {problem.get('message')}")
        self.assertIn("memory", problem["message"])
        self.assertEqual(64 * MIB, self.limit())
        self.resize(64)
        self.resized(64)
        self.steady.await_requests(300)
        self.assert_clean(self.steady)
        self.assertEqual(0, self.remora([self.get("pod", "web")])["restartCount"])


if __name__ == "__main__":
    unittest.main()

"""Traffic of pods that the injector gives their sidecar: rollouts of the application and of the injector lose no request, and jobs end."""
import copy
import unittest

from cluster import IMAGE, REPOSITORY, ClusterTest, await_that
from manifests import CONFIGURATION, application, config_map, deployment, pod_spec, service, template

MANIFESTS = REPOSITORY / "deploy/kustomize/injector"
SYSTEM, NAME = "remora-system", "remora-injector"
ANNOTATIONS = {"remora.io/config": "remora", "remora.io/rps": "300", "remora.io/drain-sleep": "5s"}
# The health listener is the injector's to set.
WITHOUT_HEALTH = CONFIGURATION.replace('health: {address: "0.0.0.0:15020"}\n', "")


def annotated(workload, **more):
    """A workload whose pods have annotations of the injector."""
    workload = copy.deepcopy(workload)
    workload["spec"]["template"]["metadata"]["annotations"] = {**ANNOTATIONS, **more}
    return workload


@unittest.skipUnless(MANIFESTS.exists(), "there are no manifests of an injector")
class Injected(ClusterTest):
    """Three injected pods behind a Service, and the injector as it is shipped."""

    labels = {"remora.io/inject": "enabled"}
    one_namespace = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster.kubectl("wait", "--for=delete", f"namespace/{SYSTEM}", "--timeout=60s")
        cls.addClassCleanup(cls.uninstall)
        cls.cluster.apply(cls.cluster.kubectl("kustomize", MANIFESTS).stdout.replace("remora:i386", IMAGE))
        cls.roll_out()

    @classmethod
    def roll_out(cls):
        cls.cluster.kubectl("rollout", "status", f"deployment/{NAME}", "-n", SYSTEM, "--timeout=120s", seconds=150)

    @classmethod
    def uninstall(cls):
        # first what would refuse pods without the rest
        cls.cluster.kubectl("delete", "mutatingwebhookconfiguration", NAME, "--ignore-not-found")
        cls.cluster.kubectl("delete", "-k", MANIFESTS, "--ignore-not-found", check=False)

    def describe(self):
        super().describe()
        for arguments in (("get", "pods", "-o", "wide"), ("logs", "-l", f"app.kubernetes.io/name={NAME}", "--tail=40", "--prefix")):
            print(self.cluster.kubectl(*arguments, "-n", SYSTEM, check=False).stdout)

    def setUp(self):
        super().setUp()
        web = deployment("web", pod_spec(application("--linger", "5s"), remora=False))
        self.apply(config_map(WITHOUT_HEALTH), service("web"), annotated(web))
        self.rolled_out("deployment/web")
        self.url = f"http://{self.service_address('web')}/"
        seen = set()
        await_that("three pods at the Service", lambda: seen.add(self.cluster.http(self.url)[1]) or len(seen) >= 3, every=0.02)

    def assert_injected(self, pods):
        for one in pods:
            first = one["spec"]["initContainers"][0]
            self.assertEqual(("remora", "Always"), (first["name"], first["restartPolicy"]))
            self.assertIn("remora.io/status", one["metadata"]["annotations"])

    def test_rollouts_of_injector_and_application_lose_no_request(self):
        self.assert_injected(self.pods("app=web"))
        steady = self.load(self.url, "--rps", "300")
        steady.await_requests(300)
        self.cluster.kubectl("rollout", "restart", f"deployment/{NAME}", "-n", SYSTEM)
        self.kubectl("rollout", "restart", "deployment/web")
        self.roll_out()
        self.rolled_out("deployment/web")
        self.watch("pods").until("no pod is terminating", lambda pods: pods and not any("deletionTimestamp" in p["metadata"] for p in pods))
        steady.await_requests(300)
        counts = self.assert_clean(steady)
        self.assertGreaterEqual(len(counts["answers"]), 6)
        self.assert_injected(self.pods("app=web"))

    def test_injected_job_ends_with_its_work(self):
        work = pod_spec(application(self.url, command="fetch", name="work"), remora=False, restartPolicy="Never")
        self.apply(annotated({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"},
                              "spec": {"backoffLimit": 0, "template": template("work", work)}}))
        self.wait("job/work", "condition=complete")
        ended = self.get("pods", "-l", "app=work")["items"]
        self.assert_injected(ended)
        self.assertEqual("Succeeded", ended[0]["status"]["phase"])

    def test_injected_pod_is_admitted_and_served_by_the_restricted_level(self):
        self.assertEqual("restricted", self.cluster.get("namespace", self.namespace)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"])
        self.assertEqual(200, self.cluster.http(self.url)[0])


if __name__ == "__main__":
    unittest.main()

"""Pods of other kinds than a Deployment's: jobs end, sets are updated in order, and init containers have the network that they need."""
import unittest

from cluster import ClusterTest, await_that
from manifests import APP_PORT, CONFIGURATION, OUTBOUND, PORT, THROUGH, application, config_map, deployment, four_containers, pod, pod_spec, service, sidecar, template

WITH_PAGES = 'admin: {address: "127.0.0.1:9990"}\nhealth: {address: "0.0.0.0:15020"}\n' + OUTBOUND


class WithAService(ClusterTest):
    """Another application behind a Service, without a sidecar."""

    def setUp(self):
        super().setUp()
        self.apply(service("web", APP_PORT), deployment("web", pod_spec(application("--name", "web"), remora=False), replicas=1))
        self.rolled_out("deployment/web")
        self.web = f"http://{self.service_address('web')}/"
        await_that("an answer at the Service", lambda: self.cluster.http(self.web)[0] == 200)
        self.apply(config_map(WITH_PAGES.replace("SERVICE", self.service_address("web"))))


class Jobs(WithAService):
    """A pod of a Job ends when its work ends, and the sidecar ends with it."""

    def job(self, name, **more):
        spec = pod_spec(application(THROUGH, command="fetch", name="work"), remora=sidecar(drain=None), restartPolicy="Never")
        return {"backoffLimit": 0, "template": template(name, spec), **more}

    def assert_ended(self, label):
        self.watch("pods", "-l", label).until("the pod succeeded", lambda pods: pods and pods[0]["status"]["phase"] == "Succeeded")
        ended = self.get("pods", "-l", label)["items"][0]
        self.assertIn(f"fetched {THROUGH}: app web", self.kubectl("logs", ended["metadata"]["name"], "-c", "work").stdout)
        remora = ended["status"]["initContainerStatuses"][0]["state"]["terminated"]
        self.assertEqual(("Completed", 0), (remora["reason"], remora["exitCode"]))

    def test_job_ends_with_its_work(self):
        self.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": self.job("work")})
        self.wait("job/work", "condition=complete")
        self.assert_ended("app=work")

    def test_cron_job_ends_with_its_work(self):
        self.apply({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"}, "spec": {
            "schedule": "* * * * *", "jobTemplate": {"spec": self.job("tick")}}})
        self.watch("jobs").until("a job of the schedule is complete", lambda jobs: any(
            one["type"] == "Complete" and one["status"] == "True" for job in jobs for one in job["status"].get("conditions", [])))
        self.assert_ended("app=tick")


class InitContainers(WithAService):
    """Init containers run in order: those above the sidecar have the pod's network, those below it have the sidecar too."""

    def test_init_containers_above_and_below_the_sidecar_reach_others(self):
        spec = pod_spec(application(), init=[application(THROUGH, command="fetch", name="below")])
        spec["initContainers"].insert(0, application(self.web, command="fetch", name="above"))
        self.apply(pod("start", spec))
        self.ready("start")
        self.assertIn(f"fetched {self.web}: app web", self.kubectl("logs", "start", "-c", "above").stdout)
        self.assertIn(f"fetched {THROUGH}: app web", self.kubectl("logs", "start", "-c", "below").stdout)

    def test_pod_does_not_start_above_the_sidecar_through_the_sidecar(self):
        spec = pod_spec(application(), restartPolicy="Never")
        spec["initContainers"].insert(0, application(THROUGH, command="fetch", name="above"))
        self.apply(pod("start", spec))
        self.wait("pod/start", "jsonpath={.status.phase}=Failed")
        self.assertIn("connection refused", self.kubectl("logs", "start", "-c", "above").stdout)


class Sets(ClusterTest):
    """A StatefulSet replaces its pods in place, one at a time."""

    def test_stateful_set_is_updated_in_order(self):
        self.apply(config_map(), service("db"), {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
            "serviceName": "db", "replicas": 2, "selector": {"matchLabels": {"app": "db"}},
            "template": template("db", pod_spec(application("--linger", "5s", sleep=5)))}})
        self.rolled_out("statefulset/db")
        url = f"http://{self.service_address('db')}/"
        self.assertEqual({"app db-0\n", "app db-1\n"}, self.await_answers(url, 2))
        steady = self.load(url, "--rps", "300")
        steady.await_requests(300)
        self.kubectl("rollout", "restart", "statefulset/db")
        self.rolled_out("statefulset/db")
        steady.await_requests(300)
        self.assert_clean(steady)


class ManyContainers(ClusterTest):
    """One sidecar serves all containers of its pod."""

    def test_pod_with_four_containers(self):
        names, text, containers = four_containers(CONFIGURATION)
        self.apply(config_map(text), pod("many", pod_spec(*containers)))
        self.ready("many")
        url = f"http://{self.pod_address('many')}:{PORT}/"
        self.assertEqual({name: f"app {name}\n" for name in names}, {name: self.cluster.http(url + name)[1] for name in names})
        self.assertEqual((200, "app many\n"), self.cluster.http(url))


if __name__ == "__main__":
    unittest.main()

"""Pods that the injector gives their sidecar, by the label of their namespace: rollouts lose no request, jobs end, sets and init containers work."""
import copy
import json
import unittest

from cluster import ClusterTest, await_that, run
from injector import NAME, SETTINGS, SYSTEM, InjectorTest, annotated, roll_out
from manifests import APP_PORT, CONFIGURATION, OUTBOUND, PORT, THROUGH, application, config_map, deployment, four_containers, pod, pod_spec, service, template

CAPTURE_IMAGE = "remora-capture:latest"
# The health listener is the injector's to set.
WITHOUT_HEALTH = CONFIGURATION.replace('health: {address: "0.0.0.0:15020"}\n', "")
ANNOTATIONS = {"config": "remora", "rps": "300", "drain_sleep": "5s"}


def bare(*containers, **more):
    """A pod's spec whose sidecar is the injector's to add."""
    return pod_spec(*containers, remora=False, **more)


class WithADeployment(InjectorTest):
    """Three injected pods behind a Service."""

    def setUp(self):
        super().setUp()
        web = deployment("web", bare(application("--linger", "5s")))
        self.apply(config_map(WITHOUT_HEALTH), service("web"), annotated(web, **ANNOTATIONS))
        self.rolled_out("deployment/web")
        self.url = f"http://{self.service_address('web')}/"
        self.await_answers(self.url, 3)


class Injected(WithADeployment):
    """Workloads of each kind."""

    def setUp(self):
        super().setUp()
        if not hasattr(type(self), "scheduled"):
            # its first run is at the full minute, and other tests take that time
            type(self).scheduled = True
            self.apply(config_map(OUTBOUND.replace("SERVICE", self.service_address("web")), "outbound"))
            self.apply(annotated({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"}, "spec": {
                "schedule": "* * * * *", "jobTemplate": {"spec": self.job("tick")}}}, config="outbound"))

    def job(self, name):
        work = bare(application("--patience", "20s", THROUGH, command="fetch", name="work"), restartPolicy="Never")
        return {"backoffLimit": 0, "template": template(name, work)}

    def assert_ended(self, label):
        """The first pod ended with its work, which went through the sidecar, and the sidecar ended by itself."""
        self.watch("pods", "-l", label).until("a pod succeeded", lambda pods: any(one["status"]["phase"] == "Succeeded" for one in pods))
        ended = next(one for one in self.get("pods", "-l", label)["items"] if one["status"]["phase"] == "Succeeded")
        self.assert_injected([ended])
        self.assertIn(f"fetched {THROUGH}: app web-", self.kubectl("logs", ended["metadata"]["name"], "-c", "work").stdout)
        remora = ended["status"]["initContainerStatuses"][0]["state"]["terminated"]
        self.assertEqual(("Completed", 0), (remora["reason"], remora["exitCode"]))

    def test_rollouts_of_injector_and_application_lose_no_request(self):
        self.assert_injected(self.pods("app=web"))
        steady = self.load(self.url, "--rps", "300")
        steady.await_requests(300)
        self.cluster.kubectl("rollout", "restart", f"deployment/{NAME}", "-n", SYSTEM)
        self.kubectl("rollout", "restart", "deployment/web")
        roll_out(self.cluster)
        self.rolled_out("deployment/web")
        self.watch("pods", "-l", "app=web").until("no pod is terminating", lambda pods: pods and not any(
            "deletionTimestamp" in p["metadata"] for p in pods))
        steady.await_requests(300)
        counts = self.assert_clean(steady)
        self.assertGreaterEqual(len(counts["answers"]), 6)
        self.assert_injected(self.pods("app=web"))

    def test_job_ends_with_its_work(self):
        self.apply(annotated({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": self.job("work")}, config="outbound"))
        self.wait("job/work", "condition=complete")
        self.assert_ended("app=work")

    def test_schedule_of_a_cron_job_ends_with_its_work(self):
        self.assert_ended("app=tick")
        self.kubectl("delete", "cronjob", "tick", "--wait=false")

    def test_stateful_set_is_updated_in_order(self):
        spec = bare(application("--linger", "5s"))
        self.apply(service("db"), annotated({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
            "serviceName": "db", "replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": template("db", spec)}}, **ANNOTATIONS))
        self.rolled_out("statefulset/db")
        url = f"http://{self.service_address('db')}/"
        self.assertEqual({"app db-0\n", "app db-1\n"}, self.await_answers(url, 2))
        before = {one["metadata"]["uid"] for one in self.pods("app=db")}
        steady = self.load(url, "--rps", "300")
        steady.await_requests(300)
        self.kubectl("rollout", "restart", "statefulset/db")
        self.rolled_out("statefulset/db")
        steady.await_requests(300)
        self.assert_clean(steady)
        self.assert_injected(self.pods("app=db"))
        self.assertFalse(before & {one["metadata"]["uid"] for one in self.pods("app=db")})
        self.kubectl("delete", "statefulset", "db", "--wait=false")

    def test_one_sidecar_serves_four_containers(self):
        names, text, containers = four_containers(WITHOUT_HEALTH)
        self.apply(config_map(text, "many"), annotated(pod("many", bare(*containers)), config="many", probes="rewrite", drain_sleep="5s"))
        self.ready("many")
        made = self.get("pod", "many")
        self.assert_injected([made])
        self.assertEqual(["app", *names], [one["name"] for one in made["spec"]["containers"]])
        for one in made["spec"]["containers"]:
            self.assertEqual(f"/app-health/{one['name']}/readiness", one["readinessProbe"]["httpGet"]["path"])
            self.assertEqual({"sleep": {"seconds": 5}}, one["lifecycle"]["preStop"])
        url = f"http://{self.pod_address('many')}:{PORT}/"
        self.assertEqual({name: f"app {name}\n" for name in names}, {name: self.cluster.http(url + name)[1] for name in names})
        self.assertEqual((200, "app many\n"), self.cluster.http(url))
        self.kubectl("delete", "pod", "many", "--grace-period=1", "--wait=false")

    def test_restricted_level_is_enforced_and_admits_the_sidecar(self):
        self.assertEqual("restricted", self.cluster.get("namespace", self.namespace)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"])
        self.assertEqual(200, self.cluster.http(self.url)[0])


def has_capture():
    return run(["docker", "image", "inspect", CAPTURE_IMAGE], check=False).returncode == 0


class Captured(InjectorTest):
    """Capture by an init container of the injector, in a namespace that admits NET_ADMIN."""

    pod_security = "privileged"
    images = (*ClusterTest.images, CAPTURE_IMAGE)
    settings = {**SETTINGS, "capture": {"mode": "init", "image": CAPTURE_IMAGE}}
    user = {"runAsNonRoot": True, "runAsUser": 1000, "runAsGroup": 1000}

    @classmethod
    def setUpClass(cls):
        if not has_capture():
            raise unittest.SkipTest(f"no image {CAPTURE_IMAGE}: scripts/image capture builds it")
        super().setUpClass()

    def spec(self, *containers, **more):
        """Containers of another user than the sidecar's, whose connections are left alone."""
        spec = bare(*containers, **more)
        spec["securityContext"].update(self.user)
        return spec

    def connections_to(self, name, address):
        """The connections that the sidecar of a pod has opened to an address."""
        text = self.kubectl("exec", name, "-c", "remora", "--", "remora", "get", "/metrics").stdout
        return sum(int(line.rpartition(" ")[2]) for line in text.splitlines()
                   if line.startswith("remora_backend_connections_opened_total") and f"{address}:" in line)


class InitContainers(Captured):
    """The injector puts capture and the sidecar in front of what a pod has: its init containers run behind both."""

    def setUp(self):
        super().setUp()
        self.apply(annotated(pod("other", bare(application("--name", "other"))), inject="false"))
        self.ready("other")
        self.other = self.pod_address("other")
        self.url = f"http://{self.other}:{APP_PORT}/"

    def with_init(self, name, *init, **annotations):
        self.apply(annotated(pod(name, self.spec(application("--name", name), init=init)), **annotations))
        self.ready(name)
        made = self.get("pod", name)
        self.assert_injected([made], capture=True)
        return made

    def test_init_container_has_the_network_through_the_sidecar(self):
        made = self.with_init("through", application(self.url, command="fetch", name="early"))
        self.assertEqual(["remora-capture", "remora", "early"], [one["name"] for one in made["spec"]["initContainers"]])
        self.assertIn(f"fetched {self.url}: app other", self.kubectl("logs", "through", "-c", "early").stdout)
        self.assertEqual(1, self.connections_to("through", self.other))

    def test_init_container_reaches_an_excluded_address_past_the_sidecar(self):
        self.with_init("past", application(self.url, command="fetch", name="early"), skip_outbound_addresses=f"{self.other}/32")
        self.assertIn(f"fetched {self.url}: app other", self.kubectl("logs", "past", "-c", "early").stdout)
        self.assertEqual(0, self.connections_to("past", self.other))

    def test_native_sidecar_of_the_pod_starts_behind_capture_and_serves_the_application(self):
        helper = application("--listen", ":9001", "--name", "helper", name="helper")
        helper["restartPolicy"] = "Always"
        helper["readinessProbe"]["tcpSocket"]["port"] = helper.setdefault("startupProbe", {"tcpSocket": {"port": 0}, "periodSeconds": 1})["tcpSocket"]["port"] = 9001
        fetch = application("http://127.0.0.1:9001/", self.url, command="fetch", name="early")
        self.with_init("helped", helper, fetch)
        logs = self.kubectl("logs", "helped", "-c", "early").stdout
        self.assertIn("fetched http://127.0.0.1:9001/: app helper", logs)
        self.assertIn(f"fetched {self.url}: app other", logs)
        self.assertEqual(1, self.connections_to("helped", self.other))

    def test_init_container_that_another_webhook_put_in_front_goes_behind(self):
        made = self.with_init("first", application(self.url, command="fetch", name="early"))
        # as if it came from a webhook that was called after the injector, which is therefore called again
        again = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "annotations": made["metadata"]["annotations"]},
                 "spec": copy.deepcopy(made["spec"])}
        for key in ("nodeName", "serviceAccountName", "serviceAccount"):
            again["spec"].pop(key, None)
        names = [one["name"] for one in again["spec"]["initContainers"]]
        again["spec"]["initContainers"].insert(0, again["spec"]["initContainers"].pop(names.index("early")))
        done = self.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=json.dumps(again))
        self.assertEqual(["remora-capture", "remora", "early"], [one["name"] for one in json.loads(done.stdout)["spec"]["initContainers"]])


BY_ZONE = """\
listeners:
  - name: outbound
    address: "0.0.0.0:8080"
    direction: outbound
    cluster: web
clusters:
  web:
    balancer: {zone: "${REMORA_ZONE}"}
    resolver:
      kubernetes: {service: web, port: http}
"""
ZONE_LABEL = "topology.kubernetes.io/zone"
LISTS_ENDPOINTS = [
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "endpoints"}, "rules": [
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]}]},
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "endpoints"}, "subjects": [
        {"kind": "ServiceAccount", "name": "default"}], "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "endpoints"}}]


class Zones(InjectorTest):
    """The zone of a node becomes a label of its pods, a variable of their sidecar, and the choice of its balancer."""

    def test_sidecar_prefers_the_endpoints_of_the_zone_of_its_pod(self):
        zones = ("eu-1a", "eu-1b")
        for zone in zones:
            self.apply(annotated(pod(f"web-{zone}", bare(application("--name", zone))), inject="false"))
        for zone in zones:
            self.ready(f"web-{zone}")
        # one node has one zone: the slice says that the applications are in two
        self.apply(*LISTS_ENDPOINTS, config_map(BY_ZONE, "by-zone"),
                   {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"name": "http", "port": 80}]}},
                   {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "web", "labels": {"kubernetes.io/service-name": "web"}},
                    "addressType": "IPv4", "ports": [{"name": "http", "port": APP_PORT, "protocol": "TCP"}],
                    "endpoints": [{"addresses": [self.pod_address(f"web-{zone}")], "zone": zone, "conditions": {"ready": True}} for zone in zones]})
        self.addCleanup(self.cluster.kubectl, "label", "node", "node", f"{ZONE_LABEL}-")
        for zone in zones:
            with self.subTest(zone):
                self.cluster.kubectl("label", "--overwrite", "node", "node", f"{ZONE_LABEL}={zone}")
                name = f"front-{zone}"
                made = bare(application(), automountServiceAccountToken=True)
                self.apply(annotated(pod(name, made), config="by-zone", discovery_token="true"))
                self.ready(name)
                self.assertEqual(zone, self.get("pod", name)["metadata"]["labels"].get(ZONE_LABEL), "Kubernetes 1.35 copies the label of the node")
                url = f"http://{self.pod_address(name)}:{PORT}/"
                await_that("an answer", lambda url=url: self.cluster.http(url)[0] == 200)
                self.assertEqual({f"app {zone}\n"}, {self.cluster.http(url)[1] for _ in range(20)})
        page = self.kubectl("exec", name, "-c", "remora", "--", "remora", "get", "/clusters").stdout
        self.assertIn(f"zone={zones[0]}", page)
        # without its own zone, the sidecar uses the other
        self.kubectl("patch", "endpointslice", "web", "--type=json", "-p", json.dumps([{"op": "remove", "path": "/endpoints/1"}]))
        await_that("the other zone", lambda: self.cluster.http(url) == (200, f"app {zones[0]}\n"))


if __name__ == "__main__":
    unittest.main()

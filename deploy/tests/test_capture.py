"""Transparent capture in pods: by an init container with NET_ADMIN, and by the CNI plugin in pods without any privilege."""
import ipaddress
import json
import re
import unittest
import urllib.parse

from cluster import REPOSITORY, ClusterTest, await_that, run
from manifests import RESTRICTED, application, config_map, deployment, pod, pod_spec, sidecar

CAPTURE_IMAGE = "remora-capture:latest"
CONFIGURATION = (REPOSITORY / "runtime-images/container/capture.yaml").read_text() + """
via: remora
health: {address: "0.0.0.0:15020"}
reload: {watch: true}
"""
PORT, SIDECAR_USER, PROVER, APP_USER = 8080, 65532, 65533, 1000
VIA = "Via: 1.1 remora"


def capture(*arguments, user, capabilities=None, image=CAPTURE_IMAGE):
    """The init container of capture."""
    security = {**RESTRICTED, "runAsUser": user, "runAsGroup": user, "runAsNonRoot": user != 0,
                "capabilities": {"drop": ["ALL"], **({"add": capabilities} if capabilities else {})}}
    return {"name": "remora-capture", "image": image, "imagePullPolicy": "Never", "args": [*arguments], "securityContext": security,
            "resources": {"requests": {"cpu": "5m", "memory": "4Mi"}, "limits": {"memory": "16Mi"}}}


def rules(*more):
    return capture("up", "--uid", str(SIDECAR_USER), "--inbound", "15006", "--outbound", "15001", *more, user=0, capabilities=["NET_ADMIN"])


def proof(*more):
    return capture("verify", "--outbound", "15001", "--inbound", "15006", "--timeout", "10", *more, user=PROVER)


def as_app(container):
    """As another user than the sidecar's, whose connections are left alone."""
    return {**container, "securityContext": {**RESTRICTED, "runAsUser": APP_USER, "runAsGroup": APP_USER}}


class Captured(ClusterTest):
    images = (*ClusterTest.images, CAPTURE_IMAGE)

    @classmethod
    def setUpClass(cls):
        if run(["docker", "image", "inspect", CAPTURE_IMAGE], check=False).returncode != 0:
            raise unittest.SkipTest(f"no image {CAPTURE_IMAGE}: scripts/image capture builds it")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.apply(deployment("web", pod_spec(application("--listen", f":{PORT}", "--name", "web"), remora=False), replicas=1))
        self.kubectl("patch", "deployment/web", "--type=json", "-p", json.dumps(
            [{"op": "replace", "path": "/spec/template/spec/containers/0/readinessProbe/tcpSocket/port", "value": PORT}]))
        self.rolled_out("deployment/web")
        self.web = f"http://{self.pods('app=web')[0]['status']['podIP']}:{PORT}/headers"
        self.apply(config_map(CONFIGURATION))

    def captured(self, first, before=(), after=(), annotations=None, **more):
        """A pod with capture whose application listens at PORT."""
        app = as_app(application("--listen", f":{PORT}", "--name", "captured"))
        app["readinessProbe"] = {"httpGet": {"path": "/", "port": PORT}, "periodSeconds": 1}
        spec = pod_spec(app, remora=sidecar(memory="96Mi"), **more)
        spec["initContainers"] = [*before, first, *spec["initContainers"], *after]
        one = pod("captured", spec)
        one["metadata"]["annotations"] = annotations or {}
        return one

    def fetch(self, name):
        return as_app(application(self.web, command="fetch", name=name))

    def logs(self, container):
        return self.kubectl("logs", "captured", "-c", container).stdout

    def from_app(self, url):
        """What the application of the pod gets."""
        return self.kubectl("exec", "captured", "-c", "app", "--", "/app", "fetch", url, check=False).stdout

    def went_through(self):
        """Whether the sidecar has connected to the other application."""
        metrics = self.kubectl("exec", "captured", "-c", "remora", "--", "/opt/remora/bin/remora", "get", "/metrics").stdout
        destinations = re.findall(r'^remora_backend_connections_opened_total\{.*endpoint="([^"]+):(\d+)"', metrics, re.M)
        wanted = urllib.parse.urlsplit(self.web)
        return any(ipaddress.ip_address(host.strip("[]")) == ipaddress.ip_address(wanted.hostname) and int(port) == wanted.port for host, port in destinations)

    def assert_left_alone(self):
        self.wait("pod/captured", "condition=Ready")
        self.assertIn("fetched", self.from_app(self.web))
        self.assertFalse(self.went_through())

    def assert_captured(self):
        self.wait("pod/captured", "condition=Ready")
        address = self.pod_address("captured")
        status, headers = self.cluster.http(f"http://{address}:{PORT}/headers")
        self.assertEqual((status, VIA in headers), (200, True), headers)
        self.assertIn("fetched", self.from_app(self.web))
        self.assertTrue(self.went_through())
        self.assertEqual(self.cluster.http(f"http://{address}:15020/ready")[0], 200)


class ByInitContainer(Captured):
    pod_security = "privileged"

    def test_captures_from_its_init_container_on(self):
        self.apply(self.captured(rules(), before=[self.fetch("before")], after=[self.fetch("after")]))
        self.wait("pod/captured", "condition=Ready")
        self.assertIn("fetched", self.logs("before"))
        self.assertIn("fetched", self.logs("after"))
        self.assertTrue(self.went_through(), "the second init container's request")
        self.assert_captured()

    def test_leaves_an_init_container_before_it_alone(self):
        self.apply(self.captured(rules(), before=[self.fetch("before")]))
        self.wait("pod/captured", "condition=Ready")
        self.assertIn("fetched", self.logs("before"))
        self.assertFalse(self.went_through())

    def test_proves_its_rules(self):
        self.apply(self.captured(rules(), after=[]))
        self.wait("pod/captured", "condition=Ready")
        spec = self.captured(rules(), before=[])["spec"]
        spec["initContainers"].insert(1, {**proof(), "name": "proof"})
        self.apply(pod("proven", spec))
        self.wait("pod/proven", "condition=Ready")

    def test_leaves_excluded_ports_alone(self):
        self.apply(self.captured(rules("--skip-inbound", str(PORT), "--skip-outbound", str(PORT))))
        self.wait("pod/captured", "condition=Ready")
        self.assertNotIn(VIA, self.cluster.http(f"http://{self.pod_address('captured')}:{PORT}/headers")[1])
        self.assert_left_alone()

    def test_leaves_excluded_addresses_alone(self):
        self.apply(self.captured(rules("--skip-outbound-addresses", "10.244.0.0/16")))
        self.assert_left_alone()


class ByInitContainerRefused(Captured):
    """Pod Security at its level restricted."""

    def test_is_refused_with_a_reason(self):
        refused = self.apply(self.captured(rules()), check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("NET_ADMIN", refused.stderr)


class Plugin(Captured):
    """The plugin on the node, for pods of namespaces that enforce the level restricted."""

    ON = {"remora.io/capture": "cni"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.list = cls.cluster.directory / "cni/10-pods.conflist"
        cls.prepare_list()
        cls.before = cls.list.read_text()
        cls.programs = cls.folder("/usr/lib/cni")
        cls.cluster.apply(cls.manifests())
        cls.addClassCleanup(cls.remove)
        cls.installed()

    @classmethod
    def prepare_list(cls):
        """What a class needs of the cluster's own plugins."""

    @classmethod
    def folder(cls, path):
        return sorted(cls.cluster.execute("ls", "-A", path).stdout.split())

    @classmethod
    def manifests(cls, name="cni"):
        """Those of the repository, with the folders of this cluster."""
        text = cls.cluster.kubectl("kustomize", REPOSITORY / "deploy/kustomize" / name).stdout
        return text.replace("/opt/cni/bin", "/usr/lib/cni").replace("/etc/cni/net.d", str(cls.list.parent))

    @classmethod
    def installed(cls):
        cls.cluster.kubectl("rollout", "status", "daemonset/remora-cni", "-n", "remora-cni", "--timeout=120s", seconds=150)
        if "remora-cni" not in cls.list.read_text():
            raise AssertionError(cls.list.read_text())

    @classmethod
    def remove(cls):
        """Uninstalling leaves nothing."""
        cls.cluster.kubectl("delete", "-f", "-", "--wait", "--timeout=60s", stdin=cls.manifests(), check=False)
        removal = cls.manifests("cni-uninstall")
        cls.cluster.apply(removal)
        cls.cluster.kubectl("rollout", "status", "daemonset/remora-cni-uninstall", "-n", "remora-cni", "--timeout=120s", seconds=150)
        gone = cls.folder("/usr/lib/cni") == cls.programs and cls.list.read_text() == cls.before
        cls.cluster.kubectl("delete", "-f", "-", "--wait", "--timeout=60s", stdin=removal)
        if not gone:
            raise AssertionError(f"{cls.folder('/usr/lib/cni')}, {cls.list.read_text()}")


class ByPlugin(Plugin):
    def test_captures_a_pod_without_privileges(self):
        self.apply(self.captured(proof(), after=[self.fetch("after")], annotations=self.ON))
        self.wait("pod/captured", "condition=Ready")
        self.assertTrue(self.went_through(), "the init container's request")
        self.assert_captured()

    def test_follows_the_annotations(self):
        self.apply(self.captured(proof("--skip-outbound", f"9,{PORT}"), annotations={**self.ON, "remora.io/skip-outbound-ports": f"9, {PORT}",
                                                                                     "remora.io/inbound-ports": "81"}))
        self.assert_left_alone()
        self.assertNotIn(VIA, self.cluster.http(f"http://{self.pod_address('captured')}:{PORT}/headers")[1])

    def test_does_not_start_a_pod_without_rules(self):
        self.apply(self.captured(proof("--timeout", "1"), restartPolicy="Never"))
        self.wait("pod/captured", "jsonpath={.status.phase}=Failed")
        self.assertIn("was not captured", self.logs("remora-capture"))

    def test_does_not_start_a_pod_whose_annotation_is_wrong(self):
        self.apply(self.captured(proof(), annotations={**self.ON, "remora.io/skip-inbound-ports": "http"}))
        event = self.watch("events", "--field-selector", "reason=FailedCreatePodSandBox").until("the sandbox is refused", lambda events: [
            one["message"] for one in events if "remora-cni" in one["message"]])
        self.assertIn("remora.io/skip-inbound-ports is 'http'", event[0])
        self.kubectl("delete", "pod", "captured", "--grace-period=1", "--wait=true")

    def test_stays_through_a_rolling_update(self):
        self.cluster.kubectl("rollout", "restart", "daemonset/remora-cni", "-n", "remora-cni")
        self.installed()
        await_that("one installer", lambda: len(self.cluster.get("pods", "-n", "remora-cni", "-l", "app.kubernetes.io/name=remora-cni")["items"]) == 1)
        self.assertIn("remora-cni", self.list.read_text())
        self.assertIn("remora-cni", self.folder("/usr/lib/cni"))

    def test_stays_while_no_installer_runs(self):
        """As after a restart of the node, when pods start before the installer."""
        self.cluster.kubectl("delete", "daemonset/remora-cni", "-n", "remora-cni", "--cascade=foreground", "--wait", "--timeout=60s")
        self.addCleanup(self.installed)
        self.addCleanup(self.cluster.apply, self.manifests())
        self.apply(self.captured(proof(), annotations=self.ON))
        self.assert_captured()


class ByPluginInTwoFamilies(Plugin):
    """Pods with an IPv4 and an IPv6 address."""

    @classmethod
    def prepare_list(cls):
        text = cls.list.read_text()
        plugins = json.loads(text)
        ipam = plugins["plugins"][0]["ipam"]
        ipam["ranges"].append([{"subnet": "fd44::/64"}])
        ipam["routes"].append({"dst": "::/0"})
        cls.addClassCleanup(cls.list.write_text, text)
        cls.list.write_text(json.dumps(plugins))

    def address(self, one):
        return next(f"[{told['ip']}]:{PORT}" for told in one["status"]["podIPs"] if ":" in told["ip"])

    def test_captures_both(self):
        self.apply(self.captured(proof(), annotations=self.ON))
        self.assert_captured()
        status, headers = self.cluster.http(f"http://{self.address(self.get('pod', 'captured'))}/headers", "-g")
        self.assertEqual((status, VIA in headers), (200, True), headers)
        self.web = f"http://{self.address(self.pods('app=web')[0])}/headers"
        self.assertFalse(self.went_through())
        self.assertIn("fetched", self.from_app(self.web))
        self.assertTrue(self.went_through())


if __name__ == "__main__":
    unittest.main()

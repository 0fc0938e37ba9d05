"""The overlays of deploy/kustomize as a user applies them: what they render, and traffic, reloads and rotation on the cluster."""
import base64
import copy
import functools
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from certificates import Authority
from cluster import IMAGE, REPOSITORY, ClusterTest, app_program, await_that, cluster, run, without_each_right

EXAMPLE_IMAGE, CAPTURE_IMAGE = "remora-example:latest", "remora-capture:latest"
KUSTOMIZE = REPOSITORY / "deploy/kustomize"
NAMESPACE = "remora-example"
OVERLAYS = ("plain", "mtls", "mtls-csi", "grpc", "capture")
# The largest profile of each image has to start under the limit that the sidecar has.
PROFILES = (("i386-client", 10000), ("compact3-amd64", 10000))


def has_image(name):
    return subprocess.run(["docker", "image", "inspect", name], capture_output=True).returncode == 0


@functools.cache
def render(overlay):
    """The objects of an overlay, by kind and name."""
    # kubectl writes YAML; its client-side dry run turns that to JSON without a question to the server
    text = cluster().kubectl("kustomize", KUSTOMIZE / "overlays" / overlay).stdout
    listed = cluster().kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-", stdin=text).stdout
    decoder, objects, at = json.JSONDecoder(), [], 0
    while at < len(listed.rstrip()):
        found, at = decoder.raw_decode(listed, at)
        at += len(listed[at:]) - len(listed[at:].lstrip())
        objects += found["items"] if found["kind"] == "List" else [found]
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def specs(objects):
    return {name: one["spec"]["template"]["spec"] for (kind, name), one in objects.items() if kind == "Deployment"}


class Rendered(unittest.TestCase):
    """What each overlay consists of."""

    def each_pod(self, *overlays):
        for overlay in overlays or OVERLAYS:
            for name, spec in specs(render(overlay)).items():
                with self.subTest(overlay=overlay, deployment=name):
                    yield overlay, name, spec

    def test_the_sidecar_starts_first_and_is_native(self):
        for overlay, _, spec in self.each_pod():
            names = [one["name"] for one in spec["initContainers"]]
            self.assertEqual((["remora-capture"] if overlay == "capture" else []) + ["remora"], names)
            self.assertEqual("Always", spec["initContainers"][-1]["restartPolicy"])

    def test_containers_have_no_rights(self):
        for _, _, spec in self.each_pod():
            self.assertFalse(spec["automountServiceAccountToken"])
            for one in spec["containers"] + spec["initContainers"]:
                context = one["securityContext"]
                self.assertTrue(context["readOnlyRootFilesystem"])
                self.assertFalse(context["allowPrivilegeEscalation"])
                self.assertEqual(["ALL"], context["capabilities"]["drop"])
                self.assertEqual(["NET_ADMIN"] if one["name"] == "remora-capture" else None, context["capabilities"].get("add"))

    def test_the_application_has_another_user_than_the_sidecar(self):
        for _, _, spec in self.each_pod():
            users = {one["name"]: one["securityContext"]["runAsUser"] for one in spec["containers"] + spec["initContainers"]}
            self.assertEqual(65532, users["remora"])
            self.assertNotEqual(65532, users["app"])

    def test_only_a_sidecar_that_discovers_mounts_a_token(self):
        for overlay, name, spec in self.each_pod():
            mounting = {one["name"] for one in spec["containers"] + spec["initContainers"] for mount in one.get("volumeMounts", []) if mount["name"] == "remora-token"}
            self.assertEqual({"remora"} if name == "frontend" and overlay != "capture" else set(), mounting)

    def test_certificates_of_the_driver_have_the_place_of_those_in_secrets(self):
        volumes = {overlay: {one["name"]: one for spec in specs(render(overlay)).values() for one in spec["volumes"]} for overlay in ("mtls", "mtls-csi")}
        self.assertEqual(volumes["mtls"].keys(), volumes["mtls-csi"].keys())
        csi = volumes["mtls-csi"]["remora-tls"]
        self.assertEqual(({"name", "csi"}, "spiffe.csi.cert-manager.io", True), (csi.keys(), csi["csi"]["driver"], csi["csi"]["readOnly"]))
        secrets = [one for one in volumes["mtls-csi"].values() if "secret" in one or any("secret" in source for source in one.get("projected", {}).get("sources", []))]
        self.assertEqual([], secrets)
        self.assertEqual([{"apiGroups": ["cert-manager.io"], "resources": ["certificaterequests"], "verbs": ["create"]}],
                         render("mtls-csi")["Role", "remora-certificates"]["rules"])
        group = csi["csi"]["volumeAttributes"]["spiffe.csi.cert-manager.io/fs-group"]
        self.assertEqual({group}, {str(spec["initContainers"][-1]["securityContext"]["runAsGroup"]) for spec in specs(render("mtls-csi")).values()})

    def test_the_admin_listener_is_on_loopback(self):
        for overlay in OVERLAYS:
            for (kind, name), one in render(overlay).items():
                if kind == "ConfigMap":
                    with self.subTest(overlay=overlay, name=name):
                        self.assertIn("admin:\n  address: 127.0.0.1:9990\n", one["data"]["remora.yaml"])

    def test_images_are_those_of_the_kustomization(self):
        for overlay, _, spec in self.each_pod():
            images = {one["image"] for one in spec["containers"] + spec["initContainers"]}
            self.assertEqual({IMAGE, EXAMPLE_IMAGE} | ({CAPTURE_IMAGE} if overlay == "capture" else set()), images)

    def test_every_profile_starts_under_the_memory_limit(self):
        table = REPOSITORY / "jvm-profiles/table"
        if not table.exists():
            self.skipTest("no jvm-profiles/table: make build writes it")
        limit = specs(render("plain"))["backend"]["initContainers"][0]["resources"]["limits"]["memory"].removesuffix("i").lower()
        for image, rate in PROFILES:
            with self.subTest(image=image):
                run([REPOSITORY / "jvm-profiles/select", "--image", image, "--rps", rate, "--memory", limit])


class Overlay(ClusterTest):
    """An overlay in its own namespace, which is made by it and deleted after the tests of the class."""

    overlay = "plain"
    images = (IMAGE, EXAMPLE_IMAGE)

    def setUp(self):
        # the objects of the test before are applied again, and their pods stay
        self.namespace = NAMESPACE
        self.objects = copy.deepcopy(render(self.overlay))
        self.before()
        self.apply(*self.objects.values())
        self.settled()

    @classmethod
    def setUpClass(cls):
        if not has_image(EXAMPLE_IMAGE):
            run([REPOSITORY / "scripts/image", "example"], seconds=300)
        super().setUpClass()
        cls.addClassCleanup(cls.remove)

    @classmethod
    def remove(cls):
        cls.cluster.kubectl("delete", "pods", "--all", "-n", NAMESPACE, "--grace-period=1", "--wait=false", check=False)
        cls.cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--timeout=100s")

    def before(self):
        pass

    def settled(self):
        for name in ("backend", "frontend"):
            self.rolled_out(f"deployment/{name}")

    def get_in(self, deployment, url, check=True):
        """A request of the example program in the container of an application."""
        return self.kubectl("exec", f"deployment/{deployment}", "-c", "app", "--", "example", "get", url, check=check)

    def call(self):
        """What a user of the frontend gets, which calls the backend: status and body."""
        return self.cluster.http(f"http://{self.service_address('frontend')}/call")

    def calls_pass(self):
        """Waits for the first call, whose endpoints may not be known yet, and makes twenty more."""
        await_that("a call that passes", lambda: self.call()[0] == 200)
        for _ in range(20):
            status, body = self.call()
            self.assertEqual(200, status, body)
        return body

    def served(self, pod):
        """The serial number of the certificate that a backend serves."""
        done = self.cluster.execute("sh", "-c", f"openssl s_client -connect {self.pod_address(pod)}:8080 </dev/null 2>/dev/null | openssl x509 -noout -serial", check=False)
        return done.stdout.strip()

    def page(self, pod, page):
        """A page of a sidecar's admin listener."""
        return self.kubectl("exec", pod, "-c", "remora", "--", "remora", "get", page).stdout

    def requests(self, pod, listener):
        """The requests that a listener of a sidecar has received."""
        found = re.findall(rf'(?m)^remora_exchanges_started_total\{{listener="{listener}"\}} (\d+)', self.page(pod, "/metrics"))
        return sum(map(int, found))

    def containers(self):
        """The containers that run, with how often they were restarted: a reload changes none."""
        return {(pod["metadata"]["name"], one["containerID"], one["restartCount"]) for pod in self.get("pods")["items"]
                for one in pod["status"]["containerStatuses"] + pod["status"]["initContainerStatuses"]}


class Plain(Overlay):
    def test_calls_pass_both_sidecars_under_restricted_pod_security(self):
        labels = self.cluster.get("namespace", self.namespace)["metadata"]["labels"]
        self.assertEqual("restricted", labels["pod-security.kubernetes.io/enforce"])
        self.assertRegex(self.calls_pass(), r"^frontend frontend-\S+ called: hello from backend backend-\S+\n$")
        status, headers = self.cluster.http(f"http://{self.service_address('frontend')}/headers")
        self.assertEqual(200, status)
        # the name of the pod by the downward API
        pod = self.pods("app=frontend")[0]["metadata"]["name"]
        self.assertIn(f"Via: 1.1 {pod}", headers)

    def test_the_annotation_selects_the_profile(self):
        self.kubectl("patch", "deployment/backend", "--type=merge", "-p",
                     json.dumps({"spec": {"template": {"metadata": {"annotations": {"remora.io/rps": "100"}}}}}))
        self.settled()
        for pod in self.pods("app=backend"):
            self.assertIn("profile rps-100,", self.kubectl("logs", pod["metadata"]["name"], "-c", "remora").stdout)

    def test_a_changed_config_map_takes_effect_without_a_restart(self):
        self.calls_pass()
        url = f"http://{self.service_address('frontend')}/"
        before = self.containers()
        self.assertNotIn("server-timing", self.cluster.http(url, "-i")[1].lower())
        changed = copy.deepcopy(self.objects["ConfigMap", "frontend-remora"])
        changed["data"]["remora.yaml"] = changed["data"]["remora.yaml"].replace("    cluster: app\n", "    cluster: app\n    server-timing: true\n")
        self.apply(changed)
        await_that("a response with Server-Timing", lambda: "server-timing" in self.cluster.http(url, "-i")[1].lower())
        self.assertEqual(before, self.containers())

    def test_a_rolling_update_of_both_loses_no_request(self):
        self.calls_pass()
        # each request is a call of the frontend to the backend
        steady = self.load(f"http://{self.service_address('frontend')}/call", "--rps", "50", "--connections", "4")
        steady.await_requests(100)
        self.kubectl("rollout", "restart", "deployment/backend", "deployment/frontend")
        self.settled()
        self.watch("pods").until("no pod is terminating", lambda pods: pods and not any("deletionTimestamp" in pod["metadata"] for pod in pods))
        steady.await_requests(100)
        self.assert_clean(steady)

    def test_new_pods_of_the_backend_are_discovered(self):
        self.calls_pass()
        frontend = self.pods("app=frontend")[0]["metadata"]["name"]
        self.assertIn("known=2", self.page(frontend, "/clusters"))
        self.kubectl("scale", "deployment/backend", "--replicas=3")
        await_that("three endpoints", lambda: "known=3" in self.page(frontend, "/clusters"))

    def test_discovery_has_no_right_to_spare(self):
        self.calls_pass()
        for name, less in without_each_right(self.objects["Role", "remora-discovery"]):
            with self.subTest(without=name):
                self.apply(less)
                # a new sidecar, which has no earlier answer
                self.kubectl("rollout", "restart", "deployment/frontend")
                self.settled()
                pod = self.pods("app=frontend")[0]["metadata"]["name"]
                await_that("a refusal", lambda pod=pod: re.search(r"kubernetes.*403", self.kubectl("logs", pod, "-c", "remora").stdout))
        self.apply(self.objects["Role", "remora-discovery"])
        await_that("a call that passes again", lambda: self.call()[0] == 200)


class Mtls(Overlay):
    overlay = "mtls"

    def before(self):
        self.authority = self.enterContext(tempfile.TemporaryDirectory())
        self.apply(self.objects["Namespace", self.namespace])
        self.rotate()

    def rotate(self):
        self.cluster.apply(run([KUSTOMIZE / "overlays/mtls/certificates", self.authority]).stdout)

    def test_only_the_frontend_reaches_the_backend(self):
        self.assertRegex(self.calls_pass(), "called: hello from backend")
        address = self.service_address("backend")
        # without a certificate: neither without TLS, which gets 400, nor with it
        self.assertIn("400", self.get_in("frontend", f"http://{address}/", check=False).stderr)
        self.assertEqual(0, self.cluster.http(f"https://{address}:80/")[0])
        # a certificate of the authority, but of another identity
        secret = self.get("secret", "backend-tls")["data"]
        with tempfile.TemporaryDirectory() as files:
            for name, text in secret.items():
                Path(files, name).write_bytes(base64.b64decode(text))
            # pods of the test before still have its authority, until the kubelet has brought this one
            self.assertIn("identity-refused", await_that("403 for the identity", lambda: self.refused(address, files)))

    def refused(self, address, files):
        """The response for the certificate in a folder, if its status is 403."""
        status, body = self.cluster.http(f"https://{address}:80/", "--cert", f"{files}/tls.crt", "--key", f"{files}/tls.key", "-i")
        return body if status == 403 else None

    def test_a_rotated_secret_takes_effect_without_a_restart(self):
        self.calls_pass()
        pods = [pod["metadata"]["name"] for pod in self.pods("app=backend")]
        before, containers = {pod: self.served(pod) for pod in pods}, self.containers()
        self.assertNotIn("", before.values())
        self.rotate()
        await_that("a new certificate at each backend", lambda: all(self.served(pod) not in ("", before[pod]) for pod in pods))
        self.calls_pass()
        self.assertEqual(containers, self.containers())


class CsiVolume(Overlay):
    """Certificates of a CSI driver. That of the tests stands in for csi-driver-spiffe: the kubelet's part is real, and how certificates are issued is not."""

    overlay = "mtls-csi"
    DRIVER = "spiffe.csi.cert-manager.io"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = Authority()
        cls.addClassCleanup(cls.authority.kept.cleanup)
        cls.files = cls.cluster.directory / "csi"
        cls.issue()
        cls.cluster.apply({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": cls.DRIVER}, "spec": {
            "attachRequired": False, "podInfoOnMount": True, "fsGroupPolicy": "None", "volumeLifecycleModes": ["Ephemeral"]}})
        cls.addClassCleanup(cls.cluster.kubectl, "delete", "csidriver", cls.DRIVER)
        cls.driver = cls.cluster.popen(app_program(), "csi", cls.DRIVER, "node", cls.cluster.directory / "kubelet", cls.files)
        cls.addClassCleanup(cls.end)
        assert cls.driver.stdout.readline() == "registered\n"

    @classmethod
    def end(cls):
        # the volumes of its pods are its to remove
        cls.cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--timeout=100s")
        cls.driver.stdin.close()
        cls.driver.wait(30)
        cls.driver.stdout.close()

    @classmethod
    def issue(cls):
        """A certificate for each service account, as the driver's own issuer would."""
        for account in ("backend", "frontend"):
            folder = cls.files / NAMESPACE / account
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in cls.authority.leaf(f"spiffe://cluster.local/ns/{NAMESPACE}/sa/{account}").items():
                (folder / name).write_text(text)

    def test_certificates_of_the_volume_are_used_and_renewed_in_place(self):
        self.assertRegex(self.calls_pass(), "called: hello from backend")
        self.assertEqual([], [one["metadata"]["name"] for one in self.get("secrets")["items"]])
        address = self.service_address("backend")
        self.assertEqual(0, self.cluster.http(f"https://{address}:80/")[0], "without a certificate")
        pods = [pod["metadata"]["name"] for pod in self.pods("app=backend")]
        before, containers = {pod: self.served(pod) for pod in pods}, self.containers()
        self.assertNotIn("", before.values())
        self.issue()
        self.driver.stdin.write("\n")
        self.driver.stdin.flush()
        self.assertEqual("renewed\n", self.driver.stdout.readline())
        await_that("a new certificate at each backend", lambda: all(self.served(pod) not in ("", before[pod]) for pod in pods))
        self.calls_pass()
        self.assertEqual(containers, self.containers())


class Grpc(Overlay):
    overlay = "grpc"

    def test_calls_are_balanced_over_the_backends(self):
        self.assertRegex(self.calls_pass(), "called: SERVING")
        for pod in self.pods("app=backend"):
            self.assertGreater(self.requests(pod["metadata"]["name"], "inbound"), 0)


class Captured(Overlay):
    overlay = "capture"
    images = (IMAGE, EXAMPLE_IMAGE, CAPTURE_IMAGE)

    @classmethod
    def setUpClass(cls):
        if not has_image(CAPTURE_IMAGE):
            raise unittest.SkipTest(f"no {CAPTURE_IMAGE}: scripts/image capture builds it")
        super().setUpClass()

    def test_calls_to_the_service_pass_both_sidecars(self):
        self.assertRegex(self.calls_pass(), "called: hello from backend")
        self.assertGreaterEqual(self.requests(self.pods("app=frontend")[0]["metadata"]["name"], "outbound"), 21)
        self.assertGreaterEqual(sum(self.requests(pod["metadata"]["name"], "inbound") for pod in self.pods("app=backend")), 21)


class PodSecurity(ClusterTest):
    """What Pod Security says of the pods, in a namespace that enforces restricted."""

    def refusal(self, overlay):
        template = render(overlay)["Deployment", "backend"]["spec"]["template"]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": self.namespace, **template["metadata"]}, "spec": template["spec"]}
        pod["spec"].pop("serviceAccountName")
        return self.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", stdin=json.dumps(pod), check=False).stderr

    def test_restricted_admits_all_but_the_capturing_init_container(self):
        for overlay in ("plain", "mtls", "mtls-csi", "grpc"):
            self.assertEqual("", self.refusal(overlay), overlay)
        self.assertRegex(self.refusal("capture"), r"violates PodSecurity.*NET_ADMIN")


if __name__ == "__main__":
    unittest.main()

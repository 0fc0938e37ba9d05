"""The chart in deploy/helm/remora: the same objects as deploy/kustomize, values that are checked, and its life on the cluster."""
import base64
import functools
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import IMAGE, REPOSITORY, TOOL, ClusterTest, await_that, run

try:
    import yaml
except ImportError:
    yaml = None

CHART, KUSTOMIZE = REPOSITORY / "deploy/helm/remora", REPOSITORY / "deploy/kustomize"
NAMESPACE, EXAMPLE_IMAGE, CAPTURE_IMAGE = "remora-system", "remora-example:latest", "remora-capture:latest"
BUILD_SECONDS = 1200


@functools.cache
def program(name):
    """Path of helm or kustomize: that of the machine, or one that is built."""
    return shutil.which(name) or run([TOOL.parent / "build", name], seconds=BUILD_SECONDS).stdout.strip()


def template(*options, check=True, namespace=NAMESPACE):
    return run([program("helm"), "template", "remora", CHART, "--namespace", namespace, "--kube-version", "1.36.0", *options], check=check)


def objects(text):
    """Objects by kind and name, without those that only helm test makes; injector.yaml is read as well."""
    found = {}
    for one in yaml.safe_load_all(text):
        if one and "helm.sh/hook" not in one["metadata"].get("annotations", {}):
            if "injector.yaml" in one.get("data", {}):
                one["data"]["injector.yaml"] = yaml.safe_load(one["data"]["injector.yaml"])
            found[one["kind"], one["metadata"]["name"]] = one
    return found


def of_kustomize(name):
    return objects(run([program("kustomize"), "build", KUSTOMIZE / name]).stdout)


@unittest.skipUnless(yaml, "no PyYAML to read what is rendered")
class Rendered(unittest.TestCase):
    maxDiff = None

    def assert_same(self, wanted, *options):
        """The chart makes what kustomize makes, but for the injector's namespace, which Helm has to find."""
        wanted = {key: one for key, one in wanted.items() if key != ("Namespace", NAMESPACE)}
        found = objects(template(*options).stdout)
        # kustomize has no checksum: its users restart the Deployment
        self.assertRegex(found["Deployment", "remora-injector"]["spec"]["template"]["metadata"].pop("annotations")["checksum/settings"], "^[0-9a-f]{64}$")
        self.assertEqual(sorted(wanted), sorted(found))
        for key, one in wanted.items():
            with self.subTest(object=key):
                self.assertEqual(one, found[key])

    def test_it_makes_the_objects_of_kustomize(self):
        wanted = of_kustomize("injector")
        self.assertGreaterEqual(len(wanted), 12)
        self.assert_same(wanted)

    def test_with_the_plugin_it_makes_those_as_well(self):
        self.assert_same({**of_kustomize("injector"), **of_kustomize("cni")}, "--set", "cni.enabled=true")

    def test_it_makes_those_of_the_plugins_removal_as_well(self):
        self.assert_same({**of_kustomize("injector"), **of_kustomize("cni-uninstall")}, "--set", "cni.enabled=true,cni.uninstall=true")

    def test_a_release_in_another_namespace_exempts_it(self):
        found = objects(template(namespace="mesh").stdout)
        self.assertIn("mesh", found["ConfigMap", "remora-injector"]["data"]["injector.yaml"]["exempt-namespaces"])
        selector = found["MutatingWebhookConfiguration", "remora-injector"]["webhooks"][0]["namespaceSelector"]["matchExpressions"][0]
        self.assertEqual(["kube-system", "kube-public", "kube-node-lease", "mesh"], selector["values"])
        self.assertEqual({"mesh"}, {one["metadata"].get("namespace", "mesh") for one in found.values()})

    def test_the_plugin_can_share_the_namespace_of_the_release(self):
        found = objects(template("--set", f"cni.enabled=true,cni.namespace={NAMESPACE}").stdout)
        self.assertEqual([], [key for key in found if key[0] == "Namespace"])
        self.assertEqual({NAMESPACE}, {one["metadata"].get("namespace", NAMESPACE) for one in found.values()})

    def test_with_cert_manager_the_injector_has_no_right(self):
        found = objects(template("--set", "certManager.enabled=true").stdout)
        self.assertEqual([], [key for key in found if "Role" in key[0] or key[0] == "Secret"])
        self.assertEqual("remora-injector-tls", found["Certificate", "remora-injector"]["spec"]["secretName"])
        # a renewed certificate has the same authority, which is what the API server trusts
        self.assertEqual({"kind": "Issuer", "name": "remora-injector"}, found["Certificate", "remora-injector"]["spec"]["issuerRef"])
        authority = found["Certificate", "remora-injector-ca"]["spec"]
        self.assertEqual({"ca": {"secretName": authority["secretName"]}}, found["Issuer", "remora-injector"]["spec"])
        self.assertTrue(authority["isCA"])
        self.assertEqual("Never", authority["privateKey"]["rotationPolicy"])
        self.assertEqual({"selfSigned": {}}, found["Issuer", authority["issuerRef"]["name"]]["spec"])
        self.assertEqual(f"{NAMESPACE}/remora-injector",
                         found["MutatingWebhookConfiguration", "remora-injector"]["metadata"]["annotations"]["cert-manager.io/inject-ca-from"])
        settings = found["ConfigMap", "remora-injector"]["data"]["injector.yaml"]
        self.assertEqual({"tls": {"directory": "/etc/remora-injector-tls"}}, settings["webhook"])
        mounts = found["Deployment", "remora-injector"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
        self.assertIn("/etc/remora-injector-tls", [mount["mountPath"] for mount in mounts])
        # the name of its namespace, and no token
        account = next(one for one in found["Deployment", "remora-injector"]["spec"]["template"]["spec"]["volumes"] if one["name"] == "account")
        self.assertEqual(["downwardAPI"], [name for source in account["projected"]["sources"] for name in source])

    def test_an_issuer_of_the_cluster_replaces_that_of_the_chart(self):
        found = objects(template("--set", "certManager.enabled=true", "--set", "certManager.issuer.kind=ClusterIssuer", "--set", "certManager.issuer.name=mesh").stdout)
        self.assertEqual([("Certificate", "remora-injector")], [key for key in found if key[0] in ("Certificate", "Issuer")])
        self.assertEqual({"kind": "ClusterIssuer", "name": "mesh"}, found["Certificate", "remora-injector"]["spec"]["issuerRef"])

    def test_each_changed_setting_changes_the_pods_of_the_injector(self):
        def pods(*options):
            return objects(template(*options).stdout)["Deployment", "remora-injector"]["spec"]["template"]

        self.assertEqual(pods(), pods("--set", "replicas=3"))
        for value in ("settings.rps=100", "exemptNamespaces={kube-system,other}"):
            with self.subTest(value=value):
                self.assertNotEqual(pods(), pods("--set", value))

    def test_every_pod_of_the_chart_pulls_with_the_secrets(self):
        rendered = template("--set", "imagePullSecrets[0].name=registry", "--set", "cni.enabled=true").stdout
        pods = [one.get("spec", {}).get("template", one)["spec"] for one in yaml.safe_load_all(rendered) if one and one["kind"] in ("Pod", "Deployment", "DaemonSet")]
        self.assertEqual([[{"name": "registry"}]] * 4, [pod.get("imagePullSecrets") for pod in pods])

    def test_priority_classes_and_ports_of_the_api_server_are_values(self):
        found = objects(template("--set", "priorityClassName=,cni.enabled=true,cni.priorityClassName=critical,networkPolicy.apiServerPorts={16443}").stdout)
        self.assertEqual([("ResourceQuota", "remora-cni")], [key for key in found if key[0] == "ResourceQuota"])
        self.assertEqual(["critical"], found["ResourceQuota", "remora-cni"]["spec"]["scopeSelector"]["matchExpressions"][0]["values"])
        self.assertEqual("critical", found["DaemonSet", "remora-cni"]["spec"]["template"]["spec"]["priorityClassName"])
        self.assertNotIn("priorityClassName", found["Deployment", "remora-injector"]["spec"]["template"]["spec"])
        self.assertEqual([{"ports": [{"port": 16443}]}], found["NetworkPolicy", "remora-injector"]["spec"]["egress"])

    def test_a_cluster_without_sleep_hooks_is_refused(self):
        done = template("--kube-version", "1.29.9", check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("kubeVersion", done.stderr)

    def test_wrong_values_are_refused(self):
        for value, place in (("replicaz=3", "replicaz"), ("replicas=0", "replicas"), ("settings.engines={envoy}", "engines"), ("settings.rps=0", "rps"),
                             ("settings.capture.mode=on", "mode"), ("certManager.duration=90d", "duration"), ("cni.binDirectory=opt", "binDirectory"), ("imagePullSecrets={registry}", "imagePullSecrets"),
                             ("networkPolicy.apiServerPorts={}", "apiServerPorts")):
            with self.subTest(value=value):
                done = template("--set", value, check=False)
                self.assertNotEqual(0, done.returncode)
                self.assertIn(place, done.stderr)


class Validated(ClusterTest):
    """The API server's own judgement of the objects."""

    def test_the_api_server_knows_every_field(self):
        text = template("--set", f"cni.enabled=true,cni.namespace={self.namespace}", "--skip-tests", namespace=self.namespace).stdout
        self.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)
        misspelt = self.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text.replace("maxUnavailable:", "maxUnavailible:"), check=False)
        self.assertIn('unknown field "spec.strategy.rollingUpdate.maxUnavailible"', misspelt.stderr)


def injects(image):
    """Whether an image has the injector."""
    help_text = subprocess.run(["docker", "run", "--rm", image, "help"], capture_output=True, text=True)
    return "injector" in help_text.stdout + help_text.stderr


class Installed(ClusterTest):
    """The chart from install to uninstall, on a cluster where no injector is."""

    images = (IMAGE, EXAMPLE_IMAGE)

    @classmethod
    def setUpClass(cls):
        if not injects(IMAGE):
            raise unittest.SkipTest(f"{IMAGE} has no injector: make image-i386 builds one")
        run([REPOSITORY / "scripts/image", "example"], seconds=300)
        super().setUpClass()

    def setUp(self):
        self.namespace = NAMESPACE
        self.addCleanup(self.remove)
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": {
            "pod-security.kubernetes.io/enforce": "restricted"}}})

    def remove(self):
        for what in (("mutatingwebhookconfiguration", "remora-injector"), ("namespace", "remora-injector-test"), ("namespace", "remora-cni"), ("namespace", NAMESPACE),
                     ("clusterrole", "remora-injector"), ("clusterrolebinding", "remora-injector")):
            self.cluster.kubectl("delete", *what, "--ignore-not-found", "--timeout=100s", check=False)

    def helm(self, *arguments, check=True):
        return self.cluster.execute(program("helm"), *arguments, "--namespace", NAMESPACE, check=check, seconds=300)

    def replicas(self):
        return {pod["metadata"]["name"] for pod in self.pods("app.kubernetes.io/name=remora-injector")}

    def bundle(self):
        return self.cluster.get("mutatingwebhookconfiguration", "remora-injector")["webhooks"][0]["clientConfig"].get("caBundle")

    def await_other_replicas(self, former):
        """Those that drain still answer connections that the API server has kept, with the former settings."""
        def left():
            return {pod["metadata"]["name"] for pod in self.get("pods", "-l", "app.kubernetes.io/name=remora-injector")["items"]}

        await_that("the former replicas are gone", lambda: not former & left(), seconds=60)

    def rate_of_an_injected_pod(self):
        """What the injector gives a pod without annotations, by a dry run."""
        name = f"{NAMESPACE}-rate"
        self.addCleanup(self.cluster.kubectl, "delete", "namespace", name, "--ignore-not-found", "--wait=false")
        self.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"remora.io/inject": "enabled"}}})
        self.cluster.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace", name, "--timeout=30s")
        made = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "rate", "namespace": name}, "spec": {
            "automountServiceAccountToken": False, "containers": [{"name": "app", "image": EXAMPLE_IMAGE}]}})
        pod = json.loads(self.cluster.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=made).stdout)
        sidecar = next(one for one in pod["spec"]["initContainers"] if one["name"] == "remora")
        return next((one.get("value") for one in sidecar["env"] if one["name"] == "REMORA_RPS"), None)

    def images_under_test(self):
        name, _, tag = IMAGE.partition(":")
        return ("--set", f"image.name={name}", "--set", f"image.tag={tag}", "--set", f"settings.image={IMAGE}", "--set", f"settings.images[0].name={IMAGE}",
                "--set", "settings.images[0].runtime=i386-client", "--set", "settings.images[0].architectures={amd64}")

    def test_the_plugin_has_a_namespace_that_admits_host_paths(self):
        if subprocess.run(["docker", "image", "inspect", CAPTURE_IMAGE], capture_output=True).returncode != 0:
            self.skipTest(f"no {CAPTURE_IMAGE}: scripts/image capture builds it")
        self.cluster.load(CAPTURE_IMAGE)
        folder = self.cluster.directory / "cni"
        before = (folder / "10-pods.conflist").read_text()
        notes = self.helm("install", "remora", CHART, *self.images_under_test(), "--set", "cni.enabled=true", "--set", "cni.binDirectory=/usr/lib/cni",
                          "--set", f"cni.confDirectory={folder}").stdout
        self.assertIn("namespace remora-cni", notes)
        self.rolled_out("deployment/remora-injector")
        self.cluster.kubectl("rollout", "status", "daemonset/remora-cni", "--namespace", "remora-cni", "--timeout=120s", seconds=150)
        # that of the injector admits none
        spec = self.cluster.get("daemonset", "remora-cni", "--namespace", "remora-cni")["spec"]["template"]["spec"]
        account = ("serviceAccountName", "serviceAccount")
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "remora-cni"}, "spec": {key: one for key, one in spec.items() if key not in account}}
        refused = self.kubectl("create", "--dry-run=server", "-f", "-", stdin=json.dumps(pod), check=False)
        self.assertIn("violates PodSecurity", refused.stderr)
        self.assertIn("remora-cni", (folder / "10-pods.conflist").read_text())
        self.helm("upgrade", "remora", CHART, "--reset-then-reuse-values", "--set", "cni.uninstall=true", "--wait", "--timeout", "240s")
        self.assertEqual((folder / "10-pods.conflist").read_text(), before)
        self.cluster.kubectl("delete", "mutatingwebhookconfiguration", "remora-injector")
        self.helm("uninstall", "remora", "--wait", "--timeout", "120s")

    def test_with_the_secret_of_cert_manager_it_injects_without_any_right(self):
        # cert-manager itself is not there: its kinds are, and the test issues the certificate
        for kind, plural in (("Issuer", "issuers"), ("Certificate", "certificates")):
            self.cluster.apply({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.cert-manager.io"}, "spec": {
                "group": "cert-manager.io", "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [{
                    "name": "v1", "served": True, "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
            self.addCleanup(self.cluster.kubectl, "delete", "crd", f"{plural}.cert-manager.io", "--wait=false")
            self.cluster.kubectl("wait", "--for=condition=Established", f"crd/{plural}.cert-manager.io")
        with tempfile.TemporaryDirectory() as directory:
            run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=injector", "-addext",
                 f"subjectAltName=DNS:remora-injector.{NAMESPACE}.svc", "-keyout", f"{directory}/tls.key", "-out", f"{directory}/tls.crt"])
            files = {name: base64.b64encode(Path(directory, name).read_bytes()).decode() for name in ("tls.crt", "tls.key")}
        self.apply({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": {"name": "remora-injector-tls"}, "data": files})
        self.helm("install", "remora", CHART, *self.images_under_test(), "--set", "certManager.enabled=true", "--wait", "--timeout", "120s")
        bundle = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": files["tls.crt"]}]
        self.cluster.kubectl("patch", "mutatingwebhookconfiguration", "remora-injector", "--type=json", "-p", json.dumps(bundle))
        self.helm("test", "remora", "--timeout", "120s")
        self.assertEqual("", self.kubectl("get", "role,rolebinding", "-o", "name").stdout)

    def test_it_installs_upgrades_rolls_back_and_leaves_nothing(self):
        notes = self.helm("install", "remora", CHART, *self.images_under_test(), "--wait", "--timeout", "120s").stdout
        self.assertIn("remora.io/inject=enabled", notes)
        first, bundle = self.replicas(), self.bundle()
        self.assertEqual(2, len(first))
        self.assertTrue(bundle)
        tested = self.helm("test", "remora", "--timeout", "120s", check=False)
        self.assertEqual(0, tested.returncode, tested.stdout + tested.stderr)
        before = self.rate_of_an_injected_pod()
        # only another rate in the settings: new replicas inject it, and the certificates stay
        self.helm("upgrade", "remora", CHART, "--reset-then-reuse-values", "--set", "settings.rps=137", "--wait", "--timeout", "120s")
        self.await_other_replicas(first)
        self.assertEqual(bundle, self.bundle())
        self.assertEqual("137", self.rate_of_an_injected_pod())
        second = self.replicas()
        self.helm("rollback", "remora", "1", "--wait", "--timeout", "120s")
        self.await_other_replicas(second)
        self.assertEqual(before, self.rate_of_an_injected_pod())
        self.assertEqual(bundle, self.bundle())
        # the order of docs/upgrades-kubernetes.md
        self.cluster.kubectl("delete", "mutatingwebhookconfiguration", "remora-injector")
        self.helm("uninstall", "remora", "--wait", "--timeout", "120s")
        self.kubectl("wait", "pods", "--all", "--for=delete", "--timeout=60s", check=False)
        left = [line for kind in ("clusterrole,clusterrolebinding,mutatingwebhookconfiguration", "all,configmap,secret,role,rolebinding,serviceaccount,networkpolicy,pdb,quota")
                for line in self.kubectl("get", kind, "-o", "name").stdout.split() if "remora" in line]
        self.assertEqual([], left)


if __name__ == "__main__":
    unittest.main()

"""The conformance test as a Job: what deploy/conformance applies, its verdicts and exit statuses, and what it leaves out without a right."""
import base64
import gzip
import json
import re
import subprocess
import unittest

from cluster import IMAGE, REPOSITORY, WAIT_SECONDS, ClusterTest, await_that

CONFORMANCE = REPOSITORY / "deploy/conformance"
TEST_IMAGE = "remora-conformance:latest"
NAME = "remora-conformance"
# As short as Gatling can be: it has to be compiled before it keeps a rate.
SHORT = ("--rps=50", "--calibration=10s", "--warmup=20s", "--duration=15s")
RUN_SECONDS = 420
PASS, FAIL, INCONCLUSIVE, COULD_NOT_RUN = 0, 1, 2, 3


def has_image():
    return subprocess.run(["docker", "image", "inspect", TEST_IMAGE], capture_output=True).returncode == 0


@unittest.skipUnless(has_image(), f"the engine has no image {TEST_IMAGE}: deploy/conformance/image builds it")
class ConformanceTest(ClusterTest):
    """Renders an overlay into this test's namespace, with shorter times."""

    images = (IMAGE, TEST_IMAGE)

    def rendered(self, overlay=""):
        """The objects of an overlay without its namespace, whose labels are returned apart."""
        text = self.cluster.kubectl("kustomize", CONFORMANCE / overlay).stdout
        objects = json.loads(self.cluster.kubectl("apply", "--dry-run=client", "-o", "json", "-f", "-", stdin=text).stdout)["items"]
        labels = next(one["metadata"]["labels"] for one in objects if one["kind"] == "Namespace")
        kept = [one for one in objects if one["kind"] != "Namespace"]
        for one in kept:
            one["metadata"].pop("annotations", None)
            if "namespace" in one["metadata"]:
                one["metadata"]["namespace"] = self.namespace
            for subject in one.get("subjects", []):
                subject["namespace"] = self.namespace
        return kept, labels

    def start(self, overlay, words, change=lambda spec: None):
        objects, labels = self.rendered(overlay)
        self.assertEqual(self.pod_security, labels["pod-security.kubernetes.io/enforce"])
        spec = self.job(objects)["spec"]["template"]["spec"]
        container = spec["containers"][0]
        container["args"] += [*SHORT, *words]
        sidecar = spec["initContainers"][0]
        sidecar["image"], sidecar["imagePullPolicy"], container["imagePullPolicy"] = IMAGE, "Never", "Never"
        change(spec)
        self.on_one_node(objects)
        self.cluster.kubectl("delete", "job", NAME, "-n", self.namespace, "--ignore-not-found", "--wait=true", seconds=WAIT_SECONDS)
        self.cluster.apply(*objects)

    def on_one_node(self, objects):
        """What else runs is rolled out first, on the only node."""
        for one in objects:
            if one["kind"] == "Deployment":
                one["spec"]["template"]["spec"].pop("affinity")
                one["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Never"
                self.cluster.apply(*(other for other in objects if other["kind"] in ("Service", "Deployment")))
                self.rolled_out(f"deployment/{one['metadata']['name']}")

    def job(self, objects):
        return next(one for one in objects if one["kind"] == "Job")

    def finished(self):
        """Exit status and log of the measuring container, once the Job has ended."""
        def condition(jobs):
            return jobs and [one["type"] for one in jobs[0].get("status", {}).get("conditions", []) if one["status"] == "True"]
        conditions = self.watch("jobs").until("the Job has ended", lambda jobs: {"Complete", "Failed"} & set(condition(jobs) or []), RUN_SECONDS)
        pods = self.pods(f"job-name={NAME}")
        self.assertEqual(1, len(pods), "a second attempt would hide the first one's verdict")
        status = pods[0]["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"]
        self.assertEqual({"Complete"} if status == PASS else {"Failed"}, conditions & {"Complete", "Failed"})
        log = self.cluster.kubectl("logs", pods[0]["metadata"]["name"], "-c", "conformance", "-n", self.namespace).stdout
        return status, log

    def measured(self, *words, overlay="", change=lambda spec: None):
        """As finished(), of a run from the start."""
        self.start(overlay, words, change)
        return self.finished()

    def require_verdict(self, status, log):
        """Skips what is left of a test where the machine had too much other work for a verdict."""
        self.assertIn(status, (PASS, FAIL, INCONCLUSIVE), log)
        if status == INCONCLUSIVE:
            reasons = [line for line in self.table(log).splitlines() if "inconclusive" in line]
            self.assertTrue(reasons, self.table(log))
            self.skipTest("all but the verdict was tested, which this machine left open:\n" + "\n".join(reasons))

    def table(self, log):
        return log.partition("-----BEGIN REPORT-----")[0]

    def row(self, log, name):
        """Measured figure, result and note of a row; each column is two spaces from the next one at least."""
        line = next((line for line in self.table(log).splitlines() if line.startswith(name)), None)
        self.assertIsNotNone(line, f"no row {name} in\n{self.table(log)}")
        return re.split(r" {2,}", line)

    def page(self, log):
        text = re.search(r"-----BEGIN REPORT-----\n(.*?)-----END REPORT-----", log, re.S)
        return gzip.decompress(base64.b64decode(text.group(1))).decode()


class VerdictTest(ConformanceTest):
    def test_a_run_passes_and_names_what_it_left_out(self):
        status, log = self.measured()
        self.assertIn("NET_RAW", " ".join(self.row(log, "time in the proxy on the wire")))
        self.assertIn("missing", self.row(log, "time in the proxy on the wire"))
        self.assertEqual("pass", self.row(log, "methods compiled in the worst second")[3], self.table(log))
        for name in ("working set", "private", "peak RSS"):
            self.assertRegex(self.row(log, name)[1], r"^[\d.]+ MB$")
        self.assertIn("</html>", self.page(log))
        self.require_verdict(status, log)
        self.assertEqual(PASS, status, self.table(log))
        self.assertRegex(log.splitlines()[-1], r"^pass: /reports/conformance-[\d-]+/report.html$")

    def test_a_bar_that_cannot_be_met_fails_the_job(self):
        status, log = self.measured("--working-set-mb=1")
        self.assertNotEqual("pass", self.row(log, "working set")[3])
        self.require_verdict(status, log)
        self.assertEqual((FAIL, "fail"), (status, self.row(log, "working set")[3]), self.table(log))
        self.assertRegex(log.splitlines()[-1], "^fail: ")

    def test_a_sidecar_that_ends_fails_the_job_on_any_machine(self):
        self.start("", ("--duration=60s",))
        pod = self.watch("pods").until("a pod", lambda pods: pods and pods[0])["metadata"]["name"]
        await_that("the steady window", lambda: "steady:" in self.cluster.kubectl("logs", pod, "-c", "conformance", "-n", self.namespace, check=False).stdout,
                   RUN_SECONDS, every=1)
        self.cluster.execute("kill", "-9", self.cluster.container_pid(self.cluster.container_id(self.namespace, pod, "remora")))
        status, log = self.finished()
        self.assertEqual(FAIL, status, log)
        self.assertIn("ended by itself", " ".join(self.row(log, "the sidecar")))

    def test_a_sidecar_that_is_not_to_be_seen_could_not_be_measured(self):
        status, log = self.measured(change=lambda spec: spec.update(shareProcessNamespace=False))
        self.assertEqual(COULD_NOT_RUN, status, log)
        self.assertIn("shareProcessNamespace", log)


class KubeletTest(ConformanceTest):
    def test_the_kubelet_tells_only_who_may_ask(self):
        _, log = self.measured(overlay="overlays/kubelet", change=self.trusting)
        told = float(self.row(log, "working set, by the kubelet")[1].split()[0])
        own = float(self.row(log, "working set")[1].split()[0])
        self.assertAlmostEqual(own, told, delta=0.25 * own, msg=f"{own} MB by its cgroup, {told} MB by the kubelet")
        self.cluster.kubectl("delete", "clusterrolebinding", NAME)
        _, log = self.measured("--warmup=5s", "--duration=5s", overlay="overlays/kubelet",
                               change=lambda spec: (self.trusting(spec), spec.update(serviceAccountName="default")))
        self.assertIn("the kubelet responds with 403", " ".join(self.row(log, "working set, by the kubelet")))

    def trusting(self, spec):
        """The kubelet of this cluster has a certificate that it has signed itself."""
        certificate = self.cluster.execute("sh", "-c", "openssl s_client -connect 10.250.0.1:10250 -servername node </dev/null 2>/dev/null | openssl x509").stdout
        self.cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kubelet", "namespace": self.namespace}, "data": {"ca.crt": certificate}})
        next(one for one in spec["volumes"] if one["name"] == "kubelet")["configMap"]["name"] = "kubelet"


class WireTest(ConformanceTest):
    pod_security = "privileged"

    def test_with_net_raw_the_wire_is_seen(self):
        _, log = self.measured(overlay="overlays/wire")
        self.assertRegex(" ".join(self.row(log, "time in the proxy, p99")), r"on the wire [\d.]+")
        self.assertNotIn("time in the proxy on the wire", self.table(log))


class TwoNodesTest(ConformanceTest):
    def test_an_application_elsewhere_is_measured_through_its_service(self):
        """On one node, without the rule that keeps both apart, as the cluster has no second one."""
        _, log = self.measured("--warmup=5s", "--duration=10s", overlay="overlays/two-nodes")
        self.assertIn("another node", " ".join(self.row(log, "time in the proxy on the wire")))
        self.assertRegex(self.row(log, "added latency, p99")[1], r"^-?[\d.]+ ms$")
        self.assertEqual("pass", self.row(log, "failed requests")[3], self.table(log))


class OverlaysTest(ConformanceTest):
    def test_each_is_valid(self):
        for overlay in sorted((CONFORMANCE / "overlays").iterdir()):
            with self.subTest(overlay.name):
                objects, _ = self.rendered(overlay.relative_to(CONFORMANCE))
                text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
                self.cluster.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=text)

"""A real Prometheus scrapes pods as their annotations say, and the operator's objects of deploy/observe are valid."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from cluster import REPOSITORY, ClusterTest, await_that
from manifests import CONFIGURATION, application, config_map, deployment, pod_spec, sidecar

OBSERVE = REPOSITORY / "deploy/observe"
OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
CRDS = "example/prometheus-operator-crd"
PORT = 19090


def counterpart(name):
    done = subprocess.run([REPOSITORY / "scripts/counterparts", name], capture_output=True, text=True)
    return Path(done.stdout.strip()) if done.returncode == 0 else None


class Operator(ClusterTest):
    def test_its_objects_pass_strict_validation(self):
        done = subprocess.run(["go", "mod", "download", "-json", OPERATOR], capture_output=True, text=True, cwd="/",
                              env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/local/go/bin"})
        if done.returncode:
            self.skipTest(f"the definitions of the operator's objects cannot be had: {done.stdout}")
        folder = Path(json.loads(done.stdout)["Dir"], CRDS)
        for kind in ("podmonitors", "servicemonitors", "prometheusrules"):
            definition = folder / f"monitoring.coreos.com_{kind}.yaml"
            self.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=definition.read_text())
            self.addCleanup(self.cluster.kubectl, "delete", "crd", f"{kind}.monitoring.coreos.com", "--wait=false")
            self.cluster.kubectl("wait", "--for=condition=Established", f"crd/{kind}.monitoring.coreos.com", "--timeout=60s")
        parts = [self.cluster.kubectl("kustomize", folder).stdout for folder in (OBSERVE, OBSERVE / "injector")]
        text = "\n---\n".join([*parts, (OBSERVE / "service-monitor.yaml").read_text()])
        self.cluster.kubectl("apply", "--server-side", "--validate=strict", "-n", self.namespace, "-f", "-", stdin=text)
        self.assertEqual("1", self.get("configmap", "remora-dashboard")["metadata"]["labels"]["grafana_dashboard"])


class Annotations(ClusterTest):
    """Pods of a kustomization that has the component, scraped on their own address."""

    def test_prometheus_scrapes_the_sidecars(self):
        prometheus = counterpart("prometheus")
        if prometheus is None:
            self.skipTest("no Prometheus: scripts/counterparts prometheus")
        self.apply(config_map(CONFIGURATION.replace('health: {address: "0.0.0.0:15020"}', 'health: {address: "0.0.0.0:15020", metrics: true}')))
        self.kubectl("apply", "-f", "-", stdin=self.annotated(deployment("web", pod_spec(application(), remora=sidecar(drain=()), grace=2), replicas=2)))
        self.rolled_out("deployment/web")
        work = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="prometheus.")))
        pods = self.pods("app=web")
        (work / "prometheus.yaml").write_text(json.dumps(self.configuration(pods)))
        process = self.cluster.popen("sh", "-c", '"$@" & trap "kill $!" EXIT; read -r end', "prometheus", prometheus / "prometheus", f"--config.file={work}/prometheus.yaml",
                                     f"--storage.tsdb.path={work}/data", f"--web.listen-address=127.0.0.1:{PORT}", stderr=self.enterContext(open(work / "log", "w")))
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        try:
            found = await_that("both sidecars in Prometheus", lambda: (series := self.query("remora_ready == 1")) and len(series) == 2 and series)
        except AssertionError as missing:
            targets = self.cluster.http(f"http://127.0.0.1:{PORT}/api/v1/targets")
            raise AssertionError(f"{missing}; targets {targets}; {(work / 'log').read_text()[-2000:]}") from None
        self.assertEqual({(self.namespace, pod["metadata"]["name"]) for pod in pods}, {(one["metric"]["namespace"], one["metric"]["pod"]) for one in found})
        # the usage is that of the last look, and a sidecar looks while it serves
        for pod in pods:
            self.assertEqual(200, self.cluster.http(f"http://{pod['status']['podIP']}:8080/")[0])
        ratio = "remora_memory_usage_bytes / remora_memory_limit_bytes"
        found = await_that("memory against limit", lambda: (series := self.query(ratio)) and len(series) == 2 and series, 30)
        for one in found:
            self.assertTrue(0.05 < float(one["value"][1]) < 1, found)

    def annotated(self, one):
        """As the component does it; kustomize reads files below its own folder."""
        with tempfile.TemporaryDirectory() as work:
            shutil.copytree(OBSERVE / "annotations", Path(work, "annotations"))
            Path(work, "web.json").write_text(json.dumps(one))
            Path(work, "kustomization.yaml").write_text("resources: [web.json]\ncomponents: [annotations]\n")
            return self.cluster.kubectl("kustomize", work).stdout

    def configuration(self, pods):
        """Targets as the annotations name them: Debian's Prometheus is built without the discovery of Kubernetes."""
        targets = []
        for pod in pods:
            notes = pod["metadata"]["annotations"]
            self.assertEqual("true", notes["prometheus.io/scrape"])
            targets.append({"targets": [f"{pod['status']['podIP']}:{notes['prometheus.io/port']}"],
                            "labels": {"namespace": self.namespace, "pod": pod["metadata"]["name"], "__metrics_path__": notes["prometheus.io/path"]}})
        return {"global": {"scrape_interval": "1s"}, "rule_files": [str(OBSERVE / "rules.yaml")], "scrape_configs": [
            {"job_name": "kubernetes-pods", "static_configs": targets}]}

    def query(self, expression):
        status, body = self.cluster.http(f"http://127.0.0.1:{PORT}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        return json.loads(body)["data"]["result"] if status == 200 else None


if __name__ == "__main__":
    unittest.main()

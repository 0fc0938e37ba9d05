"""What "remora inject" writes: PyYAML reads the values that were there before, and the API server takes each kind with strict validation.

REMORA_COMMAND names the launcher; without it, it is that of this checkout, after "make build"."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

from cluster import IMAGE, REPOSITORY, ClusterTest
from manifests import CONFIGURATION, application, config_map, deployment, pod_spec

LAUNCHER = os.environ.get("REMORA_COMMAND") or str(REPOSITORY / "proxy/bin/remora")
MANIFESTS = REPOSITORY / "proxy/core/src/test/resources/inject"
NOT_BUILT = 69
KINDS = ("pod", "deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "list")
TEXTS = ["", " ", "yes", "No", "on", "y", "null", "~", "1", "1e3", "0x1F", "010", "1_000", "1:30", ".5", ".inf", "2026-11-28", "-", "---", "--a", "a: b",
         "#", "a #b", "&a", "*a", "!a", "|", "%a", "@a", "`a", "it's \"it\"", "[a]", "a\nb", "a\nb\n", "a\n\nb\n\n", "\na", " a\nb", "a \nb", "a\n  b",
         "\t", "\ufeff", "é", "\U0001F600", "10.0.0.1", "1Gi", "a\\b"]
# PyYAML writes them by escapes that the sidecar's parser does not know.
SEPARATORS = ["\u0085", "\u2028"]


def inject(text, *options):
    done = subprocess.run([LAUNCHER, "inject", *options, "-"], input=text.encode(), capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def setUpModule():
    status, _, err = inject("")
    if status == NOT_BUILT:
        raise unittest.SkipTest(err)


class Written(unittest.TestCase):
    """The command as a process, read by a parser of its own."""

    def test_keeps_each_text_for_another_reader(self):
        for dump, texts in ((yaml.safe_dump, TEXTS), (json.dumps, TEXTS + SEPARATORS)):
            with self.subTest(dump.__module__):
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": {"note": "1e3"}},
                       "spec": {"containers": [{"name": "a", "image": "a", "args": texts}]}}
                status, out, err = inject(dump(pod))
                self.assertEqual((0, ""), (status, err))
                injected = yaml.safe_load(out)
                self.assertEqual(texts, injected["spec"]["containers"][0]["args"])
                self.assertEqual("remora", injected["spec"]["initContainers"][0]["name"])
                self.assertEqual((0, out), inject(out)[:2])
                self.assertEqual(pod, yaml.safe_load(inject(out, "--undo")[1]))

    def test_refuses_all_where_one_is_refused(self):
        good = Path(MANIFESTS, "pod.yaml").read_text()
        status, out, err = inject(good + "---\n" + good.replace("remora.io/rps", "remora.io/rsp"))
        self.assertEqual((64, ""), (status, out))
        self.assertIn("<stdin>: Pod/web: annotation 'remora.io/rsp' is unknown; write one of remora.io/inject, remora.io/rps", err)


class Accepted(ClusterTest):
    """Injected manifests at the API server."""

    pod_security = "privileged"

    def dry_run(self, text, *options, check=True):
        return self.kubectl("apply", "--dry-run=server", "--validate=strict", *options, "-f", "-", stdin=text, check=check)

    def test_each_kind_passes_strict_validation(self):
        for kind in KINDS:
            with self.subTest(kind):
                status, out, err = inject(Path(MANIFESTS, f"{kind}.yaml").read_text())
                self.assertEqual(0, status, err)
                done = self.dry_run(out)
                self.assertIn("(server dry run)", done.stdout)
                self.assertNotIn("Warning", done.stderr)

    def test_a_misspelt_field_is_seen(self):
        out = inject(Path(MANIFESTS, "pod.yaml").read_text())[1].replace("restartPolicy: Always", "restartPolicies: Always")
        done = self.dry_run(out, check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("restartPolicies", done.stderr)

    def test_the_sidecar_gets_no_token_of_the_pod(self):
        spec = json.loads(self.dry_run(inject(Path(MANIFESTS, "pod.yaml").read_text())[1], "-o", "json").stdout)["spec"]
        mounts = {mount["mountPath"]: mount["name"] for mount in spec["initContainers"][0]["volumeMounts"]}
        self.assertEqual({"/var/run/secrets/kubernetes.io/serviceaccount": "remora-token"}, mounts)
        self.assertTrue(any(mount["name"].startswith("kube-api-access") for mount in spec["containers"][0]["volumeMounts"]))


class Running(ClusterTest):
    """An injected Deployment that runs."""

    def test_an_application_is_ready_by_its_probe_through_the_sidecar(self):
        spec = pod_spec(application(), remora=False)
        web = deployment("web", spec, replicas=1)
        web["spec"]["template"]["metadata"]["annotations"] = {"remora.io/config": "remora", "remora.io/image": IMAGE, "remora.io/log-level": "debug",
                                                            "remora.io/probes": "rewrite"}
        settings = Path(self.enterContext(tempfile.TemporaryDirectory()), "injector.yaml")
        settings.write_text(json.dumps({"images": [{"name": IMAGE, "runtime": "i386-client", "architectures": ["amd64"]}]}))
        status, out, err = inject(json.dumps(web), "--config", str(settings))
        self.assertEqual((0, ""), (status, err))
        self.assertEqual("/app-health/app/readiness",
                         json.loads(out)["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]["httpGet"]["path"])
        self.apply(config_map(CONFIGURATION), json.loads(out))
        self.rolled_out("deployment/web")
        running = self.get("pods", "-l", "app=web")["items"][0]
        for path, expected in (("readiness", 200), ("liveness", 404), ("other", 404)):
            self.assertEqual(expected, self.cluster.http(f"http://{running['status']['podIP']}:15020/app-health/app/{path}")[0], path)


class Restricted(ClusterTest):
    """A namespace whose Pod Security is restricted."""

    def pod(self, **annotations):
        container = {"name": "app", "image": "app", "securityContext": {
            "runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}}
        return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": {
            f"remora.io/{name}": value for name, value in annotations.items()}}, "spec": {"containers": [container]}})

    def test_takes_the_sidecar_without_capture_and_with_the_plugin(self):
        for mode in ("off", "cni"):
            with self.subTest(mode):
                out = inject(self.pod(capture=mode, config="web"))[1]
                self.kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", stdin=out)

    def test_refuses_rules_by_an_init_container_as_the_command_says(self):
        _, out, err = inject(self.pod(capture="init"))
        self.assertIn("NET_ADMIN", err)
        done = self.kubectl("apply", "--dry-run=server", "-f", "-", stdin=out, check=False)
        self.assertIn("NET_ADMIN", done.stderr)
        self.assertNotEqual(0, done.returncode)


if __name__ == "__main__":
    unittest.main()

"""The webhook on a real API server: injection, refusals, outages, certificates that rotate, and rights that are all needed."""
import base64
import json
import tempfile
import threading
import unittest
from pathlib import Path

from cluster import APP_IMAGE, IMAGE, await_that
from injector import NAME, SYSTEM, InjectorTest, roll_out

SECRET = "remora-injector-tls"
HOST = f"{NAME}.{SYSTEM}.svc"
# Time between the turns of the upkeep, and some more for a busy machine.
TURN_SECONDS = 30 + 60


def application(name, **annotations):
    """A pod that Pod Security admits, without a sidecar of its own."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": {f"remora.io/{key.replace('_', '-')}": value
                                                                                         for key, value in annotations.items()}}, "spec": {
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "automountServiceAccountToken": False,
        "containers": [{"name": "app", "image": APP_IMAGE, "imagePullPolicy": "Never", "args": ["serve"], "securityContext": {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}}]}}


class Injector(InjectorTest):
    """The manifests as they are shipped, once for all tests, with the image under test."""

    def roll_out(self):
        roll_out(self.cluster)

    # ---- what the injector has

    def secret(self):
        data = self.cluster.get("secret", SECRET, "-n", SYSTEM).get("data", {})
        return {name: base64.b64decode(value).decode() for name, value in data.items()}

    def forget(self, *names):
        """Removes entries of the Secret, so that replicas issue others."""
        patch = json.dumps({"data": {name: None for name in names}})
        self.cluster.kubectl("patch", "secret", SECRET, "-n", SYSTEM, "--type=merge", "-p", patch)

    def bundle(self):
        found = self.cluster.get("mutatingwebhookconfiguration", NAME)["webhooks"][0]["clientConfig"]
        return base64.b64decode(found.get("caBundle", "")).decode()

    def replicas(self):
        return [pod["status"]["podIP"] for pod in self.cluster.get("pods", "-n", SYSTEM, "-l", f"app.kubernetes.io/name={NAME}")["items"]
                if "deletionTimestamp" not in pod["metadata"]]

    def shown(self, address):
        """The certificate that a replica shows, and whether OpenSSL trusts it by the registration's bundle."""
        with tempfile.NamedTemporaryFile("w", suffix=".crt") as authorities:
            authorities.write(self.bundle())
            authorities.flush()
            done = self.cluster.execute("openssl", "s_client", "-connect", f"{address}:8443", "-servername", HOST, "-verify_hostname", HOST,
                                        "-x509_strict", "-verify_return_error", "-CAfile", authorities.name, "-showcerts", check=False)
        start, end = done.stdout.find("-----BEGIN CERT"), done.stdout.find("-----END CERT")
        return done.stdout[start:end], "Verification: OK" in done.stdout

    def try_pod(self, name, namespace=None, **annotations):
        """Creates a pod as a dry run, which calls the webhook as well; returns its refusal, or the pod."""
        pod = application(name, **annotations)
        pod["metadata"]["namespace"] = namespace or self.namespace
        done = self.cluster.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=json.dumps(pod), check=False)
        return (done.stderr, None) if done.returncode else (done.stderr, json.loads(done.stdout))

    def injected(self, namespace=None):
        told, pod = self.try_pod("probe", namespace)
        return pod is not None and "remora" in [one["name"] for one in pod["spec"].get("initContainers", [])]


class Injection(Injector):
    def test_pod_of_a_labelled_namespace_gets_a_sidecar(self):
        self.apply(application("one"))
        pod = self.get("pod", "one")
        sidecar = pod["spec"]["initContainers"][0]
        self.assertEqual(("remora", "Always", IMAGE), (sidecar["name"], sidecar["restartPolicy"], sidecar["image"]))
        self.assertIn("remora.io/status", pod["metadata"]["annotations"])
        self.kubectl("delete", "pod", "one", "--wait=false")

    def test_other_namespaces_and_pods_that_opt_out_stay_as_they_are(self):
        self.assertFalse(self.injected("default"))
        self.assertFalse(self.injected(SYSTEM))
        _, pod = self.try_pod("two", inject="false")
        self.assertNotIn("initContainers", pod["spec"])

    def test_bad_annotation_is_refused_with_its_name(self):
        for annotations, words in (({"rps": "many"}, ("remora.io/rps",)), ({"speed": "1"}, ("remora.io/speed", "remora.io/rps")),
                                   ({"image": "evil:1"}, ("remora.io/image", IMAGE)), ({"jvm_options": "-javaagent:x"}, ("remora.io/jvm-options",)),
                                   ({"engine": "other"}, ("remora.io/engine", "netty")), ({"config": "other/map"}, ("remora.io/config",))):
            told, pod = self.try_pod("three", **annotations)
            self.assertIsNone(pod, annotations)
            for word in ("inject.remora.io", *words):
                self.assertIn(word, told)

    def test_webhook_down_refuses_labelled_pods_and_lets_others_start(self):
        self.assertTrue(self.injected())
        scale = ("scale", f"deployment/{NAME}", "-n", SYSTEM)
        self.cluster.kubectl(*scale, "--replicas=0")
        self.addCleanup(self.roll_out)
        self.addCleanup(self.cluster.kubectl, *scale, "--replicas=2")
        self.cluster.kubectl("wait", "pods", "-n", SYSTEM, "-l", f"app.kubernetes.io/name={NAME}", "--for=delete", "--timeout=60s")
        told, pod = self.try_pod("four")
        self.assertIsNone(pod)
        self.assertIn("failed calling webhook", told)
        labelled = application("five")
        labelled["metadata"]["labels"] = {"remora.io/inject": "false"}
        self.apply(labelled)
        self.kubectl("delete", "pod", "five", "--wait=false")
        _, pod = self.try_pod("six", "default")
        self.assertIsNotNone(pod)


class Certificates(Injector):
    def agreed(self):
        """The certificate that all replicas show and that the registration's bundle verifies; None while they differ."""
        seen = {self.shown(address) for address in self.replicas()}
        stored = self.secret().get("tls.crt", "")
        same = len(seen) == 1 and all(good and text and text in stored for text, good in seen)
        return same and seen.pop()[0]

    def test_rotation_of_two_replicas_fails_no_admission(self):
        before = await_that("both replicas show the stored certificate", self.agreed, every=1)
        failures, stop = [], threading.Event()

        def admit():
            while not stop.is_set():
                told, pod = self.try_pod("steady")
                if pod is None:
                    failures.append(told)
        calls = threading.Thread(target=admit)
        calls.start()
        try:
            trusted = self.bundle()
            self.forget("tls.crt", "tls.key")
            leaf = await_that("another certificate", lambda: (now := self.agreed()) and now != before and now, TURN_SECONDS, every=1)
            authority = self.bundle()
            self.assertEqual(trusted, authority)
            self.forget("ca.crt", "ca.key", "tls.crt", "tls.key")
            await_that("a certificate of another authority", lambda: (now := self.agreed()) and now != leaf, TURN_SECONDS, every=1)
        finally:
            stop.set()
            calls.join()
        self.assertEqual([], failures)
        # the former authority is trusted next to the new one
        self.assertEqual(2, self.bundle().count("BEGIN CERTIFICATE"))
        self.assertIn(authority[:authority.index("-----END")], self.bundle())

    def test_bundle_of_the_registration_is_mended_and_nothing_else_changes(self):
        await_that("agreement", self.agreed, every=1)
        wanted = self.bundle()
        before = self.cluster.get("mutatingwebhookconfiguration", NAME)["webhooks"][0]
        other = {"name": "other.remora.io", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore",
                 "clientConfig": {"service": {"name": "other", "namespace": SYSTEM}}}
        patch = [{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": base64.b64encode(wanted.encode() * 2).decode()},
                 {"op": "add", "path": "/webhooks/-", "value": other}]
        self.cluster.kubectl("patch", "mutatingwebhookconfiguration", NAME, "--type=json", "-p", json.dumps(patch))
        self.addCleanup(self.cluster.kubectl, "patch", "mutatingwebhookconfiguration", NAME, "--type=json", "-p",
                        '[{"op": "remove", "path": "/webhooks/1"}]')
        await_that("the bundle", lambda: self.bundle() == wanted, TURN_SECONDS, every=1)
        webhooks = self.cluster.get("mutatingwebhookconfiguration", NAME)["webhooks"]
        self.assertEqual(before, webhooks[0])
        self.assertNotIn("caBundle", webhooks[1]["clientConfig"])


class Rights(Injector):
    def test_each_right_is_needed_and_named_when_it_is_missing(self):
        for kind, name, namespace, resource in (("role", NAME, SYSTEM, "secrets"),
                                                ("clusterrole", NAME, None, "mutatingwebhookconfigurations")):
            for verb in ("get", "patch"):
                with self.subTest(resource=resource, verb=verb):
                    self.miss(kind, name, namespace, resource, verb)

    def miss(self, kind, name, namespace, resource, verb):
        where = ("-n", namespace) if namespace else ()
        role = self.cluster.get(kind, name, *where)
        self.assertEqual([["get", "patch"]], [rule["verbs"] for rule in role["rules"]])
        self.assertTrue(all(rule.get("resourceNames") for rule in role["rules"]))
        less = [{**rule, "verbs": [one for one in rule["verbs"] if one != verb]} for rule in role["rules"]]

        def set_rules(rules):
            self.cluster.kubectl("patch", kind, name, *where, "--type=merge", "-p", json.dumps({"rules": rules}))
        set_rules(less)
        try:
            # nothing is stored and the registration trusts nothing yet, so that the injector needs each right
            self.forget("tls.crt", "tls.key", "ca.crt", "ca.key")
            self.cluster.kubectl("rollout", "restart", f"deployment/{NAME}", "-n", SYSTEM)
            await_that(f"a log that misses {verb} {resource}", lambda: self.is_missed(resource, verb), every=1)
        finally:
            set_rules(role["rules"])
        self.roll_out()
        await_that("injection again", self.injected, every=1)

    def is_missed(self, resource, verb):
        logs = self.cluster.kubectl("logs", "-n", SYSTEM, "-l", f"app.kubernetes.io/name={NAME}", "--tail=20", check=False).stdout
        return any("cannot " + verb + " resource" in line and f'"{resource}"' in line for line in logs.splitlines())


if __name__ == "__main__":
    unittest.main()

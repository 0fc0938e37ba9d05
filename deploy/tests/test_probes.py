"""Probes of applications behind required client certificates: the injector rewrites them, and they show what the application says."""
import json
import unittest

from certificates import Authority
from cluster import await_that
from injector import annotated
from manifests import APP_PORT, application, config_map, pod
import test_injected

NAME = "spiffe://mesh.test/ns/shop/sa/web"
# Everything that reaches a port of the pod has to show a certificate, the kubelet included.
CONFIGURATION = """\
listeners:
  - name: inbound
    address: "0.0.0.0:15006"
    cluster: original
    tls:
      certificates: [{chain: /etc/remora-tls/tls.crt, key: /etc/remora-tls/tls.key}]
      client-certificates: required
      trust: /etc/remora-tls/ca.crt
  - name: outbound
    address: "0.0.0.0:15001"
    direction: outbound
    cluster: original
clusters:
  original:
    original-destination: {}
"""
TCP_PORT = 9002
HANDLERS = {"http": {"httpGet": {"path": "/healthz", "port": APP_PORT, "httpHeaders": [{"name": "Probe", "value": "kubelet"}]}},
            "tcp": {"tcpSocket": {"port": TCP_PORT}},
            "grpc": {"grpc": {"port": APP_PORT}}}


class Probes(test_injected.Captured):
    """One pod for each kind of probe, whose ports require client certificates."""

    def setUp(self):
        super().setUp()
        self.authority = Authority()
        self.addCleanup(self.authority.kept.cleanup)
        self.apply(config_map(CONFIGURATION, "strict"), self.authority.secret("web-tls", NAME))

    def with_probe(self, kind, name=None, **annotations):
        app = application("--tcp", f":{TCP_PORT}")
        app["readinessProbe"] = {**HANDLERS[kind], "periodSeconds": 1, "failureThreshold": 1}
        self.apply(annotated(pod(name or kind, self.spec(app)), config="strict", tls_secret="web-tls", **annotations))

    def say(self, kind, what):
        """Tells the application from inside its container, where no certificate is needed."""
        self.kubectl("exec", kind, "-c", "app", "--", "/app", "fetch", f"http://127.0.0.1:{APP_PORT}/{what}")

    def events_of(self, kind):
        """What the kubelet tells of the probes of the application."""
        of = f"involvedObject.name={kind},involvedObject.fieldPath=spec.containers{{app}},reason=Unhealthy"
        return self.kubectl("get", "events", "--field-selector", of, "-o", "jsonpath={.items[*].message}").stdout

    def test_each_kind_passes_and_shows_the_failure_of_the_application(self):
        for kind in HANDLERS:
            self.with_probe(kind)
        for kind in HANDLERS:
            with self.subTest(kind):
                self.ready(kind)
                made = self.get("pod", kind)
                self.assert_injected([made], capture=True)
                self.assertEqual("/app-health/app/readiness", made["spec"]["containers"][0]["readinessProbe"]["httpGet"]["path"])
                status, _ = self.cluster.http(f"http://{self.pod_address(kind)}:15020/app-health/app/readiness")
                self.assertEqual(200, status)
                # certificates are required indeed: neither plain HTTP nor TLS without one reaches the application
                self.assertEqual(400, self.cluster.http(f"http://{self.pod_address(kind)}:{APP_PORT}/healthz")[0])
                self.assertEqual(0, self.cluster.http(f"https://{self.pod_address(kind)}:{APP_PORT}/healthz")[0])
        for kind in HANDLERS:
            self.say(kind, "unhealthy")
        for kind in HANDLERS:
            with self.subTest(kind, state="unhealthy"):
                self.wait(f"pod/{kind}", "condition=Ready=false", seconds=30)
                status, text = self.cluster.http(f"http://{self.pod_address(kind)}:15020/app-health/app/readiness")
                self.assertNotEqual(200, status)
                print(f"{self._testMethodName}: {kind}: {status} {text.strip()!r}; {self.events_of(kind)!r}")
                ready = next(one["ready"] for one in self.get("pod", kind)["status"]["initContainerStatuses"] if one["name"] == "remora")
                self.assertTrue(ready, "the sidecar itself is ready")
            self.say(kind, "healthy")
        for kind in HANDLERS:
            with self.subTest(kind, state="healthy again"):
                self.wait(f"pod/{kind}", "condition=Ready", seconds=30)

    def test_probes_that_are_not_rewritten_fail(self):
        """Which is why they are rewritten: without it, the kubelet is a client without a certificate."""
        for kind in HANDLERS:
            self.with_probe(kind, f"direct-{kind}", probes="off")
        for kind in ("http", "grpc"):
            with self.subTest(kind):
                await_that("a failed probe", lambda kind=kind: self.events_of(f"direct-{kind}"))
                self.assertEqual("False", next(one["status"] for one in self.get("pod", f"direct-{kind}")["status"]["conditions"] if one["type"] == "Ready"))
        # a connection is all that a TCP probe asks for, and the sidecar accepts it: it says nothing about the application
        self.ready("direct-tcp")
        self.say("direct-tcp", "unhealthy")
        self.assertEqual("", self.events_of("direct-tcp"))

    def test_startup_and_liveness_are_rewritten_as_well(self):
        app = application("--tcp", f":{TCP_PORT}")
        app["startupProbe"] = {**HANDLERS["tcp"], "periodSeconds": 1, "failureThreshold": 60}
        app["readinessProbe"] = {**HANDLERS["grpc"], "periodSeconds": 1}
        app["livenessProbe"] = {**HANDLERS["http"], "periodSeconds": 1, "failureThreshold": 2}
        self.apply(annotated(pod("all", self.spec(app)), config="strict", tls_secret="web-tls"))
        self.ready("all")
        container = self.get("pod", "all")["spec"]["containers"][0]
        for word in ("startup", "readiness", "liveness"):
            self.assertEqual({"path": f"/app-health/app/{word}", "port": 15020, "scheme": "HTTP"}, container[f"{word}Probe"]["httpGet"])
        self.say("all", "unhealthy")
        # a liveness probe that fails twice restarts the application, which is healthy at first
        self.watch("pod", "all").until("a restart of the application", lambda pods: pods and any(
            one["name"] == "app" and one["restartCount"] == 1 for one in pods[0]["status"]["containerStatuses"]))
        self.ready("all")
        self.assertIn("Liveness probe failed", json.dumps(self.events_of("all")))


if __name__ == "__main__":
    unittest.main()

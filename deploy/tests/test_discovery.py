"""Endpoints out of EndpointSlices with the pod's own service account: its least rights, and a token that rotates."""
import json
import unittest

from cluster import ClusterTest, await_that, secret, without_each_right
from manifests import APP_PORT, application, config_map, deployment, pod, pod_spec, service

CONFIGURATION = """\
admin: {address: "127.0.0.1:9990"}
health: {address: "0.0.0.0:15020"}
listeners:
  - name: outbound
    address: "0.0.0.0:8080"
    direction: outbound
    cluster: web
clusters:
  web:
    resolver:
      pending-timeout: 2s
      kubernetes:
        service: web
        port: http
        watch-timeout: 5s
"""
ACCOUNT = "discoverer"
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "endpoints"}, "rules": [
    {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]}]}
BINDING = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "endpoints"},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "endpoints"},
           "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT}]}
# Where a pod's service account is found.
ACCOUNT_FILES = "/var/run/secrets/kubernetes.io/serviceaccount"


class Discovery(ClusterTest):
    """A sidecar that asks the API server for the pods of a Service."""

    def setUp(self):
        super().setUp()
        self.apply(config_map(CONFIGURATION), service("web", APP_PORT), deployment("web", pod_spec(application(), remora=False), replicas=1),
                   {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT}, "automountServiceAccountToken": False}, BINDING)
        self.rolled_out("deployment/web")

    def begin(self, spec, role=ROLE):
        self.apply(role, pod("front", spec))
        self.ready("front")
        self.url = f"http://{self.pod_address('front')}:8080/"

    def answers(self):
        return self.cluster.http(self.url)[0] == 200

    def scaled(self, replicas):
        """Whether all pods of the Service answer, so that the sidecar has seen the change."""
        self.kubectl("scale", "deployment/web", f"--replicas={replicas}")
        self.rolled_out("deployment/web")
        seen = set()
        await_that(f"{replicas} pods answer", lambda: seen.add(self.cluster.http(self.url)[1]) or len({one for one in seen if one.startswith("app ")}) == replicas)

    def clusters(self):
        return self.kubectl("exec", "front", "-c", "remora", "--", "/opt/remora/bin/remora", "get", "/clusters").stdout

    def test_least_rights_are_enough(self):
        self.begin(pod_spec(application(), account=ACCOUNT))
        await_that("an answer", self.answers)
        self.scaled(3)
        for verb, resource in (("get", "pods"), ("list", "pods"), ("get", "secrets"), ("list", "services"), ("create", "pods")):
            done = self.kubectl("auth", "can-i", verb, resource, f"--as=system:serviceaccount:{self.namespace}:{ACCOUNT}", check=False)
            self.assertEqual("no", done.stdout.strip(), f"{verb} {resource}")

    def test_each_right_is_needed(self):
        missed = {}
        for right, role in without_each_right(ROLE):
            with self.subTest(right):
                self.begin(pod_spec(application(), account=ACCOUNT), role)
                if right.startswith("list"):
                    await_that("the source fails", lambda: "403" in self.clusters() or "forbidden" in self.clusters().lower())
                    self.assertEqual(503, self.cluster.http(self.url)[0])
                else:
                    await_that("an answer", self.answers)
                    await_that("the watch is refused", lambda: "403" in self.clusters() or "forbidden" in self.clusters().lower())
                missed[right] = next((line for line in self.clusters().splitlines() if "403" in line or "orbidden" in line), "")
                self.kubectl("delete", "pod", "front", "--grace-period=1")
        print(f"{self._testMethodName}: {json.dumps(missed)}")
        self.assertEqual({"list endpointslices", "watch endpointslices"}, set(missed))

    def test_token_rotates(self):
        """The token is bound to a Secret: it ends when that is deleted, even if it has not expired."""
        self.apply(ROLE)
        self.bind("first")
        account = {"name": "account", "projected": {"defaultMode": 0o440, "sources": [
            {"secret": {"name": "token", "items": [{"key": "token", "path": "token"}]}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}}]}}
        spec = pod_spec(application(), volumes=[account])
        spec["initContainers"][0]["volumeMounts"].append({"name": "account", "mountPath": ACCOUNT_FILES, "readOnly": True})
        self.begin(spec)
        await_that("an answer", self.answers)
        old = self.token
        self.bind("second")
        await_that("the new token is mounted", lambda: self.mounted() == self.token)
        self.kubectl("delete", "secret", "first")
        await_that("the old token is refused", lambda: self.status_of(old) == 401)
        self.assertEqual(200, self.status_of(self.token))
        # a watch that was opened with the old token ends within its five seconds
        self.scaled(3)

    def bind(self, name):
        """Writes a new token into the Secret that the pod mounts."""
        self.apply(secret(name, {}))
        self.token = self.kubectl("create", "token", ACCOUNT, "--bound-object-kind", "Secret", "--bound-object-name", name).stdout.strip()
        self.apply(secret("token", {"token": self.token}))

    def mounted(self):
        pid = self.cluster.container_pid(self.cluster.container_id(self.namespace, "front", "remora"))
        return self.cluster.execute("cat", f"/proc/{pid}/root{ACCOUNT_FILES}/token").stdout.strip()

    def status_of(self, token):
        url = f"https://10.250.0.1:6443/apis/discovery.k8s.io/v1/namespaces/{self.namespace}/endpointslices"
        return self.cluster.http(url, "-H", f"Authorization: Bearer {token}")[0]


if __name__ == "__main__":
    unittest.main()

"""Two meshed services know each other by SPIFFE names; certificates rotate under load; who has none gets nothing."""
import tempfile
import unittest
from pathlib import Path

from certificates import Authority
from cluster import ClusterTest, await_that
from manifests import APP_PORT, application, config_map, deployment, pod, pod_spec, service, sidecar

BACK, FRONT = "spiffe://mesh.test/ns/shop/sa/back", "spiffe://mesh.test/ns/shop/sa/front"
TLS_PORT = 8443
HEAD = """\
admin: {address: "127.0.0.1:9990"}
health: {address: "0.0.0.0:15020"}
reload: {watch: true}
"""
INBOUND = HEAD + f"""\
listeners:
  - name: inbound
    address: "0.0.0.0:{TLS_PORT}"
    cluster: app
    headers: {{x-forwarded-client-cert: replace}}
    tls:
      certificates: [{{chain: /etc/remora-tls/tls.crt, key: /etc/remora-tls/tls.key}}]
      client-certificates: required
      trust: /etc/remora-tls/ca.crt
    require-identity: ["{FRONT}"]
clusters:
  app:
    endpoints: ["127.0.0.1:{APP_PORT}"]
"""
OUTBOUND = HEAD + f"""\
listeners:
  - name: outbound
    address: "0.0.0.0:8080"
    direction: outbound
    cluster: back
clusters:
  back:
    endpoints: ["SERVICE:80"]
    tls:
      trust: /etc/remora-tls/ca.crt
      peer-names: ["{BACK}"]
      certificate: {{chain: /etc/remora-tls/tls.crt, key: /etc/remora-tls/tls.key}}
"""


def meshed(secret, configuration, **more):
    """A pod's spec whose sidecar has a configuration and the certificates of a Secret."""
    remora = sidecar(mounts=[{"name": "tls", "mountPath": "/etc/remora-tls", "readOnly": True}])
    spec = pod_spec(application("--linger", "5s", sleep=5), remora=remora, volumes=[{"name": "tls", "secret": {"secretName": secret, "defaultMode": 0o440}}],
                    **more)
    next(volume for volume in spec["volumes"] if volume["name"] == "remora")["configMap"]["name"] = configuration
    return spec


def replace(path, text):
    """Replaces a file at once: a load that runs reads it for each new connection, and must not see half of it."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


class Mesh(ClusterTest):
    """A service behind required client certificates, three pods of it."""

    one_namespace = True

    def setUp(self):
        super().setUp()
        if not hasattr(type(self), "authority"):
            type(self).authority = Authority()
            self.apply(self.authority.secret("back-tls", BACK))
        self.apply(config_map(INBOUND, "back"), service("back", TLS_PORT),
                   deployment("back", meshed("back-tls", "back")))
        self.rolled_out("deployment/back")
        self.address = self.service_address("back")
        self.work = tempfile.TemporaryDirectory(prefix="mesh.")
        self.addCleanup(self.work.cleanup)
        _, pair = self.files(FRONT)
        await_that("an answer at the Service", lambda: self.cluster.http(f"https://{self.address}:80/", "--cert", pair)[0] == 200)

    def files(self, uri, authority=None):
        """Paths of a client's authority, and of its certificate with its key."""
        leaf = (authority or self.authority).leaf(uri)
        ca, pair = Path(self.work.name, "ca.pem"), Path(self.work.name, "pair.pem")
        replace(ca, self.authority.text("ca.crt"))
        replace(pair, leaf["tls.crt"] + leaf["tls.key"])
        return ca, pair

    def front(self, name, uri, back=None):
        """Starts a meshed client; returns its URL."""
        text = OUTBOUND.replace("SERVICE", self.address)
        self.apply(self.authority.secret(f"{name}-tls", uri), config_map(text.replace(BACK, back or BACK), name),
                   pod(name, meshed(f"{name}-tls", name)))
        self.ready(name)
        return f"http://{self.pod_address(name)}:8080/"

    def test_two_services_know_each_other_by_name(self):
        status, seen = self.cluster.http(self.front("front", FRONT) + "headers")
        self.assertEqual(200, status)
        self.assertIn(f"URI={FRONT}", seen, "the application sees who called")

    def test_service_of_another_name_is_refused(self):
        self.assertEqual(403, self.cluster.http(self.front("other", "spiffe://mesh.test/ns/shop/sa/other"))[0])

    def test_endpoint_of_another_name_gets_no_request(self):
        status, _ = self.cluster.http(self.front("strict", FRONT, back="spiffe://mesh.test/ns/shop/sa/else"))
        self.assertEqual(502, status)

    def test_client_without_a_certificate_gets_nothing(self):
        url = f"https://{self.address}:80/"
        ca, pair = self.files(FRONT)
        self.assertEqual(200, self.cluster.http(url, "--cert", pair)[0], "the same client with a certificate")
        self.assertEqual(0, self.cluster.http(url)[0])
        self.assertEqual(0, self.cluster.http(url, "--cert", self.files(FRONT, Authority("mesh"))[1])[0], "of a namesake of the authority")
        self.assertEqual(400, self.cluster.http(f"http://{self.address}:80/")[0], "plain HTTP")

    def test_kubelet_probes_pass_under_required_certificates(self):
        for one in self.pods("app=back"):
            self.assertEqual("True", next(c["status"] for c in one["status"]["conditions"] if c["type"] == "Ready"))

    def test_rotation_of_certificates_loses_no_request(self):
        ca, pair = self.files(FRONT)
        back = self.pods("app=back")
        before = {self.serial(one, pair) for one in back}
        self.assertEqual(1, len(before))
        # as many kept connections as requests may be under way: with fewer, each pause makes requests open connections, whose handshakes prolong it
        steady = self.load(f"https://{self.address}:80/", "--rps", "300", "--fresh", "0.1", "--connections", "100", "--ca", ca, "--certificate", pair)
        steady.await_requests(300)
        self.apply(self.authority.secret("back-tls", BACK))
        # one pod after the other, as each look starts two programs on the cores of the load
        for one in back:
            await_that("a new certificate at a pod", lambda: (now := self.serial(one, pair)) and now not in before, every=2)
        self.files(FRONT)
        steady.await_requests(600)
        self.assert_clean(steady)
        self.assert_held(steady)

    def serial(self, of, pair):
        """Serial number of the certificate that a pod serves."""
        address = f"{of['status']['podIP']}:{TLS_PORT}"
        done = self.cluster.execute("sh", "-c", 'openssl s_client -connect "$1" -cert "$2" 2>/dev/null | openssl x509 -noout -serial', "serial", address, pair)
        return done.stdout.strip()


if __name__ == "__main__":
    unittest.main()

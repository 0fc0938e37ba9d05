"""A cluster whose nodes, pods and Services have IPv4 and IPv6 addresses, and pods with IPv6 alone. It starts one of its own, by a changed copy of the program."""
import atexit
import json
import signal
import sys
import unittest

from cluster import TOOL, Cluster, await_that
from injector import InjectorTest, annotated
from manifests import APP_PORT, application, config_map, deployment, pod, service
from test_injected import LISTS_ENDPOINTS, bare

# Texts of the program for one family, and their replacements for two.
CHANGES = {
    'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)': f"here={TOOL.resolve().parent}",
    '"$here/cluster"': '"$(readlink -f "${BASH_SOURCE[0]}")"',
    "ip addr add 10.250.0.1/24 dev node0;": "ip addr add 10.250.0.1/24 dev node0; ip -6 addr add fd00:250::1/64 dev node0 nodad;",
    "ip route add default dev node0": "ip route add default dev node0; ip -6 route add default dev node0",
    "echo 1 >/proc/sys/net/ipv4/ip_forward": "echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding",
    "--node-ip=10.250.0.1": "--node-ip=10.250.0.1,fd00:250::1",
    "--service-cluster-ip-range=10.96.0.0/16": "--service-cluster-ip-range=10.96.0.0/16,fd00:96::/108",
    '[[{"subnet": "10.244.0.0/24"}]]': '[[{"subnet": "10.244.0.0/24"}], [{"subnet": "fd00:244::/64"}]]',
    '[{"dst": "0.0.0.0/0"}]': '[{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]',
    "clusterCIDR: 10.244.0.0/16": "clusterCIDR: 10.244.0.0/16,fd00:244::/56",
}
BOTH = """\
reload: {watch: true}
listeners:
  - name: inbound
    address: "[::]:8080"
    cluster: app
clusters:
  app:
    endpoints: ["127.0.0.1:8081"]
"""
DISCOVERS = """\
listeners:
  - name: outbound
    address: "[::]:8080"
    direction: outbound
    cluster: web
clusters:
  web:
    resolver:
      kubernetes: {service: SERVICE, port: http}
"""


class TwoFamilies(Cluster):
    """A cluster of two families."""

    def __init__(self):
        text = TOOL.read_text()
        unknown = [one for one in CHANGES if one not in text]
        if unknown:
            raise unittest.SkipTest(f"{TOOL} has nothing to change for two families: {unknown}")
        super().__init__()
        for one, two in CHANGES.items():
            text = text.replace(one, two)
        self.tool = self.directory / "cluster-of-two"
        self.tool.write_text(text)
        self.tool.chmod(0o755)


class DualStack(InjectorTest):
    """Injected pods, whose Services have one family or both."""

    @classmethod
    def its_cluster(cls):
        started = TwoFamilies()
        # so that a run that is cut stops its cluster as well
        atexit.register(started.stop)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        # behind the removal of the injector, which is of the module as well
        unittest.addModuleCleanup(started.stop)
        return started.start()

    def setUp(self):
        super().setUp()
        self.apply(config_map(BOTH, "both"), annotated(deployment("web", bare(application()), replicas=2), config="both"))
        for name, policy, families in (("web", "RequireDualStack", ["IPv4", "IPv6"]), ("web4", "SingleStack", ["IPv4"]), ("web6", "SingleStack", ["IPv6"])):
            one = service(name)
            one["spec"].update({"ipFamilyPolicy": policy, "ipFamilies": families, "selector": {"app": "web"}})
            self.apply(one)
        self.rolled_out("deployment/web")

    @staticmethod
    def url(address, port=80):
        return f"http://[{address}]:{port}/" if ":" in address else f"http://{address}:{port}/"

    def assert_answers(self, address, port=80):
        await_that(f"an answer at {address}", lambda: self.cluster.http(self.url(address, port), "-g")[0] == 200)

    def test_injected_pods_are_served_at_both_addresses_and_by_each_service(self):
        self.assert_injected(self.pods("app=web"))
        for one in self.pods("app=web"):
            addresses = [each["ip"] for each in one["status"]["podIPs"]]
            self.assertEqual([False, True], [":" in each for each in addresses])
            for address in addresses:
                self.assert_answers(address, 8080)
                self.assertEqual(200, self.cluster.http(self.url(address, 15020) + "ready", "-g")[0])
        for name, families in (("web", 2), ("web4", 1), ("web6", 1)):
            addresses = self.get("service", name)["spec"]["clusterIPs"]
            self.assertEqual(families, len(addresses))
            for address in addresses:
                self.assert_answers(address)

    def test_injector_has_both_addresses(self):
        """The registration names its Service, of which the API server takes one address."""
        found = self.cluster.get("service", "remora-injector", "-n", "remora-system")["spec"]
        self.assertEqual(["IPv4", "IPv6"], found["ipFamilies"])

    def test_discovery_takes_the_endpoints_of_each_family(self):
        self.apply(*LISTS_ENDPOINTS)
        addresses = {":" in each["ip"]: set() for one in self.pods("app=web") for each in one["status"]["podIPs"]}
        for one in self.pods("app=web"):
            for each in one["status"]["podIPs"]:
                addresses[":" in each["ip"]].add(each["ip"])
        # with both, IPv4 alone is used: each pod is one endpoint
        for name, six in (("web", False), ("web4", False), ("web6", True)):
            with self.subTest(name):
                front = f"front-{name}"
                self.apply(config_map(DISCOVERS.replace("SERVICE", name), front))
                self.apply(annotated(pod(front, bare(application(), automountServiceAccountToken=True)), config=front, discovery_token="true"))
                self.ready(front)
                self.assert_answers(self.pod_address(front), 8080)
                page = self.kubectl("exec", front, "-c", "remora", "--", "remora", "get", "/clusters").stdout
                self.assertIn("known=2", page)
                for address in addresses[six]:
                    self.assertIn(address if not six else address.rpartition(":")[2], page)
                for address in addresses[not six]:
                    self.assertNotIn(f"{address}:{APP_PORT}", page)

    def test_pod_with_ipv6_alone_is_ready_and_serves(self):
        listed = self.cluster.directory / "cni/10-pods.conflist"
        before = listed.read_text()
        plugins = json.loads(before)
        ipam = plugins["plugins"][0]["ipam"]
        ipam["ranges"], ipam["routes"] = ipam["ranges"][1:], ipam["routes"][1:]
        self.addCleanup(listed.write_text, before)
        listed.write_text(json.dumps(plugins))
        made = pod("six", bare(application()))
        made["metadata"]["labels"]["family"] = "six"
        only = service("six")
        only["spec"].update({"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv6"]})
        self.apply(only, annotated(made, config="both", probes="rewrite"))
        self.ready("six")
        made = self.get("pod", "six")
        self.assert_injected([made])
        self.assertEqual([True], [":" in each["ip"] for each in made["status"]["podIPs"]])
        self.assert_answers(made["status"]["podIP"], 8080)
        self.assert_answers(self.service_address("six"))
        for page in ("ready", "app-health/app/readiness"):
            self.assertEqual(200, self.cluster.http(self.url(made["status"]["podIP"], 15020) + page, "-g")[0])


if __name__ == "__main__":
    unittest.main()

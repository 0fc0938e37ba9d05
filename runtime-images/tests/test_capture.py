"""remora-capture in network namespaces of its own: the rules against those of scripts/capture, traffic, the proof, the CNI plugin and its installer."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SIDECAR, OTHER = 65532, 4711
# Answers each connection with its own port and the destination that the client meant.
SERVER = """
import socket, struct, sys, threading
def serve(port):
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        sys.stdout.write("%d " % port)
        sys.stdout.flush()
        while True:
            connection, peer = listener.accept()
            with connection:
                level, option, size = (0, 80, 16) if peer[0].startswith("::ffff:") else (41, 80, 28)
                try:
                    original = connection.getsockopt(level, option, size)
                    meant = struct.unpack("!H", original[2:4])[0]
                    address = socket.inet_ntop(*(socket.AF_INET, original[4:8]) if level == 0 else (socket.AF_INET6, original[8:24]))
                except OSError:
                    address, meant = "-", 0
                connection.sendall(b"at %d for %s %d" % (port, address.encode(), meant))
for port in sys.argv[1:]:
    threading.Thread(target=serve, args=(int(port),)).start()
"""
CLIENT = "import socket, sys\nwith socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as c: print(c.recv(99).decode(), end='')"
ANNOTATIONS = "io.kubernetes.cri.pod-annotations"
ENTRY = {"type": "remora-cni", "capabilities": {ANNOTATIONS: True}}
LIST = {"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "ptp", "ipam": {"ranges": [[{"subnet": "10.0.0.0/24"}]]}}, {"type": "portmap"}]}


def run(*command, check=False, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def await_that(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.001)


def setUpModule():
    """The program twice: as it is shipped, and with a sanitizer, which the tests run wherever they can."""
    global work, shipped, program
    work = Path(tempfile.mkdtemp(prefix="capture."))
    unittest.addModuleCleanup(shutil.rmtree, work)
    work.chmod(0o755)
    shipped, program = work / "remora-capture", work / "checked"
    build = REPOSITORY / "runtime-images/capture/build"
    run(build, shipped, check=True)
    run(build, program, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", check=True, env={**os.environ, "LIBC": "host"})


class CommandLineTest(unittest.TestCase):
    def refused(self, words, *problems):
        done = run(program, *words.split())
        self.assertEqual((done.returncode, done.stdout), (64, ""), done.stderr)
        for problem in problems:
            self.assertIn(problem, done.stderr)

    def test_is_judged(self):
        for words, problem in {
                "": "usage", "over": "usage", "up": "--uid is missing", "up --uid 0 --inbound 1": "--uid is '0'", "up --uid 1": "neither",
                "up --uid 1 --inbound 70000": "--inbound is '70000', expected a number from 1 to 65535",
                "up --uid 1 --inbound 1 --outbound 1": "both 1", "up --uid 1 --inbound": "needs a value", "down --uid 1": "unknown argument",
                "up --uid 1 --inbound 1 --skip-inbound 1,,2": "--skip-inbound is ''", "up --uid 1 --inbound 1 --inbound-ports 08": "'08'",
                "up --uid 1 --outbound 1 --skip-outbound-addresses 10.0.0.1/8": "has bits after its prefix",
                "up --uid 1 --outbound 1 --skip-outbound-addresses 10.0.0.0/33": "expected a number from 1 to 32",
                "up --uid 1 --outbound 1 --skip-outbound-addresses ::/0": "'0'", "up --uid 1 --outbound 1 --skip-outbound-addresses host": "'host'",
                "up --uid 1 --outbound 1 --skip-outbound " + ",".join(map(str, range(1, 66))): "more than 64 ports",
                "verify --inbound 1": "--outbound is missing", "verify --outbound 1 --timeout 0": "--timeout", "install": "--cni-bin and --cni-conf",
        }.items():
            with self.subTest(words=words):
                self.refused(words, problem)

    def test_has_help(self):
        done = run(shipped, "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("remora-capture verify", done.stdout)

    @unittest.skipUnless(Path("/usr/lib/x86_64-linux-musl/rcrt1.o").exists() or shutil.which("musl-gcc"), "no musl-tools")
    def test_is_small_and_needs_no_library(self):
        self.assertLess(shipped.stat().st_size, 200_000)
        told = run("readelf", "-dlW", shipped, check=True).stdout
        self.assertNotIn("INTERP", told)
        self.assertNotIn("NEEDED", told)
        self.assertRegex(told, "GNU_STACK .* RW ")


@unittest.skipUnless(os.geteuid() == 0, "needs root, to make network namespaces")
@unittest.skipUnless(all(map(shutil.which, ("ip", "nft", "setpriv"))), "needs ip, nft and setpriv (Debian: iproute2, nftables, util-linux)")
class NamespaceTest(unittest.TestCase):
    """Two namespaces with a cable between them: "inside" is the pod, "outside" its peers."""

    maxDiff = None

    def setUp(self):
        self.inside, self.outside = f"cap-in-{os.getpid()}", f"cap-out-{os.getpid()}"
        for namespace in (self.inside, self.outside):
            if run("ip", "netns", "add", namespace).returncode != 0:
                self.skipTest("no right to make a network namespace")
            self.addCleanup(run, "ip", "netns", "delete", namespace)
        run("ip", "link", "add", "eth0", "netns", self.inside, "type", "veth", "peer", "name", "eth0", "netns", self.outside, check=True)
        for number, namespace in enumerate((self.inside, self.outside), 1):
            for words in ("link set lo up", f"address add 10.9.0.{number}/24 dev eth0", f"address add fd09::{number}/64 dev eth0 nodad", "link set eth0 up"):
                run("ip", "-n", namespace, *words.split(), check=True)
        if self.within(REPOSITORY / "scripts/capture", "up", "--uid", SIDECAR, "--inbound", 15006).returncode == 69:
            self.skipTest("the kernel has no rules for that")
        self.within(REPOSITORY / "scripts/capture", "down", check=True)

    def within(self, *command, namespace=None, uid=0, **options):
        user = [] if uid == 0 else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--bounding-set=-all", "--no-new-privs"]
        return run("ip", "netns", "exec", namespace or self.inside, *user, *command, **options)

    def capture(self, words, uid=0):
        return self.within(program, *words.split(), uid=uid)

    def up(self, words=""):
        done = self.capture(f"up --uid {SIDECAR} {words}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.rules()

    def rules(self):
        return self.within("nft", "list", "ruleset", check=True).stdout

    def serve(self, namespace, *ports):
        server = subprocess.Popen(["ip", "netns", "exec", namespace, sys.executable, "-c", SERVER, *map(str, ports)], stdout=subprocess.PIPE, text=True)

        def end():
            server.kill()
            server.wait()
            server.stdout.close()
        self.addCleanup(end)
        for _ in ports:
            while server.stdout.read(1).strip():
                pass

    def connect(self, address, port, namespace=None, uid=0):
        return self.within(sys.executable, "-c", CLIENT, address, port, namespace=namespace, uid=uid, check=True).stdout


class RulesTest(NamespaceTest):
    def test_are_those_of_the_script(self):
        for words in ("--inbound 15006 --outbound 15001", "--inbound 15006", "--outbound 15001"):
            with self.subTest(words=words):
                self.within(REPOSITORY / "scripts/capture", "up", "--uid", SIDECAR, *words.split(), "--except", "15020,9901", check=True)
                expected = self.rules()
                self.within(REPOSITORY / "scripts/capture", "down", check=True)
                self.assertEqual(self.rules(), "")
                self.assertEqual(self.up(f"{words} --skip-inbound 9901 --skip-outbound 9901,15020"), expected)
                self.assertIn("redirect to", expected)
                self.assertEqual(self.up(f"{words} --skip-inbound 9901 --skip-outbound 9901,15020"), expected, "a second time")

    def test_name_ports_and_addresses(self):
        rules = self.up("--inbound 15006 --outbound 15001 --inbound-ports 80,443,80 --skip-inbound 9 --skip-outbound 25 --skip-outbound-addresses "
                        "10.96.0.0/12,192.168.1.1,fd00::/8,2001:db8::/33,fd09::5")
        for rule in ("tcp dport { 9, 15001, 15006, 15020 } accept", "tcp dport != { 80, 443 } accept", "tcp dport { 25, 15001, 15006 } accept",
                     "ip daddr 10.96.0.0/12 accept", "ip daddr 192.168.1.1 accept", "ip6 daddr fd00::/8 accept", "ip6 daddr 2001:db8::/33 accept",
                     "ip6 daddr fd09::5 accept"):
            self.assertEqual(rules.count(rule), 1, f"{rule} in {rules}")

    def test_are_as_many_as_may_be(self):
        networks = ",".join(f"2001:db8:{i:x}::/46" for i in range(0, 256, 4))
        ports = list(range(1, 65))
        text = ",".join(map(str, ports))
        rules = self.up(f"--inbound 15006 --outbound 15001 --inbound-ports {text} --skip-inbound {text} --skip-outbound {text} "
                        f"--skip-outbound-addresses {networks}")
        self.assertEqual(rules.count("ip6 daddr 2001:db8:"), 64)
        # the sidecar's own ports do not count
        sets = [[int(port) for port in one.replace(",", " ").split()] for one in re.findall(r"tcp dport (?:!= )?{([^}]*)} accept", rules)]
        self.assertEqual(sets, [[*ports, 15001, 15006, 15020], ports, [*ports, 15001, 15006]])

    def test_are_left_as_they_were_where_the_kernel_refuses(self):
        rules = self.up("--outbound 15001")
        refused = self.capture(f"up --uid {SIDECAR} --outbound 15002", uid=OTHER)
        self.assertEqual(refused.returncode, 69)
        self.assertIn("NET_ADMIN", refused.stderr)
        self.assertEqual(self.capture("down", uid=OTHER).returncode, 69)
        self.assertEqual(self.rules(), rules)

    def test_go_without_a_trace(self):
        self.within("nft", "add", "table", "inet", "another", check=True)
        before = self.rules()
        self.up("--inbound 15006 --outbound 15001")
        for _ in range(2):
            self.assertEqual(self.capture("down").returncode, 0)
            self.assertEqual(self.rules(), before)

    def test_redirect_what_goes_out(self):
        self.serve(self.outside, 80, 81, 15020)
        self.serve(self.inside, 15001)
        self.up("--inbound 15006 --outbound 15001 --skip-outbound 81")
        for address in ("10.9.0.2", "fd09::2"):
            with self.subTest(address=address):
                self.assertEqual(self.connect(address, 80), f"at 15001 for {address} 80")
                self.assertEqual(self.connect(address, 15020), f"at 15001 for {address} 15020", "the health port of another pod")
                self.assertTrue(self.connect(address, 81).startswith("at 81 "), "a port that is skipped")
                self.assertTrue(self.connect(address, 80, uid=SIDECAR).startswith("at 80 "), "the sidecar")
        self.up("--outbound 15001 --skip-outbound-addresses 10.9.0.0/24,fd09::2")
        for address in ("10.9.0.2", "fd09::2"):
            self.assertTrue(self.connect(address, 80).startswith("at 80 "), "an address that is skipped")

    def test_redirect_what_comes_in(self):
        self.serve(self.inside, 80, 81, 82, 15006, 15020)
        self.up("--inbound 15006 --skip-inbound 81")
        for address in ("10.9.0.1", "fd09::1"):
            with self.subTest(address=address):
                self.assertEqual(self.connect(address, 80, self.outside), f"at 15006 for {address} 80")
                self.assertTrue(self.connect(address, 81, self.outside).startswith("at 81 "), "a port that is skipped")
                self.assertTrue(self.connect(address, 15020, self.outside).startswith("at 15020 "), "the health port")
                self.assertTrue(self.connect(address, 80).startswith("at 80 "), "from inside")
        self.up("--inbound 15006 --inbound-ports 82")
        for address in ("10.9.0.1", "fd09::1"):
            self.assertEqual(self.connect(address, 82, self.outside), f"at 15006 for {address} 82")
            self.assertTrue(self.connect(address, 80, self.outside).startswith("at 80 "), "a port that is not named")


class VerifyTest(NamespaceTest):
    BOTH = "--outbound 15001 --inbound 15006"

    def verify(self, words=BOTH, uid=OTHER):
        """For failures: they take the whole time."""
        done = self.capture(f"verify {words} --timeout 1", uid=uid)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def passes(self, words=BOTH):
        done = self.capture(f"verify {words} --timeout 20", uid=OTHER)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_passes_as_a_user_without_rights(self):
        self.up(self.BOTH)
        for _ in range(3):
            self.passes()
        # the port is free again
        self.serve(self.inside, 15001)

    def test_passes_with_a_default_route(self):
        run("ip", "-n", self.inside, "route", "add", "default", "via", "10.9.0.2", check=True)
        run("ip", "-n", self.inside, "route", "add", "default", "via", "fd09::2", check=True)
        self.up(self.BOTH)
        self.passes()

    def test_passes_with_one_address_family(self):
        self.up(self.BOTH)
        run("ip", "-n", self.inside, "address", "del", "fd09::1/64", "dev", "eth0", check=True)
        self.passes()
        run("ip", "-n", self.inside, "address", "add", "fd09::1/64", "dev", "eth0", "nodad", check=True)
        run("ip", "-n", self.inside, "address", "del", "10.9.0.1/24", "dev", "eth0", check=True)
        self.passes()
        run("ip", "-n", self.inside, "address", "del", "fd09::1/64", "dev", "eth0", check=True)
        status, problem = self.verify()
        self.assertEqual(status, 1)
        self.assertIn("no address outside", problem)

    def test_passes_with_a_route_that_nobody_can_use(self):
        run("ip", "-n", self.inside, "address", "del", "fd09::1/64", "dev", "eth0", check=True)
        run("ip", "-n", self.inside, "-6", "route", "add", "default", "dev", "eth0", check=True)
        await_that("a link-local address", lambda: "tentative" not in run("ip", "-n", self.inside, "-6", "address", "show", "dev", "eth0").stdout)
        self.up(self.BOTH)
        self.passes()

    def test_knows_what_is_skipped(self):
        words = f"{self.BOTH} --skip-outbound 9,10 --skip-outbound-addresses 192.0.2.0/24"
        self.up(words)
        self.passes(words)
        status, problem = self.verify()
        self.assertEqual(status, 1)
        self.assertIn("port 9 was not captured", problem)

    def test_fails_without_rules(self):
        began = time.monotonic()
        status, problem = self.verify()
        self.assertEqual(status, 1)
        self.assertIn("the rules for IPv4 are not set in this network namespace", problem)
        self.assertLess(time.monotonic() - began, 5)

    def test_fails_without_the_rules_of_one_family(self):
        for family, name in (("ipv4", "IPv4"), ("ipv6", "IPv6")):
            self.up(self.BOTH)
            self.within("nft", "insert", "rule", "inet", "remora_capture", "outbound", "meta", "nfproto", family, "accept", check=True)
            status, problem = self.verify()
            self.assertEqual(status, 1, family)
            self.assertIn(f"the rules for {name}", problem)

    def test_fails_where_another_host_answers(self):
        """What is accepted elsewhere proves nothing."""
        self.serve(self.outside, 9)
        run("ip", "-n", self.outside, "address", "add", "10.9.0.3/24", "dev", "eth0", check=True)
        self.assertEqual(self.verify()[0], 1)

    def test_fails_without_the_inbound_chain(self):
        self.up("--outbound 15001")
        self.passes("--outbound 15001")
        status, problem = self.verify()
        self.assertEqual(status, 1)
        self.assertIn("no inbound port 15006", problem)

    def test_fails_as_the_sidecars_user(self):
        self.up(self.BOTH)
        status, problem = self.verify(uid=SIDECAR)
        self.assertEqual(status, 1)
        self.assertIn(f"leave the user {SIDECAR} alone", problem)

    def test_fails_where_the_sidecar_runs(self):
        self.up(self.BOTH)
        self.serve(self.inside, 15001)
        status, problem = self.verify()
        self.assertEqual(status, 1)
        self.assertIn("port 15001", problem)


class PluginTest(NamespaceTest):
    def setUp(self):
        super().setUp()
        self.plugin = work / "remora-cni"
        if not self.plugin.exists():
            self.plugin.symlink_to(program)

    def call(self, command, annotations=None, text=None, version="1.0.0", namespace=None, **members):
        config = {"cniVersion": version, "name": "pods", "type": "remora-cni", "prevResult": {"cniVersion": version, "ips": [{"address": "10.9.0.1/24"}]}, **members}
        if annotations is not None:
            config["runtimeConfig"] = {ANNOTATIONS: annotations}
        variables = {"CNI_COMMAND": command, "CNI_CONTAINERID": "one", "CNI_IFNAME": "eth0", "CNI_PATH": str(work),
                     "CNI_NETNS": f"/run/netns/{self.inside}" if namespace is None else namespace}
        return run(self.plugin, input=json.dumps(config) if text is None else text, env={**os.environ, **variables})

    def passes(self, *arguments, **options):
        done = self.call(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads(done.stdout) if done.stdout else None

    def fails(self, code, problem, *arguments, **options):
        done = self.call(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        told = json.loads(done.stdout)
        self.assertEqual(set(told), {"cniVersion", "code", "msg", "details"})
        self.assertEqual(told["code"], code, told)
        self.assertIn(problem, told["msg"] + " " + told["details"])

    def test_sets_checks_and_removes(self):
        annotations = {"remora.io/capture": "cni", "remora.io/skip-outbound-ports": "25, 26", "remora.io/inbound-ports": "80", "another": "{\"<\\/é\n"}
        for version in ("0.3.1", "0.4.0", "1.0.0", "1.1.0"):
            with self.subTest(version=version):
                result = self.passes("ADD", annotations, version=version)
                self.assertEqual(result, {"cniVersion": version, "ips": [{"address": "10.9.0.1/24"}]})
                rules = self.rules()
                for rule in ("tcp dport { 25, 26, 15001, 15006 } accept", "tcp dport != { 80 } accept", "meta skuid 65532 accept",
                             "redirect to :15006", "redirect to :15001"):
                    self.assertIn(rule, rules.replace("tcp dport != 80 accept", "tcp dport != { 80 } accept"))
                self.assertEqual(self.capture("verify --outbound 15001 --inbound 15006", uid=OTHER).returncode, 0)
                if version != "0.3.1":
                    self.assertIsNone(self.passes("CHECK", annotations, version=version))
                    self.within("nft", "add", "rule", "inet", "remora_capture", "outbound", "accept", check=True)
                    self.fails(100, "chain outbound has 7 rules, expected 6", "CHECK", annotations, version=version)
                self.assertIsNone(self.passes("DEL", annotations, version=version))
                self.assertEqual(self.rules(), "")
                self.assertIsNone(self.passes("DEL", annotations, version=version), "a second time")
        self.fails(100, "there are no rules inbound", "CHECK", annotations)

    def test_sets_the_rules_of_the_program(self):
        self.passes("ADD", {"remora.io/capture": "cni"}, uid=1234, inbound=4000, outbound=4001)
        by_plugin = self.rules()
        self.capture("up --uid 1234 --inbound 4000 --outbound 4001")
        self.assertEqual(self.rules(), by_plugin)

    def test_captures_with_any_other_wish_for_injection(self):
        for wish in ("true", "", "False"):
            with self.subTest(wish=wish):
                annotations = {"remora.io/capture": "cni", "remora.io/inject": wish}
                self.passes("ADD", annotations)
                self.assertIn("redirect to :15006", self.rules())
                self.passes("DEL", annotations)
        self.fails(7, "remora.io/inject is no text", "ADD", {"remora.io/capture": "cni", "remora.io/inject": "false\0"})

    def test_leaves_other_pods_alone(self):
        for annotations in (None, {}, {"remora.io/capture": "off"}, {"remora.io/capture": "init"}, {"remora.io/captures": "cni"},
                            {"remora.io/capture": "cni", "remora.io/inject": "false"}, {"remora.io/capture": "on", "remora.io/inject": "false"}):
            with self.subTest(annotations=annotations):
                for namespace in (None, "", "/nonexistent"):
                    self.assertEqual(self.passes("ADD", annotations, namespace=namespace)["ips"], [{"address": "10.9.0.1/24"}])
                self.passes("CHECK", annotations)
                self.passes("DEL", annotations)
                self.assertEqual(self.rules(), "")

    def test_refuses_what_it_cannot_do(self):
        cni = {"remora.io/capture": "cni"}
        self.fails(7, "remora.io/capture is 'on', expected off, init or cni", "ADD", {"remora.io/capture": "on"})
        self.fails(7, "remora.io/skip-inbound-ports is 'x'", "ADD", {**cni, "remora.io/skip-inbound-ports": "x"})
        self.fails(7, "remora.io/skip-outbound-addresses is '99x\"'", "ADD", {**cni, "remora.io/skip-outbound-addresses": "10.0.0.0/99x\""})
        self.fails(7, "remora.io/inbound-ports is no text", "ADD", {**cni, "remora.io/inbound-ports": "1," * 4096})
        self.fails(7, "remora.io/capture is no text", "ADD", {"remora.io/capture": "cni\0"})
        self.fails(7, "inbound is '0'", "ADD", cni, inbound=0)
        self.fails(7, "there is no prevResult", "ADD", cni, prevResult=None)
        self.fails(100, "No such file", "ADD", cni, namespace="/run/netns/nonexistent")
        self.fails(100, "cannot be entered", "ADD", cni, namespace="/etc/passwd")
        self.fails(4, "CNI_NETNS", "ADD", cni, namespace="")
        self.fails(4, "CNI_COMMAND is unknown", "MOVE", cni)
        self.fails(4, "CNI_COMMAND is unknown", "STATUS", cni)
        self.fails(4, "CNI_COMMAND is unknown", "CHECK", cni, version="0.3.1")
        self.fails(1, "not supported", "ADD", cni, version="0.2.0")
        for text in ("", "{", "[]", "{} {}", '{"a":01}', '{"a":"\n"}', '{"a":"\\x"}', '{"a":"\\u00g0"}', "[" * 100_000, '{"a":' * 40 + "1" + "}" * 40):
            self.fails(6, "no JSON object", "ADD", text=text)
        self.fails(5, "too long", "ADD", text=" " * 3_000_000)
        self.assertEqual(self.rules(), "")

    def test_lets_pods_go(self):
        """A deletion that fails would keep a pod for ever."""
        for annotations in ({"remora.io/capture": "cni"}, {"remora.io/capture": "on"}):
            for namespace in ("", "/run/netns/nonexistent"):
                self.assertIsNone(self.passes("DEL", annotations, namespace=namespace, prevResult=None))

    def test_says_its_versions(self):
        for text in ('{"cniVersion":"0.4.0"}', '{"cniVersion":"9.9.9"}', ""):
            told = self.passes("VERSION", text=text)
            self.assertEqual(told["supportedVersions"], ["0.3.1", "0.4.0", "1.0.0", "1.1.0"])
        self.assertIsNone(self.passes("STATUS", version="1.1.0"))
        self.assertIsNone(self.passes("GC", version="1.1.0"))

    def test_completes_a_result(self):
        for result in ("{}", "{ }", '{"a":[1,{}]}'):
            told = self.passes("ADD", text='{"cniVersion":"0.4.0","prevResult":%s}' % result)
            self.assertEqual(told, {**json.loads(result), "cniVersion": "0.4.0"})

    def test_takes_any_input(self):
        """Bytes changed, cut and repeated at random: an answer each time, and nothing for the sanitizer."""
        seed = random.randrange(2 ** 32)
        chance = random.Random(seed)
        good = json.dumps({"cniVersion": "1.0.0", "prevResult": {"cniVersion": "1.0.0", "ips": [1.5e3, -0, True, None]},
                           "runtimeConfig": {ANNOTATIONS: {"remora.io/capture": "cni", "remora.io/skip-outbound-addresses": "10.0.0.0/8,fd00::/8",
                                                           "remora.io/inbound-ports": "80, 81", "é\"\\": "\u2028\ud83d\ude00"}}}).encode()
        for number in range(300):
            text = bytearray(good)
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(text))
                match chance.randrange(4):
                    case 0: text[at] = chance.randrange(256)
                    case 1: del text[at:at + chance.randrange(20)]
                    case 2: text[at:at] = text[at:at + chance.randrange(60)]
                    case _: text[at] = chance.choice(b'{}[]",:\\u0')
            done = subprocess.run([self.plugin], input=bytes(text), capture_output=True, timeout=30,
                                  env={**os.environ, "CNI_COMMAND": "ADD", "CNI_NETNS": f"/run/netns/{self.inside}"})
            with self.subTest(seed=seed, number=number, text=bytes(text)):
                self.assertEqual(done.stderr, b"")
                self.assertIn(done.returncode, (0, 1))
                if done.returncode == 1:
                    self.assertIn("code", json.loads(done.stdout))


class InstallerTest(unittest.TestCase):
    def setUp(self):
        self.programs, self.lists = (Path(tempfile.mkdtemp(dir=work)) for _ in range(2))
        self.words = ["--cni-bin", self.programs, "--cni-conf", self.lists]
        self.file = self.lists / "10-pods.conflist"

    def write(self, text, file=None):
        """As a CNI's own installer does: a new file replaces the old one."""
        new = self.lists / "new"
        new.write_text(text)
        new.replace(file or self.file)

    def start(self):
        log = tempfile.TemporaryFile("w+", dir=work)
        installer = subprocess.Popen([program, "install", *self.words], stderr=log)

        def end():
            installer.kill()
            installer.wait()
            log.close()
        self.addCleanup(end)
        installer.told = lambda: (log.seek(0), log.read())[1]
        return installer

    def stop(self, installer):
        installer.send_signal(signal.SIGTERM)
        self.assertEqual(installer.wait(20), 0, installer.told())

    def uninstall(self):
        self.assertEqual(run(program, "uninstall", *self.words, check=True).stderr, "")
        self.assertEqual(list(self.programs.iterdir()), [])
        self.assertFalse(self.is_installed())

    def is_installed(self):
        return run(program, "installed", *self.words).returncode == 0

    def plugins(self, file=None):
        return json.loads((file or self.file).read_text())["plugins"]

    def test_stays_when_its_installer_ends(self):
        """A node that restarts starts pods before the installer, and the plugin has to capture them."""
        self.write(json.dumps(LIST))
        installer = self.start()
        await_that("an entry", self.is_installed)
        self.stop(installer)
        self.assertIn("the installer ends; leaving the plugin in place", installer.told())
        self.assertTrue(self.is_installed())
        self.assertEqual(self.plugins(), [*LIST["plugins"], ENTRY])
        self.uninstall()

    def test_leaves_nothing(self):
        for text in (json.dumps(LIST), json.dumps(LIST, indent=2) + "\n\n", '{"plugins" : [ ], "cniVersion":"1.0.0"}', '{"plugins":[{"type":"a\\"]"}]\n}'):
            with self.subTest(text=text):
                self.write(text)
                self.file.chmod(0o640)
                installer = self.start()
                await_that("an entry", self.is_installed)
                self.assertEqual(self.plugins(), [*json.loads(text)["plugins"], ENTRY])
                self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)
                self.assertEqual((self.programs / "remora-cni").stat().st_mode & 0o777, 0o755)
                self.assertEqual((self.programs / "remora-cni").read_bytes(), program.read_bytes())
                self.stop(installer)
                self.uninstall()
                self.assertEqual(self.file.read_text(), text)
                self.assertEqual(list(self.lists.iterdir()), [self.file])

    def test_comes_back_after_a_rewrite(self):
        self.write(json.dumps(LIST))
        installer = self.start()
        for number in range(20):
            await_that("an entry", self.is_installed)
            self.write(json.dumps({**LIST, "name": f"pods{number}"}))
            await_that("an entry again", lambda: self.plugins()[-1] == ENTRY)
            self.assertEqual(json.loads(self.file.read_text())["name"], f"pods{number}")
        self.assertEqual(self.plugins().count(ENTRY), 1)
        self.stop(installer)
        self.uninstall()
        self.assertEqual(self.plugins(), LIST["plugins"])

    def test_puts_a_missing_program_back(self):
        """A list with an entry whose program is missing starts no pod; well before the installer looks on its own."""
        self.write(json.dumps(LIST))
        installer = self.start()
        plugin = self.programs / "remora-cni"
        for harm in (plugin.unlink, lambda: plugin.chmod(0o644), lambda: plugin.rename(self.programs / "another")):
            await_that("the plugin", self.is_installed)
            harm()
            await_that("the program again", lambda: os.access(plugin, os.X_OK), seconds=5)
            self.assertEqual(plugin.read_bytes(), program.read_bytes())
        self.assertEqual(self.plugins(), [*LIST["plugins"], ENTRY])
        await_that("a log", lambda: "the program was missing; wrote it again" in installer.told())

    def test_has_no_entry_without_a_program(self):
        self.write(json.dumps(LIST))
        installer = self.start()
        await_that("the plugin", self.is_installed)
        obstacle = self.programs / ".remora-cni.new"
        obstacle.mkdir()
        (self.programs / "remora-cni").unlink()
        await_that("a list without the entry", lambda: self.plugins() == LIST["plugins"])
        await_that("a log", lambda: "remora-cni cannot be written" in installer.told())
        self.write(json.dumps({**LIST, "name": "another"}))
        obstacle.rmdir()
        await_that("the plugin again", self.is_installed)

    def test_waits_for_a_list(self):
        installer = self.start()
        await_that("a log", lambda: "there is no CNI configuration yet" in installer.told())
        self.assertEqual(run(program, "installed", *self.words).returncode, 1)
        self.write("{}")
        await_that("a log", lambda: "10-pods.conflist is no list" in installer.told())
        self.write(json.dumps(LIST))
        await_that("an entry", self.is_installed)
        self.stop(installer)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to make a process namespace")
    def test_loses_no_signal(self):
        """As process 1, for which a signal without a handler does not count: it comes while the program is copied."""
        self.write(json.dumps(LIST))
        for _ in range(10):
            started = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", program, "install", *self.words], stderr=subprocess.DEVNULL)
            self.addCleanup(started.wait)
            self.addCleanup(started.kill)
            await_that("the installer's lock", (self.programs / ".remora-cni.lock").exists)
            os.kill(int(Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text()), signal.SIGTERM)
            self.assertEqual(started.wait(20), 0)
            self.uninstall()
            self.assertEqual(self.file.read_text(), json.dumps(LIST))

    def test_takes_the_first_list(self):
        other = self.lists / "20-other.conflist"
        for file in (self.file, other):
            self.write(json.dumps(LIST), file)
        (self.lists / "00-not.txt").write_text("{}")
        installer = self.start()
        await_that("an entry", self.is_installed)
        self.assertEqual(self.plugins(other), LIST["plugins"])
        first = self.lists / "05-first.conflist"
        self.write(json.dumps(LIST), first)
        await_that("an entry in the new first one", lambda: self.plugins(first)[-1] == ENTRY)
        self.stop(installer)
        self.uninstall()
        for file in (first, self.file, other):
            self.assertEqual(file.read_text(), json.dumps(LIST))

    def test_hands_over_to_another_one(self):
        """In a rolling update the new installer runs before the old one ends."""
        self.write(json.dumps(LIST))
        old = self.start()
        await_that("an entry", self.is_installed)
        new = self.start()
        await_that("a second one", lambda: "installed" in new.told())
        self.stop(old)
        self.write(json.dumps(LIST))
        await_that("an entry of the new one", self.is_installed)
        self.assertEqual(run(program, "uninstall", *self.words).returncode, 69)
        self.stop(new)
        self.uninstall()
        self.assertEqual(self.file.read_text(), json.dumps(LIST))

    def test_removes_what_a_dead_one_left(self):
        self.write(json.dumps(LIST))
        installer = self.start()
        await_that("an entry", self.is_installed)
        installer.kill()
        installer.wait()
        self.assertTrue(self.is_installed())
        self.uninstall()
        self.assertEqual(self.file.read_text(), json.dumps(LIST))

    def test_is_not_removed_while_an_installer_runs(self):
        """It would add the entry again, for a program that is gone."""
        self.write(json.dumps(LIST))
        installer = self.start()
        await_that("an entry", self.is_installed)
        refused = run(program, "uninstall", *self.words)
        self.assertEqual((refused.returncode, refused.stderr), (69, "remora-capture: an installer runs; delete its DaemonSet first\n"))
        self.assertTrue(self.is_installed())
        installer.kill()
        installer.wait()
        self.uninstall()

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to make a process namespace")
    def test_its_removal_can_wait_to_be_ended(self):
        """A DaemonSet restarts a container that ends, so that of the removal waits, as process 1."""
        started = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", program, "pause"])
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        await_that("process 1", lambda: children.read_text().split())
        status = Path(f"/proc/{children.read_text().strip()}/status")
        await_that("its wait for SIGTERM", lambda: re.search(rf"Name:\s*{program.name}\n(.*\n)*State:\s*S", status.read_text()))
        os.kill(int(children.read_text()), signal.SIGTERM)
        self.assertEqual(started.wait(20), 0)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to mount a file system")
    def test_is_idle_while_a_file_system_is_full(self):
        """Its own attempts are changes of the folder as well, and must not wake it."""
        if run("mount", "-t", "tmpfs", "-o", "size=4k", "capture-test", self.lists).returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(run, "umount", self.lists, check=True)
        self.file.write_text(json.dumps(LIST))
        installer = self.start()
        await_that("a log", lambda: "10-pods.conflist cannot be written: No space left" in installer.told())

        def calls():
            return int(re.search(r"syscr: (\d+)", Path(f"/proc/{installer.pid}/io").read_text())[1])
        before = calls()
        with self.assertRaises(subprocess.TimeoutExpired):
            installer.wait(1)
        self.assertLess(calls() - before, 100)
        run("mount", "-o", "remount,size=64k", self.lists, check=True)
        await_that("an entry", self.is_installed)

    def single(self, **more):
        """A configuration that is no list, and the list that is to stand before it."""
        self.file, own = self.lists / "10-pods.conf", self.lists / "10-pods-remora-cni.conflist"
        text = json.dumps({"cniVersion": "0.4.0", "name": "pods", "type": "bridge", "ipam": {"ranges": [[{"subnet": "10.0.0.0/24"}]]}, **more}, indent=1)
        self.write(text)
        return text, own

    def test_puts_a_list_before_a_single_plugin(self):
        text, own = self.single()
        self.file.chmod(0o640)
        installer = self.start()
        await_that("a list", self.is_installed)
        self.assertEqual(json.loads(own.read_text()), {"cniVersion": "0.4.0", "name": "pods", "plugins": [json.loads(text), ENTRY]})
        self.assertEqual(sorted(self.lists.iterdir()), [own, self.file], "the first one is the runtime's")
        self.assertEqual(own.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.file.read_text(), text)
        await_that("a log", lambda: "added it file=10-pods.conf" in installer.told())
        for number in range(10):
            text, own = self.single(mtu=number + 1)
            await_that("the change in the list", lambda: self.plugins(own)[0].get("mtu") == number + 1)
        await_that("a list", self.is_installed)
        # another program writes it, or removes it
        self.write("{}", own)
        await_that("the list again", self.is_installed)
        own.unlink()
        await_that("the list once more", self.is_installed)
        self.stop(installer)
        self.assertTrue(self.is_installed())
        self.uninstall()
        self.assertEqual(list(self.lists.iterdir()), [self.file])
        self.assertEqual(self.file.read_text(), text)

    def test_removes_its_list_with_what_it_was_for(self):
        _, own = self.single()
        installer = self.start()
        await_that("a list", self.is_installed)
        self.file.unlink()
        await_that("no list", lambda: not own.exists())
        self.single()
        await_that("a list", self.is_installed)
        first = self.lists / "05-first.conflist"
        self.write(json.dumps(LIST), first)
        await_that("an entry in the first one", lambda: self.plugins(first)[-1] == ENTRY)
        await_that("no list", lambda: not own.exists())
        first.unlink()
        await_that("a list", own.exists)
        # a list for a missing program starts no pod
        obstacle = self.programs / ".remora-cni.new"
        obstacle.mkdir()
        (self.programs / "remora-cni").unlink()
        await_that("no list", lambda: not own.exists())
        obstacle.rmdir()
        await_that("a list", self.is_installed)
        installer.kill()
        installer.wait()
        self.uninstall()
        self.assertEqual(list(self.lists.iterdir()), [self.file])

    def test_leaves_a_single_plugin_of_another_version_alone(self):
        for more in ({"cniVersion": "0.2.0"}, {"cniVersion": None}):
            _, own = self.single(**more)
            installer = self.start()
            await_that("a log", lambda: "10-pods.conf needs a supported cniVersion" in installer.told())
            self.assertFalse(own.exists())
            self.assertFalse(self.is_installed())
            self.stop(installer)

    def test_keeps_its_list_while_the_configuration_is_being_written(self):
        text, own = self.single()
        installer = self.start()
        await_that("a list", self.is_installed)
        self.file.write_text(text[:40])
        await_that("a log", lambda: "10-pods.conf is no list" in installer.told())
        self.assertEqual(self.plugins(own)[-1], ENTRY)
        self.file.write_text(text)
        await_that("a list", self.is_installed)
        self.stop(installer)

    def test_follows_no_link(self):
        elsewhere = work / "elsewhere"
        elsewhere.write_text(json.dumps(LIST))
        self.file.symlink_to(elsewhere)
        installer = self.start()
        await_that("a log", lambda: "10-pods.conflist cannot be read" in installer.told())
        self.stop(installer)
        self.assertEqual(elsewhere.read_text(), json.dumps(LIST))

    def test_says_which_folder_is_missing(self):
        done = run(program, "install", "--cni-bin", self.programs, "--cni-conf", self.lists / "none")
        self.assertEqual(done.returncode, 69)
        self.assertIn("none: No such file or directory", done.stderr)


if __name__ == "__main__":
    unittest.main()

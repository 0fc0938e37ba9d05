"""Containers at work: what they serve, what they refuse, how they end."""
import os
import re
import subprocess
import threading
import unittest

from containers import HOME, REPOSITORY, Backend, ContainerTest, NameServer, ask, await_that, docker, for_each_image, start_detached
from profiles import profile_until

# By the engine: what a small container leaves it.
MEMORY = {None: "64m", "finagle": "96m"}


class ContainerBehaviourTest(ContainerTest):
    @property
    def engine(self):
        """None for the default one."""
        return self.image.definition.get("engine")

    @property
    def sealed(self):
        return ["--memory", MEMORY[self.engine], "--read-only", "--user", "65532"]

    def profile(self, rate):
        return f"{self.engine}-rps-{rate}" if self.engine else f"rps-{rate}"

    def profile_line(self, container):
        return re.search(r"INFO (profile .*)", self.logs(container)).group(1)

    def name(self):
        return self.image.definition["name"]

    def test_serves_in_a_small_sealed_container(self):
        for flags in (self.sealed, [*self.sealed, "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]):
            with self.subTest(flags=flags):
                container = self.start(flags=flags)
                self.assertEqual(ask(self.listen), (200, b"from the application"))
                self.assertEqual(self.profile_line(container), f"profile {self.profile(1000)}, image {self.name()}")
                pid = docker("inspect", "-f", "{{.State.Pid}}", container).stdout.strip()
                with open(f"/proc/{pid}/status") as status:
                    self.assertIn("Uid:\t65532\t65532\t65532\t65532\n", status.readlines(), "the first process is java itself")
                docker("rm", "-f", container)

    def test_default_configuration_forwards_8080_to_8081(self):
        """In a network of its own, in which another container is the application and the client."""
        subprocess.run(["javac", "--release", "17", "-d", self.work, REPOSITORY / "runtime-images/tests/Peer.java"], check=True)
        sidecar = self.create(["--network", "none", "--read-only"], [])
        start_detached(sidecar)
        peer = self.create(["--network", f"container:{sidecar}", "-v", f"{self.work}:/peer:ro", "--entrypoint",
                            HOME + "/runtime/bin/java"], ["-Xshare:off", "-cp", "/peer", "Peer", "8081", "8080", "/path"])
        told = docker("start", "-a", peer, check=False)
        self.assertEqual((told.stdout, told.stderr), ("HTTP/1.1 200 OK\nGET /path HTTP/1.1\n", ""))
        self.assertIn("ready; admin on 127.0.0.1:9990", self.logs(sidecar))
        self.assertIn("listener inbound on 0.0.0.0:8080", self.logs(sidecar))

    def test_mounted_configuration_replaces_the_default(self):
        other = Backend(b"from another application")
        self.addCleanup(other.close)
        config = self.write("mine.yaml", f"admin: {{ address: '{self.admin}' }}\n"
                            f"listeners: [ {{ address: '{self.listen}', cluster: mine }} ]\n"
                            f"clusters: {{ mine: {{ endpoints: [ '{other.address}' ] }} }}\n")
        self.start(flags=[*self.sealed, "-v", f"{config}:/etc/remora/remora.yaml:ro"])
        self.assertEqual(ask(self.listen), (200, b"from another application"))

    def test_accepts_its_own_configurations(self):
        for name in ("remora", "capture"):
            with self.subTest(name):
                path = f"/etc/remora/{name}.yaml"
                refused = self.engine and name == "capture"
                status, out, err = self.run_to_end("check", path)
                self.assertEqual(status, 64 if refused else 0, err)
                self.assertIn("original-destination" if refused else f"{path}: ok", out + err)

    def test_bad_configuration_ends_as_outside(self):
        config = self.write("bad.yaml", "drain-timeout: 30\nlisteners:\n  - adress: 1\n    cluster: naïve\nüber: {}\n")
        environment = {**os.environ, "LANG": "C.UTF-8"}
        environment.pop("LC_ALL", None)
        outside = subprocess.run([REPOSITORY / "proxy/bin/remora", "run", "--config", config], capture_output=True, env=environment,
                                 timeout=60)
        status, out, err = self.run_to_end("run", "--config", config, flags=["-v", f"{config}:{config}:ro"])
        self.assertEqual((status, out, err), (outside.returncode, outside.stdout.decode(), outside.stderr.decode()))
        self.assertEqual(status, 64)
        self.assertRegex(err, r"bad.yaml:1:16: drain-timeout")
        self.assertIn("über", err)

    def test_stop_drains(self):
        container = self.start()
        self.backend.release.clear()
        answers = []
        client = threading.Thread(target=lambda: answers.append(ask(self.listen, seconds=60)))
        client.start()
        await_that("the request at the application", lambda: self.backend.requests)
        stop = threading.Thread(target=docker, args=("stop", "-t", "60", container))
        stop.start()
        await_that("the drain", lambda: "draining" in self.logs(container))
        self.assertIsNone(ask(self.listen), "nothing new is accepted")
        self.backend.release.set()
        client.join()
        stop.join()
        self.assertEqual(answers, [(200, b"from the application")])
        self.assertEqual(docker("inspect", "-f", "{{.State.ExitCode}} {{.State.OOMKilled}}", container).stdout, "0 false\n")
        self.assertIn("INFO stopped", self.logs(container))

    def test_a_profile_names_functions_of_the_vm_by_the_file_next_to_its_folder(self):
        """It has the file if its name says so; else one of another VM is mounted, which the sidecar refuses."""
        config = self.write("profiled.yaml", f"admin: {{ address: '{self.admin}', profile: true }}\n"
                            f"listeners: [ {{ address: '{self.listen}', cluster: app }} ]\n"
                            f"clusters: {{ app: {{ endpoints: [ '{self.backend.address}' ] }} }}\n")
        other = self.write("other.symbols", "0 build-id 00\n1 other\n")
        has_symbols = "-symbols" in self.image.name
        mounted = [] if has_symbols else ["-v", f"{other}:{HOME}.symbols:ro"]
        container = self.start(flags=[*self.sealed, *mounted, "-v", f"{config}:/etc/remora/remora.yaml:ro"])
        words = "CompileBroker::compiler_thread_loop_[v]" if has_symbols else "[libjvm.so]_[v]"
        profile_until(words, self.admin, lambda: ask(self.listen))
        refused = f"profile: {HOME}.symbols belongs to another build of "
        self.assertEqual(refused in self.logs(container), not has_symbols)

    def test_picks_the_profile(self):
        # the smallest that there is
        least = self.profile(1000 if self.engine else 100)
        profile = f"{HOME}/jvm-profiles/{least}"
        heap = "32m" if self.engine else "16m"
        for arguments, flags, told in (
            ((), ["-e", "REMORA_RPS=100"], f"profile {least}, image {{}}"),
            (("run", "--rps", "7", "--config", "/etc/remora/remora.yaml"), ["-e", "REMORA_RPS=5000"], f"profile {least}, image {{}}"),
            ((), ["-e", f"JVM_HEAP_MAX={heap}"], f"profile {self.profile(1000)}, image {{}}, heap overridden by JVM_HEAP_MAX={heap}"),
            ((), ["-e", f"JDK_JAVA_OPTIONS=@{profile}"], f"profile {least}, image {{}}"),
            ((), ["-e", f"REMORA_JVM_FILE={profile}"], f"profile {profile}, image {{}}"),
        ):
            with self.subTest(arguments=arguments, flags=flags):
                container = self.start(*arguments, flags=flags)
                self.assertEqual(ask(self.listen), (200, b"from the application"))
                self.assertEqual(self.profile_line(container), told.format(self.name()))
                docker("rm", "-f", container)

    def test_starts_nothing_that_does_not_fit(self):
        name = re.escape(self.name())
        table = self.image.contents[HOME + "/jvm-profiles/table"].decode()
        # pages of memory are whole, and so are limits; less than the required tenth above the peak
        small = int(re.search(rf"(?m)^{name} {self.profile(1000)} 1000 (\d+) ", table).group(1)) // 4096 * 4096
        for arguments, flags, status, told in (
            ((), ["--memory", small], 78,
             rf"{self.profile(1000)} on image {name} needs \d+ bytes \(measured peak and 10 %\); \S+ allows {small}"),
            ((), ["-e", "REMORA_RPS=40001"], 64, rf"40001 requests a second are more than image {name} has a profile for .*"),
            ((), ["-e", "REMORA_RPS=40000"], 64, rf"40000 .* image {name} .*; (amd64-tiered has a profile for 40000|no image has more)"),
            ((), ["-e", "JVM_HEAP_MAX=plenty"], 64, "JVM_HEAP_MAX plenty: a size such as 64m is needed"),
        ):
            with self.subTest(arguments=arguments, flags=flags):
                its_status, out, err = self.run_to_end(*arguments, flags=flags)
                self.assertEqual((its_status, out), (status, ""))
                self.assertRegex(err, rf"\Aremora: {told}\n\Z")

    def test_tells_what_would_run(self):
        status, out, err = self.run_to_end("select", "--rps", "5000", "--memory", "1g")
        self.assertEqual((status, err), (0, ""))
        host = subprocess.run([REPOSITORY / "jvm-profiles/select", "--image", self.name(), "--rps", "5000", "--memory", "1g"],
                              check=True, capture_output=True, text=True).stdout
        self.assertEqual(out, host)

    def test_maps_its_archive_of_classes(self):
        status, out, err = self.run_to_end("version", flags=["-e", "REMORA_JAVA_OPTS=-Xshare:on -Xlog:class+load", "--read-only"])
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"io\.remora\.Main source: shared objects file")
        self.assertRegex(out, r"(?m)^remora \S+ \(Java ")

    def test_speaks_tls_by_the_jdks_own_provider(self):
        subprocess.run(["javac", "--release", "17", "-d", self.work, REPOSITORY / "runtime-images/tools/TlsCheck.java"], check=True)
        subprocess.run(["keytool", "-genkeypair", "-alias", "own", "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=localhost",
                        "-keystore", self.work / "keys", "-storetype", "PKCS12", "-storepass", "changeit"], check=True, capture_output=True)
        (self.work / "keys").chmod(0o644)
        container = self.create(["--network", "none", *self.sealed, "-v", f"{self.work}:/check:ro", "--entrypoint",
                                 HOME + "/runtime/bin/java"],
                                [f"@{HOME}/jvm-profiles/{self.profile(1000)}", "-Xshare:off", "-cp", "/check", "TlsCheck", "/check/keys", "changeit"])
        told = docker("start", "-a", container, check=False)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertRegex(told.stdout, r"\ATLSv1\.3 TLS_\w+\nTLSv1\.2 TLS_\w+\n\Z")

    def test_serves_tls_by_the_engine_that_it_has(self):
        subprocess.run(["bash", "-ec", '. "$1/runtime-images/common.sh"; make_certificates "$2"', "-", REPOSITORY, self.work], check=True)
        for file in self.work.iterdir():
            file.chmod(0o644)
        # what reads this does not start
        self.write("openssl.cnf", "config_diagnostics = 1\nopenssl_conf = all\n[all]\nproviders = list\n[list]\nmissing = one\n[one]\n"
                   "module = /missing.so\nactivate = 1\n")
        config = self.write("tls.yaml", f"admin: {{ address: '{self.admin}' }}\nlisteners:\n  - address: '{self.listen}'\n    cluster: app\n"
                            "    tls: { certificates: [ { chain: /tls/tls.crt, key: /tls/tls.key } ], client-certificates: required, trust: /tls/ca.crt }\n"
                            f"clusters: {{ app: {{ endpoints: [ '{self.backend.address}' ] }} }}\n")
        container = self.start(flags=[*self.sealed, "-v", f"{config}:/etc/remora/remora.yaml:ro", "-v", f"{self.work}:/tls:ro",
                                      "-e", "OPENSSL_CONF=/tls/openssl.cnf"])
        port = self.listen.rpartition(":")[2]
        curl = ["curl", "-sS", "--max-time", "30", "--noproxy", "*", "--resolve", f"localhost:{port}:127.0.0.1", "--cacert", self.work / "ca.crt"]
        shown = ["--cert", self.work / "tls.crt", "--key", self.work / "tls.key"]
        address = f"https://localhost:{port}/"
        for version in ("1.2", "1.3"):
            told = subprocess.run([*curl, *shown, f"--tlsv{version}", "--tls-max", version, address], capture_output=True, text=True)
            self.assertEqual((told.stdout, told.stderr), ("from the application", ""), self.logs(container))
        self.assertNotEqual(subprocess.run([*curl, address], capture_output=True).returncode, 0, "a client without a certificate is refused")
        engine = {"openssl": r"TLS by OpenSSL 3\.", "awslc": r"TLS by AWS-LC \d"}[self.image.definition["tls"]]
        self.assertRegex(self.logs(container), engine)

    def test_finds_hosts_by_file_and_by_name_server(self):
        names = self.write("resolv.conf", f"nameserver {NameServer.host()}\noptions timeout:1 attempts:3\n")
        server = NameServer("app.test", "127.0.0.1")
        self.addCleanup(server.close)
        port = self.backend.address.rpartition(":")[2]
        for host in ("app.hosts", "app.test"):
            with self.subTest(host=host):
                container = self.start(flags=["--add-host", "app.hosts:127.0.0.1", "-v", f"{names}:/etc/resolv.conf:ro",
                                              "-e", f"REMORA_FORWARD={host}:{port}"])
                self.assertEqual(ask(self.listen), (200, b"from the application"))
                docker("rm", "-f", container)
        self.assertIn("app.test", server.asked)


load_tests = for_each_image(ContainerBehaviourTest)

if __name__ == "__main__":
    unittest.main()

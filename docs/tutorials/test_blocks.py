"""The code blocks of the pages outside this directory: configurations are checked, commands are run or known."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import blocks
from blocks import ROOT
from commands import problem_of
from remora_measure.machine import processes
from test_tutorials import end, free_ports

FILTER = ROOT / "examples/filters/org/example/TenantFilter.java"
LAUNCHER, FINAGLE = ROOT / "proxy/bin/remora", ROOT / "proxy/finagle/target"
# What a configuration needs that a checkout does not have: the library of the runtime images, and a pod.
ELSEWHERE = re.compile(r"the runtime images have the library for it|/var/run/secrets/kubernetes\.io/")
# Programs that a block needs if it is to be run; make has built what the blocks build.
RUN = {"proxy/bin/remora", "remora", "jvm-profiles/select", "curl", "grep", "openssl", "$EDITOR", "make build", "make build ENGINE=finagle"}
# Words of commands that need the library of the runtime images, the flight recorder, a log, or an admin listener on a socket file.
NOT_RUN = {"--takeover", "/logs/compile.log", "unix:/run/remora/admin.sock", "before.collapsed", "kernel.html", "http://127.0.0.1:9990/compiler-events?duration=60s",
           "http://127.0.0.1:9990/recording/dump", "http://127.0.0.1:9990/recording/stream?events=io.remora.Exchange,jdk.GCPhasePause&duration=10m"}
STANDING = """
admin: {address: 127.0.0.1:9990}
listeners:
  - {name: inbound, address: 127.0.0.1:8443, cluster: app, tls: {certificates: [{chain: tls.crt, key: tls.key}]}}
clusters:
  app: {endpoints: [127.0.0.1:8081]}
"""
# Fails with a command, and with a status of 400 and above; a sidecar in the foreground goes to the background until it is ready.
BEGIN = """set -euo pipefail
export PATH=$PWD/proxy/bin:$PATH EDITOR=true ADMIN_PORT=9990 PORT=8080 REMORA_ADMIN=127.0.0.1:9990
curl() { command curl --fail --silent --show-error "$@"; }
ready() { command curl --silent --fail --retry 100 --retry-delay 1 --retry-connrefused http://127.0.0.1:9990/ready; }
"""


def material(directory):
    """Makes the files that configurations name: a certificate that is an authority as well, its revocation list, and endpoints."""
    def run(*words):
        subprocess.run(words, check=True, capture_output=True, cwd=directory)

    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test", "-keyout", "tls.key", "-out", "tls.crt")
    for name in ("mesh-ca.crt", "operators-ca.crt"):
        shutil.copy(f"{directory}/tls.crt", f"{directory}/{name}")
    Path(directory, "index.txt").touch()
    Path(directory, "ca.cnf").write_text("[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\ndefault_md = sha256\ndefault_crl_days = 30\n")
    run("openssl", "ca", "-gencrl", "-config", "ca.cnf", "-keyfile", "tls.key", "-cert", "tls.crt", "-out", "mesh-ca.crl")
    Path(directory, "endpoints.yaml").write_text("- 127.0.0.1:8081\n")


def has_finagle():
    return (FINAGLE / "remora-finagle.jar").exists()


class Configurations(unittest.TestCase):
    """Each block of YAML, completed to a whole configuration, passes remora check. A block with a title is another program's."""

    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(subprocess.run([LAUNCHER, "schema"], check=True, capture_output=True, text=True).stdout)
        cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory())
        material(cls.directory)
        cls.found = [block for block in blocks.blocks("yaml") if not block.title]

    def problem(self, block):
        text = block.text
        if text.startswith("- "):  # endpoints, which a file lists
            Path(self.directory, "listed.yaml").write_text(text)
            text = "clusters:\n  app:\n    resolver:\n      file: /etc/remora/listed.yaml\n"
        try:
            whole = blocks.completed(text, self.schema).replace("/etc/remora", self.directory).replace("/opt", self.directory)
        except ValueError as trouble:
            return f"{block.place}: {trouble}"
        words = ["--engine", "finagle"] if blocks.FINAGLE.search(whole) else []
        done = subprocess.run([LAUNCHER, "check", *words, "-"], input=whole, text=True, capture_output=True, env={**os.environ, "POD_IP": "127.0.0.1"})
        mine = [line for line in done.stderr.splitlines() if not ELSEWHERE.search(line)]
        return f"{block.place}: {done.stderr}{whole}" if done.returncode and mine else None

    def assert_pass(self, found, least):
        self.assertGreater(len(found), least)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertEqual([], list(filter(None, pool.map(self.problem, found))))

    def test_each_passes_the_check(self):
        self.assert_pass([block for block in self.found if not blocks.FINAGLE.search(block.text)], 30)

    @unittest.skipUnless(has_finagle(), "make build ENGINE=finagle makes the engine of these")
    def test_each_of_finagle_passes_the_check(self):
        # by the two commands that the example has
        java, filters = f"{processes.default_java_home()}/bin/", Path(self.directory, "filters")
        filters.mkdir()
        subprocess.run([f"{java}javac", "-cp", f"{FINAGLE}/remora-finagle.jar:{FINAGLE}/lib/*", "-d", "classes", FILTER], check=True, cwd=self.directory)
        subprocess.run([f"{java}jar", "--create", "--file", filters / "tenant.jar", "-C", "classes", "."], check=True, cwd=self.directory)
        self.assert_pass([block for block in self.found if blocks.FINAGLE.search(block.text)], 4)

    def test_a_part_is_completed(self):
        self.assertEqual("listeners:\n  - address: 127.0.0.1:8080\n    server-timing: true\n    cluster: app\nclusters:\n  app: {endpoints: [127.0.0.1:8081]}\n",
                         blocks.completed("server-timing: true\n", self.schema))
        self.assertEqual("clusters:\n  app:\n    panic-below: 30\n    endpoints: [127.0.0.1:8081]\nlisteners:\n  - address: 127.0.0.1:8080\n    cluster: app\n",
                         blocks.completed("panic-below: 30\n", self.schema))
        with self.assertRaisesRegex(ValueError, "no part of a configuration has all of .'nonesuch'"):
            blocks.completed("nonesuch: 1\n", self.schema)

    def test_a_wrong_block_is_a_problem(self):
        self.assertIn("page.md:1: <stdin>:3:20: server-timing is 'maybe'", self.problem(blocks.Block("page.md:1", "yaml", None, "server-timing: maybe\n")))


class Commands(unittest.TestCase):
    """Each command of a block or of a sentence names a program, a target, words and options that exist; short ones run."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.material = cls.enterClassContext(tempfile.TemporaryDirectory())
        material(cls.material)

    def test_each_is_known(self):
        commands = [(block.place, command) for block in blocks.blocks("sh") for command in blocks.simple_commands(block.text)]
        commands += [(page, command) for page, span in blocks.spans() for command in blocks.simple_commands(span)]
        self.assertGreater(len(commands), 200)
        self.assertEqual([], sorted({f"{place}: {problem}" for place, command in commands if (problem := problem_of(command))}))

    def test_what_is_not_there_is_a_problem(self):
        for text in ("make nonesuch", "make run NONESUCH=1", "./measure nonesuch", "./measure storm --nonesuch", "./measure test nonesuch", "remora nonesuch",
                     "remora run --nonesuch", "scripts/nonesuch", "scripts/capture --nonesuch", "docker run remora:nonesuch", "nonesuch",
                     "jvm-profiles/select --nonesuch", "./measure figures take nonesuch FILE", "curl http://127.0.0.1:9990/nonesuch"):
            with self.subTest(text):
                self.assertIsNotNone(problem_of(blocks.simple_commands(text)[0]))

    def test_short_ones_run(self):
        found = [block for block in blocks.blocks("sh") if self.is_short(blocks.simple_commands(block.text))]
        self.assertGreater(len(found), 6)
        for block in found:
            with self.subTest(block.place):
                status, output = self.run_it(block.text)
                self.assertEqual(0, status, output)

    def test_a_failed_one_is_seen(self):
        self.assertNotEqual(0, self.run_it("curl http://127.0.0.1:9990/nonesuch\n")[0])

    @staticmethod
    def is_short(commands):
        words = {word for command in commands for word in command}
        programs = {" ".join(command) if command[0] == "make" else command[0] for command in commands}
        return programs <= RUN and not words & NOT_RUN and (has_finagle() or "finagle" not in words) and programs != {"make build"}

    def run_it(self, text):
        """Runs a block next to the examples and the smallest configuration of README.md, before a sidecar where it starts none."""
        ports = free_ports(("8080", "8081", "8443", "9990"))
        with tempfile.TemporaryDirectory() as directory:
            for name in ("proxy", "jvm-profiles"):
                Path(directory, name).symlink_to(ROOT / name)
            shutil.copytree(ROOT / "examples", Path(directory, "examples"))
            shutil.copytree(self.material, directory, dirs_exist_ok=True)
            smallest = next(block.text for block in blocks.blocks("yaml") if block.place.startswith("README.md"))
            script = BEGIN + ("" if "remora run" in text else "remora run --config standing.yaml &\nready\n")
            script += re.sub(r"(?m)^(.*remora run [^&#\n]*)(&.*|#.*)?$", r"\1 &\nready", re.sub(r"(?m)^make build.*\n", "", text))
            script, standing, smallest = (re.sub("8080|8081|8443|9990", lambda port: ports[port.group()], each)
                                          for each in (script, STANDING, smallest + "admin: {address: 127.0.0.1:9990}\n"))
            Path(directory, "standing.yaml").write_text(standing)
            Path(directory, "my-sidecar.yaml").write_text(smallest)
            with open(f"{directory}/output", "w+") as output:  # a pipe would be open as long as what the block leaves in the background
                shell = subprocess.Popen(["bash", "-c", script], cwd=directory, start_new_session=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
                try:
                    status = shell.wait(timeout=120)
                finally:
                    end(shell)
                return status, script + Path(output.name).read_text()


class Languages(unittest.TestCase):
    def test_each_block_has_a_known_one(self):
        self.assertEqual([], blocks.unfenced())


if __name__ == "__main__":
    unittest.main()

"""The launcher's commands for a running sidecar: over TCP and a Unix socket, to a real sidecar, and to peers that answer badly.

The launcher is built as for the containers, and once with the sanitizers, which end it with a status of their own.
"""
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LAUNCHER = REPOSITORY / "runtime-images/launcher"
JAR = REPOSITORY / "proxy/core/target/remora.jar"
JAVA = Path(os.environ["JAVA_HOME"]) / "bin/java" if "JAVA_HOME" in os.environ else "java"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-U_FORTIFY_SOURCE"]
SECONDS = 60


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Launched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="admin."))
        cls.addClassCleanup(shutil.rmtree, cls.work)
        for name, flags in (("plain", []), ("sanitized", SANITIZERS)):
            subprocess.run([LAUNCHER / "build", cls.work / name, *flags], check=True)

    def run_command(self, *arguments, build="sanitized", **variables):
        """Status, output and error; no folder of an image is there, and none is needed."""
        environment = {"PATH": os.environ["PATH"], **variables}
        done = subprocess.run([self.work / build, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=2 * SECONDS)
        return done.returncode, done.stdout, done.stderr


class AdminCommandsTest(Launched):
    """With a sidecar of two listeners, whose admin listener is on a port, or on a Unix socket."""

    def start(self, admin):
        self.inbound, self.outbound = free_port(), free_port()
        # it accepts, and never answers
        backend = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(backend.close)
        configuration = self.work / f"{self.id()}.yaml"
        configuration.write_text(f"""admin: {{address: "{admin}"}}
drain-idle: 10ms
listeners:
  - {{name: in, address: "127.0.0.1:{self.inbound}", cluster: app}}
  - {{name: out, address: "127.0.0.1:{self.outbound}", direction: outbound, cluster: app}}
clusters:
  app: {{endpoints: ["127.0.0.1:{backend.getsockname()[1]}"]}}
""")
        self.sidecar = subprocess.Popen([JAVA, "-jar", JAR, "run", "--config", configuration], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.sidecar.wait, SECONDS)
        self.addCleanup(self.sidecar.kill)
        self.admin = admin

    def ask(self, *arguments):
        return self.run_command(*arguments, "--admin", self.admin)

    def accepts(self, port):
        try:
            with socket.create_connection(("127.0.0.1", port), SECONDS):
                return True
        except ConnectionRefusedError:
            return False

    def test_follows_a_life_over_tcp(self):
        self.follow(f"127.0.0.1:{free_port()}")

    def test_follows_a_life_over_a_unix_socket(self):
        self.follow(f"unix:{self.work}/admin.sock")

    def follow(self, admin):
        self.start(admin)
        self.assertEqual((0, "", ""), self.ask("wait", "--timeout", f"{SECONDS}s"))
        self.assertEqual((0, "ready\n", ""), self.ask("ready"))
        self.assertEqual((0, "live\n", ""), self.ask("live"))
        status, page, error = self.ask("get", "/config")
        self.assertEqual((0, ""), (status, error))
        self.assertIn("direction: outbound", page)
        self.assertEqual((1, "no such page\n", ""), self.ask("get", "/nothing"))
        self.assertEqual((0, "drained\n", ""), self.ask("drain", "--inbound", "--wait", "30s"))
        self.assertEqual((1, "not ready\n", ""), self.ask("ready"))
        self.assertFalse(self.accepts(self.inbound))
        self.assertTrue(self.accepts(self.outbound))
        self.assertEqual((0, "draining\n", ""), self.ask("drain"))
        status, _, error = self.ask("wait", "--timeout", "100ms")
        self.assertEqual(1, status)
        self.assertRegex(error, r"\Aremora: .+: not ready within 100 ms: .+\n\Z")
        self.assertEqual((0, "shutting down\n", ""), self.ask("shutdown"))
        self.assertEqual(0, self.sidecar.wait(SECONDS))

    def test_waits_for_an_exchange(self):
        self.start(f"127.0.0.1:{free_port()}")
        self.ask("wait", "--timeout", f"{SECONDS}s")
        with socket.create_connection(("127.0.0.1", self.inbound), SECONDS) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\n")
            metric = 'remora_exchanges_in_flight{listener="in"} 1'
            end = time.monotonic() + SECONDS
            while metric not in self.ask("get", "/metrics")[1]:
                self.assertLess(time.monotonic(), end, "the exchange begins")
            status, out, error = self.ask("drain", "--inbound", "--wait", "50ms")
            self.assertEqual((1, ""), (status, error))
            self.assertRegex(out, r"\Astill draining: exchanges=1 connections=1\n\Z")
            client.close()
            self.assertEqual((0, "drained\n", ""), self.ask("drain", "--inbound", "--wait", "30s"))


class AdminPeerTest(Launched):
    """With peers that answer in raw bytes, and with command lines that cannot be understood."""

    def answer(self, octets, *arguments, hold=False):
        """Runs a command against a peer that sends some octets, and then closes or says nothing more."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            ended = threading.Event()

            def serve():
                connection, _ = server.accept()
                with connection:
                    request = b""
                    while not request.endswith(b"\r\n\r\n"):
                        request += connection.recv(4096)
                    self.request = request
                    try:
                        connection.sendall(octets)
                    except OSError:
                        pass
                    if hold:
                        ended.wait(SECONDS)

            thread = threading.Thread(target=serve)
            thread.start()
            try:
                return self.run_command(*arguments, REMORA_ADMIN=f"127.0.0.1:{server.getsockname()[1]}")
            finally:
                ended.set()
                thread.join()

    def test_sends_one_request_and_prints_the_body(self):
        body = "x" * 100_000
        octets = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        self.assertEqual((0, body, ""), self.answer(octets, "get", "/metrics"))
        self.assertEqual(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n", self.request)
        self.assertEqual((0, "x", ""), self.answer(b"HTTP/1.0 202 Accepted\r\n\r\nx", "drain", "--inbound", "--wait", "2s"))
        self.assertEqual(b"POST /drain?direction=inbound&wait=2s HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
                         self.request)
        self.answer(b"HTTP/1.0 202 Accepted\r\n\r\n", "drain", "--inbound", "--delay", "5s", "--wait", "20s")
        self.assertTrue(self.request.startswith(b"POST /drain?direction=inbound&delay=5s&wait=20s HTTP/1.0\r\n"), self.request)

    def test_takes_a_body_with_a_nul(self):
        self.assertEqual((0, "a\0b", ""), self.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na\0b", "get", "/x"))

    def test_prints_a_profile_and_its_progress_apart(self):
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
        body = b"progress 1 2 17\ndata 6\na;b 3\nprogress 2 2 40\ndata 5\nend 4end\n"
        status, out, error = self.answer(head + body, "profile", "--cpu", "2s")
        self.assertEqual((0, "a;b 3\nend 4"), (status, out))
        # carriage returns, read as text
        progress = "\n1/2 s, 17 samples \n2/2 s, 40 samples \n"
        self.assertEqual(progress, error)
        self.assertEqual(b"POST /profile?kind=cpu&progress=true&seconds=2&format=collapsed HTTP/1.0\r\n"
                         b"Host: localhost\r\nContent-Length: 0\r\n\r\n", self.request)
        graph = self.work / f"{self.id()}.html"
        self.assertEqual((0, "", progress),
                         self.answer(head + body, "profile", "--hz", "500", "--out", graph))
        self.assertEqual("a;b 3\nend 4", graph.read_text())
        self.assertIn(b"seconds=30&format=html&hz=500 ", self.request)
        recording = self.work / f"{self.id()}.jfr"
        self.assertEqual((0, "", progress), self.answer(head + body, "profile", "--out", recording))
        self.assertIn(b"seconds=30&format=jfr ", self.request)

    def test_asks_for_the_kind_of_profile_that_is_given(self):
        octets = b"HTTP/1.1 200 OK\r\n\r\nend\n"
        for arguments, query in ((("--wall", "3s", "--hz", "50"), "kind=wall&progress=true&seconds=3&format=collapsed&hz=50"),
                                 (("--alloc", "1m", "--bytes", "4096"), "kind=alloc&progress=true&seconds=60&format=collapsed&bytes=4096"),
                                 (("--cpu", "60s", "--slow", "10s"), "kind=cpu&progress=true&seconds=60&format=collapsed&slow=10"),
                                 (("--kernel", "5s"), "kind=kernel&progress=true&seconds=5&format=collapsed"),
                                 (("--lock", "1s", "--format", "svg"), "kind=lock&progress=true&seconds=1&format=svg")):
            with self.subTest(arguments=arguments):
                self.assertEqual((0, "", ""), self.answer(octets, "profile", *arguments))
                self.assertTrue(self.request.startswith(f"POST /profile?{query} HTTP/1.0\r\n".encode()), self.request)

    def test_looks_inside_by_one_request(self):
        reply = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nyes\n"
        for arguments, request in (
                (["heap", "histogram"], "POST /heap-histogram"), (["heap", "dump"], "POST /heap-dump"),
                (["compiler-events"], "POST /compiler-events"), (["compiler-events", "60s"], "POST /compiler-events?duration=60s"),
                (["long-turns"], "POST /long-turns"), (["long-turns", "30s", "--above", "20ms"], "POST /long-turns?duration=30s&above=20ms"),
                (["native-memory"], "POST /native-memory"), (["native-memory", "diff"], "POST /native-memory?action=diff"),
                (["native-memory", "baseline"], "POST /native-memory?action=baseline"),
                (["recording"], "GET /recording"), (["recording", "stop"], "POST /recording/stop"),
                (["recording", "discard"], "POST /recording/discard"), (["recording", "dump"], "POST /recording/dump"),
                (["recording", "start"], "POST /recording/start"), (["recording", "stream"], "POST /recording/stream"),
                (["recording", "stream", "--events", "io.remora.Exchange,jdk.CPULoad", "--duration", "10m"],
                 "POST /recording/stream?duration=10m&events=io.remora.Exchange,jdk.CPULoad"),
                (["recording", "start", "--slow", "50ms", "--duration", "5m", "--settings", "profile"],
                 "POST /recording/start?settings=profile&duration=5m&slow=50ms")):
            with self.subTest(arguments=arguments):
                self.assertEqual((0, "yes\n", ""), self.answer(reply, *arguments))
                length = "Content-Length: 0\r\n" if request.startswith("POST") else ""
                self.assertEqual(f"{request} HTTP/1.1\r\nHost: localhost\r\n{length}Connection: close\r\n\r\n".encode(),
                                 self.request)

    def test_knows_by_its_chunks_that_a_body_is_whole(self):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        body = b"3\r\n\0\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n"
        dump = self.work / f"{self.id()}.jfr"
        self.assertEqual((0, "", ""), self.answer(head + body, "recording", "dump", "--out", dump))
        self.assertEqual(b"\0\r\n0123456789", dump.read_bytes())
        # the sidecar may keep the connection open for a while
        self.assertEqual((0, "\0\n0123456789", ""), self.answer(head + body, "compiler-events", "1s", hold=True))
        for end in range(len(body)):
            with self.subTest(end=end):
                status, _, error = self.answer(head + body[:end], "heap", "histogram")
                self.assertEqual(69, status)
                self.assertRegex(error, r"\Aremora: 127\.0\.0\.1:\d+: the response ended early\n\Z")

    def test_refuses_chunks_that_are_none(self):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for body in (b"x\r\n", b"\r\n", b"3\nabc\n0\n\n", b"3\r\nabcd\r\n0\r\n\r\n", b"-1\r\n", b"FFFFFFFF\r\n", b"3;a=b\r\nabc\r\n0\r\n\r\n",
                     b"0\r\nX: y\r\n\r\n", b"0\r\n\r\nx", b"0" * 500 + b"\r\n\r\n"):
            with self.subTest(body=body):
                self.assertEqual(69, self.answer(head + body, "heap", "histogram")[0])
        both = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
        self.assertEqual(69, self.answer(both, "heap", "histogram")[0])

    def test_prints_a_refusal_apart_from_what_was_asked_for(self):
        out = self.work / f"{self.id()}.txt"
        refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nnone\n"
        self.assertEqual((1, "", "none\n"), self.answer(refusal, "heap", "histogram", "--out", out))
        self.assertEqual("", out.read_text())
        status, _, error = self.run_command("heap", "histogram", "--out", self.work / "nothing/here")
        self.assertEqual(69, status)
        self.assertRegex(error, r"\Aremora: .+: No such file or directory\n\Z")

    def test_refuses_a_profile_that_is_not_whole(self):
        for body in (b"", b"end", b"data 6\na;b 3\n", b"data 6\na;bend\n", b"data 99999999\n", b"data -1\n", b"data x\nend\n", b"x\nend\n",
                     b"end\nend\n", b"x" * 500 + b"\nend\n", b"\nend\n", b"data 0\n"):
            with self.subTest(body=body):
                status, _, error = self.answer(b"HTTP/1.1 200 OK\r\n\r\n" + body, "profile", "--cpu", "1s")
                self.assertEqual(69, status)
                self.assertRegex(error, r"\Aremora: 127\.0\.0\.1:\d+: the profile is not whole\n\Z")
        status, out, error = self.answer(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nnone\n", "profile")
        self.assertEqual((1, "", "none\n"), (status, out, error))

    def test_refuses_what_is_no_response(self):
        for octets in (b"", b"HTTP/1.1 200", b"hello\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/2.0 200 OK\r\n\r\n",
                       b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
                       b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhello",
                       b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", b"HTTP/1.1 200 O\0K\r\n\r\n",
                       b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000 + b"\r\n\r\n", b"\r\n\r\n", b"HTTP/1.1 200 OK\n\n"):
            with self.subTest(octets=octets[:60]):
                status, _, error = self.answer(octets, "get", "/x")
                self.assertEqual(69, status)
                self.assertRegex(error, r"\Aremora: 127\.0\.0\.1:\d+: [^\n]+\n\Z")

    def test_gives_up_after_its_timeout(self):
        for octets in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"):
            status, _, error = self.answer(octets, "ready", "--timeout", "100ms", hold=True)
            self.assertEqual(69, status)
            self.assertRegex(error, r": timed out\n\Z")

    def test_prints_its_usage(self):
        status, out, error = self.run_command("drain", "--help")
        self.assertEqual((0, ""), (status, error))
        for word in ("ready", "live", "get PAGE", "wait", "drain", "profile", "heap", "compiler-events", "long-turns", "native-memory", "recording",
                     "shutdown"):
            self.assertIn(f"remora {word}", out)

    def test_says_why_it_cannot_connect(self):
        status, out, error = self.run_command("ready", "--admin", f"127.0.0.1:{free_port()}")
        self.assertEqual((69, ""), (status, out))
        self.assertRegex(error, r"\Aremora: 127\.0\.0\.1:\d+: Connection refused\n\Z")
        status, out, error = self.run_command("live", "--admin", f"unix:{self.work}/nothing")
        self.assertEqual((69, ""), (status, out))
        self.assertRegex(error, r": No such file or directory\n\Z")

    def test_refuses_a_command_line_that_it_does_not_understand(self):
        address = ["--admin", "127.0.0.1:1"]
        for arguments in (["get", *address], ["get", "config", *address], ["get", "/a b", *address], ["get", "/" + "x" * 600, *address],
                          ["get", "/a", "/b", *address], ["ready", "--wait", "1s", *address], ["drain", "--wait", *address],
                          ["drain", "--wait", "5", *address], ["drain", "--wait", "61s", *address], ["drain", "--wait", "-1s", *address],
                          ["wait", "--timeout", "1y", *address], ["ready", "--admin"], ["ready", "--admin", "localhost"],
                          ["ready", "--admin", "app:80"], ["ready", "--admin", "127.0.0.1:0"], ["ready", "--admin", "127.0.0.1:65536"],
                          ["ready", "--admin", "[::1:80"], ["ready", "--admin", "::1:80"], ["ready", "--admin", "[127.0.0.1]:80"],
                          ["ready", "--admin", "unix:x"], ["ready", "--admin", "unix:/" + "x" * 200], ["live", "--inbound", *address],
                          ["profile", "--cpu", "30"], ["profile", "--cpu", "0s"], ["profile", "--cpu", "301s"], ["profile", "--cpu", "1500ms"],
                          ["profile", "--hz", "x"], ["profile", "--bytes", "x"], ["profile", "--bytes", "100000000"], ["profile", "--slow", "10"], ["profile", "--slow", "300s"], ["profile", "--lock", "1500ms"],
                          ["profile", "--cpu", "1s", "--wall", "1s"], ["profile", "--alloc"], ["profile", "--format", "a&b"], ["profile", "--out"], ["profile", "127.0.0.1:1", "127.0.0.1:2"],
                          ["profile", "app:80"], ["ready", "--cpu", "1s"], ["heap"], ["heap", "all"], ["heap", "dump", "--out", "x"],
                          ["heap", "dump", "histogram"], ["heap", "histogram", "--out"], ["compiler-events", "60"],
                          ["compiler-events", "1s", "2s"], ["long-turns", "30"], ["long-turns", "--above", "5"], ["native-memory", "all"], ["recording", "go"], ["recording", "start", "--out", "x"],
                          ["recording", "stop", "--slow", "1s"], ["recording", "start", "--slow", "1"],
                          ["recording", "stream", "--slow", "1s"], ["recording", "stream", "--events", "a&b"],
                          ["recording", "stream", "--events", "x" * 401], ["recording", "stream", "--duration", "1"],
                          ["recording", "start", "--settings", "a&b"], ["recording", "--duration", "1s"], ["ready", "--out", "x"]):
            with self.subTest(arguments=arguments):
                status, out, error = self.run_command(*arguments)
                self.assertEqual((64, ""), (status, out))
                self.assertRegex(error, r"\Aremora: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()

"""What is waited for has a bound: children that do not end, tools that do not answer, and servers that stall or trickle."""
import ast
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import remora_measure
from remora_measure.comparisons import h2
from remora_measure.conformance import sampler
from remora_measure.contenders import Run, in_rounds
from remora_measure.errors import CouldNotRun, DidNotEnd, RequestsFailed
from remora_measure.load import h2load, java_tools, key_exchange, newcomers
from remora_measure.machine import children, cores, http2
from remora_measure.results.h2_comparison import About, H2Comparison
from remora_measure.systems import admin_pages
from remora_measure.systems.configurations import GRPC, H2, Ports

PACKAGE = Path(remora_measure.__file__).parent
# The one module that may wait for a child, and a thread of its own that reads lines of a process which another one ends.
CHILDREN, READER = PACKAGE / "machine/children.py", PACKAGE / "conformance/gatling.py"
# So much longer than its bound something may take on a machine with much other work; what has none takes minutes.
SLACK_S = 30
# Ignores what asks it to end, and so does the child that it starts, which keeps its standard output open.
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = os.fork()
# in one write: the lines of both would mix where Python does not buffer
os.write(1, f"{os.getpid()} {child or os.getpid()}\\n".encode())
time.sleep(600)
"""
# A tool that answers only once the file that it is given is there.
SILENT = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    if pathlib.Path(sys.argv[2]).exists():
        print("figure 1", flush=True)
"""


def unbounded(call):
    """What a call waits for without a bound; None where it has one, or waits for nothing."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    owner = call.func.value.id if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) else ""
    named = {keyword.arg for keyword in call.keywords}
    if owner == "subprocess" and name in ("run", "call", "check_call", "check_output", "Popen"):
        return f"subprocess.{name}"
    if name in ("communicate", "urlopen", "HTTPConnection", "HTTPSConnection") and "timeout" not in named:
        return name
    if name == "create_connection" and len(call.args) < 2 and "timeout" not in named:
        return name
    if name in ("wait", "join") and isinstance(call.func, ast.Attribute) and owner != "self" and not call.args and not named:
        return name
    return None


class Sources(unittest.TestCase):
    def test_nothing_is_waited_for_without_a_bound(self):
        found = []
        for file in PACKAGE.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and (what := unbounded(node)) and file != CHILDREN:
                    found.append(f"{file.relative_to(PACKAGE)}:{node.lineno}: {what}")
                if isinstance(node, ast.For) and isinstance(node.iter, ast.Attribute) and node.iter.attr in ("stdout", "stderr") and file != READER:
                    found.append(f"{file.relative_to(PACKAGE)}:{node.lineno}: lines of {node.iter.attr}")
        # a socket to the same process that has just been made
        self.assertEqual(["load/core_control.py: create_connection"], [one.replace(":" + one.split(":")[1], "") for one in found], found)

    def test_the_rule_finds_what_waits(self):
        for text in ("subprocess.run(['x'])", "process.communicate()", "process.wait()", "thread.join()", "urllib.request.urlopen(u)",
                     "socket.create_connection(a)", "http.client.HTTPConnection('h', 1)"):
            self.assertIsNotNone(unbounded(ast.parse(text).body[0].value), text)
        for text in ("children.run(['x'])", "process.wait(3)", "', '.join(words)", "urlopen(u, timeout=1)", "socket.create_connection(a, 3)"):
            self.assertIsNone(unbounded(ast.parse(text).body[0].value), text)


class Children(unittest.TestCase):
    def assert_gone(self, *pids):
        deadline = time.monotonic() + SLACK_S
        while (left := [pid for pid in pids if runs(pid)]) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([], left)

    def stubborn(self):
        process = children.start([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE)
        self.addCleanup(children.kill, process)
        self.addCleanup(process.stdout.close)
        lines = children.Lines(process.stdout)
        pids = {int(word) for _ in range(2) for word in lines.next(20).split()}
        self.assertEqual(2, len(pids))
        return process, pids

    def test_one_that_does_not_end_is_killed_with_what_it_started(self):
        process, pids = self.stubborn()
        began = time.monotonic()
        with self.assertRaisesRegex(DidNotEnd, "^load did not end within 1 s$"):
            children.finish(process, 1, "load")
        self.assertLess(time.monotonic() - began, SLACK_S)
        self.assert_gone(*pids)

    def test_a_program_is_run_within_its_bound(self):
        began = time.monotonic()
        with self.assertRaisesRegex(DidNotEnd, "^load did not end within 1 s$"):
            children.run([sys.executable, "-c", STUBBORN], 1, "load", capture_output=True)
        self.assertLess(time.monotonic() - began, SLACK_S)

    def test_one_that_ignores_the_signal_to_end_is_killed(self):
        process, pids = self.stubborn()
        children.stop(process, 0.3)
        self.assertEqual(-signal.SIGKILL, process.returncode)
        self.assert_gone(*pids)

    def test_one_that_ends_is_not_killed(self):
        done = children.run([sys.executable, "-c", "print(1); raise SystemExit(3)"], 30, capture_output=True, text=True)
        self.assertEqual((3, "1\n"), (done.returncode, done.stdout))
        with self.assertRaises(subprocess.CalledProcessError):
            children.run([sys.executable, "-c", "raise SystemExit(3)"], 30, check=True)

    def test_an_interrupt_kills_what_is_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "told"
            script = STUBBORN.replace("os.write(1,", f"os.write(os.open({str(told)!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT),")

            def interrupt():
                while not told.exists() or len(told.read_text().split()) < 4:
                    time.sleep(0.02)
                os.kill(os.getpid(), signal.SIGINT)

            # a job in the background of a shell ignores the signal
            self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
            threading.Thread(target=interrupt, daemon=True).start()
            with self.assertRaises(KeyboardInterrupt):
                children.run([sys.executable, "-c", script], 60, capture_output=True)
            pids = {int(word) for word in told.read_text().split()}
        self.assert_gone(*pids)

    def test_lines_that_do_not_come_are_not_waited_for(self):
        with children.Output([sys.executable, "-c", "print('a\\n\\nb')"], 30) as run:
            self.assertEqual(["a", "b"], list(run))
        self.assertEqual(0, run.process.returncode)
        with self.assertRaises(DidNotEnd), children.Output([sys.executable, "-c", "import time; print('a', end='', flush=True); time.sleep(600)"], 0.5) as run:
            list(run)
        self.assert_gone(run.process.pid)


def runs(pid):
    """Not so of one that is waited for by nobody."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Tools(unittest.TestCase):
    @contextlib.contextmanager
    def silent(self):
        """A tool, and the file without which it does not answer, which is not there yet."""
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as log:
            answers = Path(folder) / "answers"
            with java_tools.Tool([sys.executable, "-c", SILENT, "io.remora.loadtest.SilentTool", str(answers)], log) as tool:
                yield tool, answers

    def give_up(self, tool):
        """Waits for an answer that does not come."""
        first = tool.process
        with unittest.mock.patch.object(java_tools, "ANSWER_S", 0.5), self.assertRaisesRegex(DidNotEnd, "^the silent tool did not end within 1 s$"):
            tool.ask("go", lasts=0.5)
        self.assertEqual(-signal.SIGKILL, first.returncode)

    def test_a_tool_that_does_not_answer_is_killed_and_started_again(self):
        with self.silent() as (tool, answers):
            first = tool.process
            self.give_up(tool)
            answers.touch()
            self.assertEqual({"figure": 1.0}, tool.ask("go"))
            self.assertNotEqual(first.pid, tool.process.pid)

    def test_a_tool_that_is_started_again_is_prepared_before_its_next_command(self):
        with self.silent() as (tool, answers):
            answers.touch()
            prepared = []
            tool.prepare(lambda: prepared.append((tool.process.pid, tool.ask("warm")["figure"])))
            self.assertEqual([(tool.process.pid, 1.0)], prepared)
            tool.ask("go")
            self.assertEqual(1, len(prepared))
            answers.unlink()
            self.give_up(tool)
            answers.touch()
            tool.ask("go")
            self.assertEqual([(tool.process.pid, 1.0)], prepared[1:])

    def test_a_meter_that_is_started_again_speaks_for_the_same_cores(self):
        every = os.sched_getaffinity(0)
        if len(every) < 2:
            self.skipTest("this machine has one core")
        with self.silent() as (tool, answers), cores.kept_to({min(every)}):
            tool.prepare(lambda: cores.move(tool.process.pid, every))
            self.give_up(tool)
            answers.touch()
            tool.ask("go")
            self.assertEqual(every, os.sched_getaffinity(tool.process.pid))

    def test_a_preparation_that_does_not_end_is_made_up_for(self):
        with self.silent() as (tool, answers):
            answers.touch()
            tool.prepare(lambda: tool.ask("warm"))
            answers.unlink()
            self.give_up(tool)
            with unittest.mock.patch.object(java_tools, "ANSWER_S", 0.5), self.assertRaises(DidNotEnd):
                tool.revive()
            answers.touch()
            tool.revive()
            self.assertIsNone(tool.process.poll())

    def test_a_load_whose_answer_nobody_waited_for_does_not_go_on_in_the_next_run(self):
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as log, \
                unittest.mock.patch.object(java_tools, "java", lambda *_: [sys.executable, "-c", SILENT, "io.remora.loadtest.LoadSession", str(Path(folder) / "answers")]), \
                java_tools.LoadSession(Path(folder), "", log, Ports(1, 2, 3)) as session:
            first = session.process
            session.begin(1, 1, 0, 600)
            session.revive()
            self.assertEqual(-signal.SIGKILL, first.returncode)
            self.assertEqual((0, None), (session.owed, session.process.poll()))


@contextlib.contextmanager
def server(serve):
    """A port on which each connection is served by a thread, until the end of the test."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def accept():
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=served, args=(listener.accept()[0],), daemon=True).start()

        def served(connection):
            with connection, contextlib.suppress(OSError):
                serve(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]


def stall(connection):
    """Reads nothing, and sends nothing."""
    time.sleep(600)


def trickle(head, piece):
    def serve(connection):
        connection.sendall(head)
        while True:
            connection.sendall(piece)
            time.sleep(0.02)
    return serve


# The head of a handshake record of 16 KiB, which does not come whole.
TRICKLE_TLS = trickle(b"\x16\x03\x03\x40\x00", b"\0")


class Peers(unittest.TestCase):
    def bounded(self, seconds, what, action):
        began = time.monotonic()
        with self.assertRaises(what):
            action()
        self.assertLess(time.monotonic() - began, seconds)

    def test_a_page_that_stalls_or_trickles_has_a_bound(self):
        endless = trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"x")
        for serve in (stall, endless, trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n")):
            with server(serve) as port:
                self.bounded(SLACK_S, OSError, lambda: admin_pages.fetch(port, "/metrics", timeout=0.5))

    def test_a_page_that_is_cut_is_no_page(self):
        def cut(connection):
            connection.recv(1000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        with server(cut) as port, self.assertRaises(OSError):
            admin_pages.fetch(port, "/metrics")

    def test_an_exchange_over_http2_has_a_bound_as_a_whole(self):
        settings = http2.frame(http2.SETTINGS, 0, 0, b"")
        for serve in (stall, trickle(settings, http2.frame(6, 0, 0, bytes(8))), trickle(settings, b"\0")):
            with server(serve) as port:
                self.bounded(SLACK_S, OSError, lambda: http2.connect(port, 0.5))

    def test_a_handshake_that_stalls_or_trickles_has_a_bound(self):
        context = newcomers.ssl.create_default_context()
        for serve in (stall, TRICKLE_TLS):
            with server(serve) as port, unittest.mock.patch.object(newcomers, "TIMEOUT_S", 0.5):
                self.bounded(SLACK_S, OSError, lambda: newcomers.handshake(port, context))
                self.bounded(SLACK_S, OSError, lambda: newcomers.session_of(port, context))

    def test_a_handshake_for_http2_is_within_the_bound_of_its_exchange(self):
        for serve in (stall, TRICKLE_TLS):
            with server(serve) as port:
                began = time.monotonic()
                self.bounded(SLACK_S, OSError, lambda: http2.connect(port, 1, newcomers.ssl.create_default_context()))
                self.assertGreater(time.monotonic() - began, 0.9)
        with server(stall) as port, socket.create_connection(("127.0.0.1", port), 5) as connection:
            # what was used up before counts
            self.bounded(1, TimeoutError, lambda: http2.secured(connection, newcomers.ssl.create_default_context(), time.monotonic() - 1))

    def test_newcomers_that_do_not_end_are_no_result(self):
        # which ends after a while, so that its threads do not outlive the test by much
        slow = trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n", b"x")
        with server(slow) as port, unittest.mock.patch.object(newcomers, "TIMEOUT_S", 0.3):
            coming = newcomers.Newcomers(port, None, 100)
            time.sleep(0.3)
            self.bounded(SLACK_S, DidNotEnd, coming.end)

    def test_a_sample_that_does_not_end_is_no_result(self):
        with tempfile.TemporaryDirectory() as folder, server(trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b"x")) as port, \
                unittest.mock.patch.object(sampler, "JOIN_S", 0.1):
            samples = sampler.Sampler(os.getpid(), port, Path(folder) / "samples")
            time.sleep(0.1)
            self.bounded(SLACK_S, DidNotEnd, samples.end)
            samples.join(SLACK_S)
            self.assertEqual(samples.samples, samples.end())

    def test_a_client_that_is_not_built_in_time_is_not_measured(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(key_exchange, "COMPILE_S", 0.5):
            go = Path(folder) / "go"
            go.write_text("#!/bin/sh\nsleep 600\n")
            go.chmod(0o755)
            with unittest.mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"):
                self.assertEqual("the build of its client did not end within 0 s", key_exchange.build(Path(folder) / "handshakes"))
                self.assertIsNone(key_exchange.compiled(Path(folder)))

    @unittest.skipUnless(h2load.shutil.which("h2load"), "h2load is not installed")
    def test_a_closed_loop_against_a_server_that_stalls_ends(self):
        for serve in (stall, trickle(http2.frame(http2.SETTINGS, 0, 0, b""), http2.frame(6, http2.ACK, 0, bytes(8)))):
            with server(serve) as port, unittest.mock.patch.object(h2load, "GRACE_S", 2.0):
                self.bounded(SLACK_S, (DidNotEnd, CouldNotRun, RequestsFailed), lambda: require_done(h2load.closed_loop(port, "/body", 2, 2, 1)))


def require_done(told):
    if told.failed or not told.done:
        raise RequestsFailed("none was answered")


class Rounds(unittest.TestCase):
    def test_an_arm_that_does_not_end_has_failed_and_the_next_one_follows(self):
        told, saved = H2Comparison({"rate": 1000, "connections": 1, "streams": 1, "body": 1}, {}), []
        stuck, good = About("haproxy", H2), About("image", H2)

        def hang():
            raise DidNotEnd("load", 12)

        def runs(_):
            for about, measure in ((stuck, hang), (good, lambda: {"peak_rss_mb": 30.0, "cpu_us": 100.0})):
                told.expect(about)
                yield Run(about.name, measure, lambda number, row, about=about: told.add(number, about, row))

        in_rounds(2, runs, told, lambda: saved.append(len(told.failed_arms)))
        self.assertEqual([1, 1, 2, 2], saved)
        self.assertEqual([{"round": 1, "arm": "haproxy HTTP/2", "why": "load did not end within 12 s"}, {"round": 2, "arm": "haproxy HTTP/2",
                          "why": "load did not end within 12 s"}], told.failed_arms)
        self.assertEqual(2, len(told.rows["image HTTP/2"]))
        page = told.markdown()
        self.assertIn("**Failed: round 1, arm haproxy HTTP/2: load did not end within 12 s; round 2", page)
        self.assertRegex(page, r"\| haproxy HTTP/2 +\| +failed \| +failed \|")
        self.assertRegex(page, r"\| image HTTP/2 +\| +30.0 \| +100 \|")

    def test_tools_are_ready_again_before_each_run(self):
        order = []

        class Killed:
            def revive(self):
                order.append("ready")

        def hang():
            order.append("hang")
            raise DidNotEnd("load", 12)

        def measure():
            order.append("measure")
            return {}
        told = H2Comparison({}, {})
        in_rounds(1, lambda _: [Run("stuck", hang, lambda *_: None), Run("good", measure, lambda *_: None)], told, lambda: None, [Killed()])
        self.assertEqual(["ready", "hang", "ready", "measure"], order)

    def test_a_tool_that_does_not_get_ready_fails_the_arm_of_the_run(self):
        class Stuck:
            def revive(self):
                raise DidNotEnd("load", 46)
        told = H2Comparison({}, {})
        in_rounds(1, lambda _: [Run("image", self.fail, lambda *_: None)], told, lambda: None, [Stuck()])
        self.assertEqual(["load did not end within 46 s"], [one["why"] for one in told.failed_arms])

    def test_a_bar_of_an_arm_that_failed_says_so(self):
        told = H2Comparison({"rate": 1000, "connections": 1, "streams": 1, "body": 1}, {})
        told.expect(About("image", GRPC))
        told.fail(0, "image gRPC", "load did not end within 12 s")
        self.assertEqual(["failed"], [one["result"] for one in told.judged()])

    def test_what_stops_it_names_the_arm(self):
        for kind in (RequestsFailed, CouldNotRun):
            def fail(kind=kind):
                raise kind("3 requests failed")
            with self.assertRaisesRegex(kind, "^arm image: 3 requests failed$"):
                in_rounds(1, lambda _, fail=fail: [Run("image", fail, lambda *_: None)], H2Comparison({}, {}), lambda: None)

    def test_a_peer_whose_load_hangs_beside_a_stalled_stream_has_failed_and_keeps_its_other_figures(self):
        failed = []

        def hang():
            raise DidNotEnd("load", 50)
        self.assertEqual({}, h2.beside_stalled(About("haproxy", H2), hang, failed.append))
        self.assertEqual(["with a stalled stream, load did not end within 50 s"], failed)
        with self.assertRaises(DidNotEnd):
            h2.beside_stalled(About("i386-client", H2), hang, failed.append)


if __name__ == "__main__":
    unittest.main()

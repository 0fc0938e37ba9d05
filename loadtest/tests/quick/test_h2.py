"""Runs over HTTP/2, gRPC and TCP: what is asked for, what is judged otherwise, and the client that sees whether somebody answers."""
import socket
import threading
import unittest

from remora_measure.conformance import plan, protocol_rows, verdict
from remora_measure.errors import CouldNotRun
from remora_measure.load import h2load, java_tools
from remora_measure.machine import http2, processes

H2LOAD = """
finished in 3.00s, 17078.00 req/s, 17.9MB/s
requests: 51234 total, 51298 started, 51234 done, 51230 succeeded, 4 failed, 0 errored, 0 timeout
status codes: 51229 2xx, 0 3xx, 2 4xx, 3 5xx
traffic: 51.28MB (53772288) total, 731.96KB (749526) headers (space savings 95.17%), 50.02MB (52450816) data
"""


class Words(unittest.TestCase):
    def test_it_is_http1_by_default_and_one_of_four(self):
        self.assertEqual("http1", plan.read("conformance", "", []).protocol)
        over = {protocol: plan.read("conformance", "", ["--protocol", protocol]).is_over_http2 for protocol in ("http1", "h2", "grpc", "tcp")}
        self.assertEqual({"http1": False, "h2": True, "grpc": True, "tcp": False}, over)
        with self.assertRaises(CouldNotRun):
            plan.read("conformance", "", ["--protocol", "http3"])

    def test_it_stands_alone(self):
        self.assertEqual(("mtls", True), ((both := plan.read("conformance", "", ["--protocol", "h2", "--tls", "mtls"])).tls, both.is_over_http2))
        with self.assertRaisesRegex(CouldNotRun, "--protocol tcp"):
            plan.read("conformance", "", ["--protocol", "tcp", "--tls", "mtls"])
        for words in (["--tls", "tls"], ["--features", "mesh"], ["--engine", "finagle", "--image", "host"]):
            with self.assertRaisesRegex(CouldNotRun, "--protocol h2"):
                plan.read("conformance", "", ["--protocol", "h2", *words])


class Rows(unittest.TestCase):
    def test_http2_has_a_higher_bar_of_memory_and_tcp_has_not(self):
        self.assertEqual([0.0, 3.0, 3.0, 0.0], [protocol_rows.rss_mb(protocol) for protocol in ("http1", "h2", "grpc", "tcp")])
        results = [verdict.resource_rows(1000, rss, 0.1, 0, verdict.QUIET, protocol_rows.rss_mb("h2"), protocol_rows.rss_note("h2"))[0].result
                   for rss in (118.0, 118.1)]
        self.assertEqual([verdict.PASS, verdict.FAIL], results)
        self.assertEqual("", protocol_rows.rss_note("tcp"))

    def test_the_clock_that_is_not_there_is_missing_without_spoiling_a_pass(self):
        self.assertEqual([], protocol_rows.clock_rows("http1", None))
        for protocol, name in (("h2", protocol_rows.WIRE), ("grpc", protocol_rows.WIRE), ("tcp", protocol_rows.OWN)):
            row, = protocol_rows.clock_rows(protocol, "why")
            self.assertEqual((name, verdict.MISSING, None), (row.name, row.result, row.bar))
            self.assertEqual(verdict.PASS, verdict.overall([row]))

    def test_a_tunnel_is_judged_by_the_wire_and_without_it_not_at_all(self):
        wire = {"wire": {"p99_us": 1100.0, "curve": [[0.0, 1.0], [100.0, 1100.0]]}}
        self.assertEqual(verdict.FAIL, verdict.latency_row("p99", "p99_us", 1.0, wire).result)
        self.assertEqual(verdict.INCONCLUSIVE, verdict.latency_row("p99", "p99_us", 1.0, {}).result)


class H2load(unittest.TestCase):
    def test_what_it_prints_is_read_and_other_answers_have_failed(self):
        self.assertEqual(h2load.Told(51234, 5, 3.0, 52_450_816), h2load.read(H2LOAD))
        self.assertEqual(4, h2load.read(H2LOAD.replace("3 5xx", "0 5xx")).failed)
        self.assertAlmostEqual(0.0005, h2load.read(H2LOAD.replace("3.00s", "500us")).seconds)

    def test_what_it_does_not_print_is_no_figure(self):
        with self.assertRaises(CouldNotRun):
            h2load.read(H2LOAD.replace("requests:", "questions:"))

    def test_a_message_says_its_length(self):
        self.assertEqual(b"\0\0\0\1\0" + 256 * b"x", h2load.message(256))


class Answering(unittest.TestCase):
    def test_whoever_answers_with_200_answers(self):
        port, = processes.free_ports(1)
        with open("/dev/null", "wb") as log, java_tools.Backend(processes.default_java_home(), log, port, java_tools.Answers(64)) as backend:
            self.assertTrue(http2.answers(port))
            with http2.idle(port, 20):
                self.assertTrue(processes.answers(port), "the same port speaks HTTP/1.1")
            backend.errors(1)
            self.assertFalse(http2.answers(port))
            with self.assertRaises(OSError), http2.idle(port, 1):
                pass
        self.assertFalse(http2.answers(port))

    def test_who_speaks_something_else_does_not(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=greet, args=(server,), daemon=True).start()
            self.assertFalse(http2.answers(server.getsockname()[1]))

    def test_trailers_are_no_status(self):
        answer = b"".join((http2.frame(http2.SETTINGS, 0, 0, b""), http2.frame(http2.HEADERS, http2.END_HEADERS, 1, b"\x88"),
                           http2.frame(0, 0, 1, b"there"), http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, 1, b"\x00\x01x\x010")))
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=greet, args=(server, answer), daemon=True).start()
            self.assertTrue(http2.answers(server.getsockname()[1]))

    def test_a_status_is_read_behind_padding_and_changes_of_the_table(self):
        ok, error = b"\x88rest", b"\x8drest"
        for flags, before in ((0, b""), (http2.PADDED, b"\0"), (http2.PRIORITY, b"\0\0\0\0\1"), (0, b"\x20"), (0, b"\x3f\xe1\x1f")):
            self.assertEqual((200, 404), (http2.status_of(flags, before + ok), http2.status_of(flags, before + error)), before)


def greet(server, answer=b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"):
    connection, _ = server.accept()
    with connection:
        connection.sendall(answer)
        while connection.recv(1000):
            pass  # until the client is done, or what was sent is lost with a reset


if __name__ == "__main__":
    unittest.main()

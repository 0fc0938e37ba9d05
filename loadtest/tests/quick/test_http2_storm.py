"""Crowds and canaries of a storm over HTTP/2, against servers that speak it frame by frame."""
import contextlib
import socket
import struct
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

from remora_measure import canaries, storms
from remora_measure.load import http2_crowds, java_tools
from remora_measure.machine import http2, processes
from remora_measure.machine.http2 import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame
from remora_measure.systems.certificates import Tls

HTTP2 = storms.Front(is_http2=True)
# The table's size, :status 503 as a literal, and one more field, as a sidecar answers on a new connection.
BUSY = bytes.fromhex("3fe107" "0803353033" "0f1296")
OK = frame(HEADERS, END_HEADERS, 1, b"\x88")
WAIT_S = 10


class Server:
    """Accepts connections, and reads frames of them."""

    def __init__(self, test):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(WAIT_S)
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.listener.close)
        self.test = test

    def accept(self):
        connection, _ = self.listener.accept()
        self.test.addCleanup(connection.close)
        connection.settimeout(WAIT_S)
        return connection

    def greeted(self):
        """A connection whose preface and settings have come."""
        connection = self.accept()
        until = time.monotonic() + WAIT_S
        self.test.assertEqual(http2.PREFACE, http2.exactly(connection, len(http2.PREFACE), until))
        self.test.assertEqual((SETTINGS, 0), http2.read_frame(connection, until)[:2])
        self.test.assertEqual(WINDOW_UPDATE, http2.read_frame(connection, until)[0])
        return connection


def read(connection):
    return http2.read_frame(connection, time.monotonic() + WAIT_S)


class Statuses(unittest.TestCase):
    def test_it_is_found_in_each_way_of_writing_it(self):
        for status, section in ((200, b"\x88"), (500, b"\x8e"), (503, BUSY), (503, b"\x48\x03503"), (503, b"\x18\x03503"), (429, b"\x08\x03429"),
                                # in the Huffman code, with its padding
                                (503, bytes.fromhex("08836c0cff")), (302, bytes.fromhex("48826402")), (999, bytes.fromhex("08837df7ff"))):
            with self.subTest(section):
                self.assertEqual(status, http2.status_of(END_HEADERS, section))

    def test_what_is_none_is_0(self):
        for section in (b"", b"\x83", b"\x3f", b"\x08", b"\x08\x02ok", b"\x04\x03503", b"\x08\x0350", bytes.fromhex("08816c")):
            with self.subTest(section):
                self.assertEqual(0, http2.status_of(END_HEADERS, section))


class Case(unittest.TestCase):
    def enter(self, context):
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)


class Canaries(Case):
    def test_it_tells_the_status_of_a_server(self):
        port, = processes.free_ports(1)
        canary = storms.Canary(port, HTTP2)
        # the first answers are slow
        self.enter(unittest.mock.patch.object(canaries, "CANARY_S", WAIT_S))
        with open("/dev/null", "wb") as log, java_tools.Backend(processes.default_java_home(), log, port, java_tools.Answers(64)) as backend:
            self.assertEqual(200, canary.ask())
            backend.errors(1)
            self.assertEqual(500, canary.ask())
        self.assertEqual(0, canary.ask(), "nobody listens")

    def asked(self, *frames):
        """What a canary tells of an answer."""
        server = Server(self)
        told = []
        canary = storms.Canary(server.port, HTTP2)
        asking = threading.Thread(target=lambda: told.append(canary.ask()))
        asking.start()
        server.accept().sendall(b"".join(frames))
        asking.join(WAIT_S)
        self.why = [why for _, why in canary.failures]
        return told[0]

    def test_busy_refused_and_late_are_told_apart(self):
        settings = frame(SETTINGS, 0, 0, b"")
        self.assertEqual(503, self.asked(settings, frame(HEADERS, END_HEADERS, 1, BUSY), frame(DATA, END_STREAM, 1, b"busy")))
        # an interim answer is none
        self.assertEqual(200, self.asked(settings, frame(HEADERS, END_HEADERS, 1, b"\x08\x03103"), OK, frame(DATA, END_STREAM, 1, b"")))
        self.assertEqual([], self.why)
        self.assertEqual(0, self.asked(settings, frame(RST_STREAM, 0, 1, struct.pack(">I", 7))))
        self.assertEqual(["ask: RST_STREAM REFUSED_STREAM"], self.why)
        self.assertEqual(0, self.asked(settings, frame(GOAWAY, 0, 0, struct.pack(">II", 0, 11))))
        self.assertEqual(["ask: GOAWAY ENHANCE_YOUR_CALM"], self.why)
        # the streams up to the last one are served
        self.assertEqual(200, self.asked(settings, frame(GOAWAY, 0, 0, struct.pack(">II", 1, 0)), OK, frame(DATA, END_STREAM, 1, b"")))
        with unittest.mock.patch.object(canaries, "CANARY_S", 0.2):
            self.assertEqual(0, self.asked(settings, OK))


class Slow(unittest.TestCase):
    def setUp(self):
        self.server = Server(self)

    def client(self, asked, each_second):
        client = http2_crowds.Http2Slow(self.server.port, asked, each_second)
        self.addCleanup(lambda: client.socket and client.socket.close())
        return client

    def turns(self, client, until, what):
        end = time.monotonic() + WAIT_S
        while not until():
            self.assertLess(time.monotonic(), end, what)
            client.turn(time.monotonic())

    def test_it_asks_once_it_has_the_settings(self):
        client = self.client(http2_crowds.get(1, 1000), None)
        client.turn(time.monotonic())
        self.turns(client, lambda: not client.first, "the greeting is sent")
        connection = self.server.greeted()
        client.turn(time.monotonic())
        self.assertTrue(client.is_busy())
        connection.sendall(frame(SETTINGS, 0, 0, b""))
        self.turns(client, lambda: client.greeted and not client.first, "the request is sent")
        self.assertEqual((SETTINGS, ACK, b""), read(connection))
        kind, flags, section = read(connection)
        self.assertEqual((HEADERS, END_HEADERS | END_STREAM), (kind, flags))
        self.assertIn(b"/1000", section)
        self.assertFalse(client.is_busy())

    def test_the_end_of_its_stream_or_connection_is_its_own(self):
        for ends in (frame(RST_STREAM, 0, 1, bytes(4)), frame(GOAWAY, 0, 0, bytes(8)), frame(HEADERS, END_HEADERS | END_STREAM, 1, BUSY),
                     OK + frame(DATA, END_STREAM, 1, b"x")):
            for each_second in (None, frame(DATA, 0, 1, b"x")):
                with self.subTest(ends=ends, each_second=each_second):
                    client = self.client(http2_crowds.post(1, 1000), each_second)
                    client.turn(time.monotonic())
                    self.turns(client, lambda: not client.first, "the greeting is sent")
                    connection = self.server.greeted()
                    # none of these ends anything
                    connection.sendall(frame(SETTINGS, 0, 0, b"") + frame(SETTINGS, ACK, 0, b"") + frame(WINDOW_UPDATE, 0, 0, bytes(3) + b"\1") + OK)
                    self.turns(client, lambda: client.greeted and not client.first, "the request is sent")
                    for _ in range(3):
                        client.turn(time.monotonic())
                    self.assertIsNotNone(client.socket)
                    connection.sendall(ends)
                    self.turns(client, lambda: client.socket is None, "it leaves")
                    self.assertGreater(client.back_at, time.monotonic())

    def test_a_head_comes_octet_by_octet_in_one_frame(self):
        client = self.client(http2_crowds.LONG_BLOCK, b"x")
        client.turn(time.monotonic())
        self.turns(client, lambda: not client.first, "the greeting is sent")
        connection = self.server.greeted()
        connection.sendall(frame(SETTINGS, 0, 0, b""))
        self.turns(client, lambda: client.greeted and not client.first, "the head begins")
        client.turn(time.monotonic())
        client.turn(time.monotonic())
        read(connection)
        head = http2.exactly(connection, 11, time.monotonic() + WAIT_S)
        self.assertEqual((8_000, HEADERS, b"xx"), (int.from_bytes(head[:3], "big"), head[3], head[9:]))

    def test_heads_are_found_in_pieces_of_each_size(self):
        octets = frame(SETTINGS, 0, 0, bytes(12)) + frame(HEADERS, END_HEADERS, 1, b"\x88") + frame(DATA, END_STREAM, 1, bytes(30)) + frame(GOAWAY, 0, 0, b"")
        for size in range(1, len(octets) + 1):
            heads = http2_crowds.Heads()
            found = [one for at in range(0, len(octets), size) for one in heads.feed(octets[at:at + size])]
            self.assertEqual([(SETTINGS, 0), (HEADERS, END_HEADERS), (DATA, END_STREAM), (GOAWAY, 0)], found)


class FullSpeed(Case):
    SIZE = 100_000

    def setUp(self):
        self.enter(unittest.mock.patch.object(http2_crowds, "BODY_BYTES", self.SIZE))
        self.server = Server(self)
        self.failed = []

    def run_client(self, *steps):
        """In a thread, which keeps what went wrong."""
        def run():
            try:
                with socket.create_connection(("127.0.0.1", self.server.port), WAIT_S) as one:
                    connection = http2_crowds.FullSpeed(one)
                    for step in steps:
                        getattr(connection, step)()
            except OSError as failed:
                self.failed.append(failed)
        client = threading.Thread(target=run)
        client.start()
        return client

    def test_a_body_keeps_to_the_windows_of_its_stream_and_of_the_connection(self):
        client = self.run_client("up", "down")
        connection = self.server.greeted()
        # of the stream less than the connection's, which is the default
        connection.sendall(frame(SETTINGS, 0, 0, struct.pack(">HI", http2_crowds.INITIAL_WINDOW_SIZE, 20_000)))
        self.assertEqual((SETTINGS, ACK, b""), read(connection))
        self.assertEqual(HEADERS, read(connection)[0])
        for got, grants in ((20_000, {1: 80_000}), (65_535, {0: 50_000})):
            self.receive(connection, got)
            connection.settimeout(0.3)
            with self.assertRaises(TimeoutError):
                connection.recv(1)
            for stream, more in grants.items():
                connection.sendall(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", more)))
        self.receive(connection, self.SIZE)
        self.assertTrue(self.last & END_STREAM)
        connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x88"))
        kind, flags, section = read(connection)
        self.assertEqual((HEADERS, END_HEADERS | END_STREAM), (kind, flags))
        self.assertIn(str(self.SIZE).encode(), section)
        connection.sendall(frame(HEADERS, END_HEADERS, 3, b"\x88") + frame(DATA, 0, 3, bytes(1000)))
        client.join(0.2)
        self.assertTrue(client.is_alive())
        connection.sendall(frame(DATA, END_STREAM, 3, b"x"))
        client.join(WAIT_S)
        self.assertEqual((False, []), (client.is_alive(), self.failed))

    received, last = 0, 0

    def receive(self, connection, until):
        while self.received < until:
            kind, self.last, payload = read(connection)
            self.assertEqual(DATA, kind)
            self.received += len(payload)
        self.assertEqual(until, self.received)

    def test_an_answer_before_the_end_of_the_body_ends_it_and_a_reset_all(self):
        for told, then in ((frame(HEADERS, END_HEADERS | END_STREAM, 1, BUSY), 0), (frame(RST_STREAM, 0, 1, bytes(4)), 1), (b"", 1)):
            with self.subTest(told):
                self.failed.clear()
                client = self.run_client("up")
                connection = self.server.greeted()
                connection.sendall(frame(SETTINGS, 0, 0, b"") + told)
                if not told:
                    connection.close()
                client.join(WAIT_S)
                self.assertEqual((False, then), (client.is_alive(), len(self.failed)))


class Arms(unittest.TestCase):
    def test_a_listener_has_what_its_clients_speak(self):
        tls = Tls("tls", Path("/certificates"))
        self.assertEqual("", storms.PLAIN.lines())
        self.assertEqual("protocol: http2", HTTP2.lines())
        both = storms.Front(tls, True).lines()
        self.assertEqual("\n".join(["protocol: http2", '    tls: { certificates: [{ chain: "/certificates/sidecar.crt", key: "/certificates/sidecar.key" }] }']), both)
        self.assertEqual(both.partition("\n    ")[2], storms.Front(tls).lines())

    def test_a_sidecar_gets_the_least_limit_that_its_configuration_needs(self):
        tried = []

        def start(name, limit, *_):
            tried.append(limit)
            if len(tried) < 3:
                raise storms.DidNotStart(storms.UNFIT, "too little")
            return unittest.mock.Mock()

        with unittest.mock.patch.object(storms, "start", start):
            self.assertEqual((28 << 20) + 2 * storms.MORE_BYTES, storms.least_limit("i386", 28 << 20, Path(), None, HTTP2))
            for status in (69, None):
                with unittest.mock.patch.object(storms, "start", side_effect=storms.DidNotStart(status, "another reason")) as starts:
                    with self.assertRaisesRegex(storms.DidNotStart, "another reason"):
                        storms.least_limit("i386", 28 << 20, Path(), None, HTTP2)
                    self.assertEqual(1, starts.call_count)
            with unittest.mock.patch.object(storms, "start", side_effect=storms.DidNotStart(storms.UNFIT, "never")), \
                    self.assertRaisesRegex(storms.DidNotStart, "never"):
                storms.least_limit("i386", 28 << 20, Path(), None, HTTP2)

    def test_a_crowd_of_http2_is_one(self):
        server = Server(self)
        crowd = storms.crowd("idle", 2, server.port, HTTP2)
        self.addCleanup(storms.stop_all, [crowd])
        with contextlib.ExitStack() as opened:
            for _ in range(2):
                connection = opened.enter_context(server.greeted())
                connection.sendall(frame(SETTINGS, 0, 0, b""))
                self.assertEqual((SETTINGS, ACK, b""), read(connection))


if __name__ == "__main__":
    unittest.main()

"""The crowds of crowds.py over HTTP/2, by prior knowledge or over TLS, with one stream on each connection:

    python -m remora_measure.load.http2_crowds KIND COUNT PORT [AUTHORITY]

KIND is slow-readers, slow-posts, idle, slow-heads or full-speed. Each client keeps to the protocol: it waits for the server's settings and acknowledges them
before it asks for anything, and what it sends fits into the windows of the server. Its own windows are open, so that only the socket holds back what it does
not read.
"""
from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Iterator

from ..machine import http2
from ..machine.http2 import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE, field, frame
from .crowds import BODY_BYTES, FILE_BYTES, PIECE, WAITS, Kinds, Slow, connected, run_crowd, run_in_turns, run_threads

INITIAL_WINDOW_SIZE = 4
# Without a setting, of a stream and of the connection; and the largest.
DEFAULT_WINDOW, MOST_WINDOW = 65_535, (1 << 31) - 1
FRAME_OCTETS = 16_384
HEAD_OCTETS = 9
MOST_FRAME_S = 30
# Octets of a header block that never comes whole.
LONG_BLOCK = frame(HEADERS, END_HEADERS | END_STREAM, 1, b"x" * 8_000)[:HEAD_OCTETS]
GREETING = (http2.PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, MOST_WINDOW))
            + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", MOST_WINDOW - DEFAULT_WINDOW)))
ACKNOWLEDGED = frame(SETTINGS, ACK, 0, b"")


def request(stream: int, method: str, path: str, flags: int, *more: tuple[str, str]) -> bytes:
    fields = ((":method", method), (":scheme", "http"), (":authority", "app"), (":path", path), *more)
    return frame(HEADERS, END_HEADERS | flags, stream, b"".join(field(*one) for one in fields))


def get(stream: int, size: int) -> bytes:
    return request(stream, "GET", f"/{size}", END_STREAM)


def post(stream: int, size: int) -> bytes:
    return request(stream, "POST", "/sink", 0, ("content-length", str(size)))


class Heads:
    """Tells the heads of frames in octets that come in pieces, and keeps nothing of what follows them."""

    def __init__(self) -> None:
        self.head, self.left = b"", 0

    def feed(self, octets: bytes) -> Iterator[tuple[int, int]]:
        """The type and the flags of each frame that begins in these octets."""
        while octets:
            if self.left:
                skipped = min(self.left, len(octets))
                self.left, octets = self.left - skipped, octets[skipped:]
                continue
            taken = HEAD_OCTETS - len(self.head)
            self.head, octets = self.head + octets[:taken], octets[taken:]
            if len(self.head) == HEAD_OCTETS:
                self.left = int.from_bytes(self.head[:3], "big")
                yield self.head[3], self.head[4]
                self.head = b""


class Http2Slow(Slow):
    """One client of a crowd: greets, waits for the settings, asks, and does something each second until its stream or its connection ends."""

    def __init__(self, port: int, asked: bytes, each_second: bytes | None, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(port, GREETING, each_second, tls)
        self.asked, self.heads, self.greeted = asked, Heads(), False

    def connect(self) -> None:
        super().connect()
        self.heads, self.greeted = Heads(), False

    def is_busy(self) -> bool:
        return super().is_busy() or not self.greeted

    def step(self) -> None:
        if self.first or self.greeted:
            super().step()
        else:
            self.read()

    def look(self) -> None:
        try:
            self.read()
        except WAITS:
            pass

    def judge(self, octets: bytes) -> None:
        for kind, flags in self.heads.feed(octets):
            if kind == SETTINGS and not flags & ACK and not self.greeted:
                self.greeted, self.first = True, ACKNOWLEDGED + self.asked
            elif kind in (RST_STREAM, GOAWAY) or (kind in (DATA, HEADERS) and flags & END_STREAM):
                raise ConnectionResetError


class FullSpeed:
    """One connection that is up and down once, with the windows of its stream and of the whole."""

    def __init__(self, one: socket.socket) -> None:
        self.socket, self.initial, self.room = one, DEFAULT_WINDOW, {0: DEFAULT_WINDOW, 1: DEFAULT_WINDOW}
        self.is_greeted = self.is_over = False
        one.sendall(GREETING)
        while not self.is_greeted:
            self.take()

    def take(self) -> None:
        """Reads a frame. Raises OSError where that ends the stream or the connection."""
        until = time.monotonic() + MOST_FRAME_S
        head = http2.exactly(self.socket, HEAD_OCTETS, until)
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
        payload = http2.exactly(self.socket, int.from_bytes(head[:3], "big"), until)
        if kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload), 6):
                name, value = struct.unpack_from(">HI", payload, at)
                if name == INITIAL_WINDOW_SIZE:
                    self.room[1], self.initial = self.room[1] + value - self.initial, value
            self.socket.sendall(ACKNOWLEDGED)
            self.is_greeted = True
        elif kind == WINDOW_UPDATE and stream in self.room:
            self.room[stream] += int.from_bytes(payload, "big")
        elif kind == PING and not flags & ACK:
            self.socket.sendall(frame(PING, ACK, 0, payload))
        elif kind in (RST_STREAM, GOAWAY):
            raise ConnectionResetError
        self.is_over = kind in (DATA, HEADERS) and bool(flags & END_STREAM)

    def up(self) -> None:
        """Windows are looked at where they are used up: what updates them waits in the socket until then."""
        self.socket.sendall(post(1, BODY_BYTES))
        left = BODY_BYTES
        while left and not self.is_over:
            if (size := min(left, FRAME_OCTETS, *self.room.values())) > 0:
                left -= size
                self.socket.sendall(frame(DATA, 0 if left else END_STREAM, 1, PIECE[:size]))
                self.room = {stream: room - size for stream, room in self.room.items()}
            else:
                self.take()
        while not self.is_over:
            self.take()

    def down(self) -> None:
        self.socket.sendall(get(3, BODY_BYTES))
        heads = Heads()
        while piece := self.socket.recv(65536):
            for kind, flags in heads.feed(piece):
                if kind in (RST_STREAM, GOAWAY):
                    raise ConnectionResetError
                if kind in (DATA, HEADERS) and flags & END_STREAM:
                    return
        raise ConnectionResetError


def full_speed(port: int, tls: ssl.SSLContext | None) -> None:
    """Up and down in turns."""
    while True:
        try:
            with connected(port, tls) as one:
                connection = FullSpeed(one)
                connection.up()
                connection.down()
        except OSError:
            pass
        time.sleep(0.2)


def slow_crowd(count: int, port: int, asked: bytes, each_second: bytes | None, tls: ssl.SSLContext | None) -> None:
    run_in_turns([Http2Slow(port, asked, each_second, tls) for _ in range(count)], True)


KINDS: Kinds = {
    "slow-readers": lambda count, port, tls: slow_crowd(count, port, get(1, FILE_BYTES), None, tls),
    "slow-posts": lambda count, port, tls: slow_crowd(count, port, post(1, BODY_BYTES), frame(DATA, 0, 1, b"x" * 100), tls),
    "idle": lambda count, port, tls: slow_crowd(count, port, b"", b"", tls),
    "slow-heads": lambda count, port, tls: slow_crowd(count, port, LONG_BLOCK, b"x", tls),
    "full-speed": lambda count, port, tls: run_threads(count, port, tls, full_speed),
}


if __name__ == "__main__":
    run_crowd(KINDS, [http2.ALPN])

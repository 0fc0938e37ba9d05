"""Hostile clients of a sidecar, and the endpoint and the name server behind it, in a process of their own:

    python -m remora_measure.load.hostile KIND PORT ENDPOINT-PORT DNS-PORT

Clients come from 127.0.0.1. One that is cut comes back after a second, the next time after two, and so on up to eight. On SIGTERM it ends, and
prints what it did: connections, octets that were sent, and requests or questions that came through. Ends with the process that started it.
"""
from __future__ import annotations

import contextlib
import ctypes
import heapq
import json
import random
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable

from ..machine import http2
from .hostile_kinds import KINDS, NUMBER, Kind

# Small, so that the kernel hides little of the unread data.
RECEIVE_BUFFER_BYTES = 4 << 10
PIECE = 64 << 10
CONNECTS_A_TURN = 200
TURN_S = 0.02
# How long a client keeps its side of a connection open whose other side the sidecar has ended.
LINGER_S = 2.0
MOST_PATIENCE_S = 8.0
END_OF_HEAD = b"\r\n\r\n"
FRAME_HEAD = 9
A, AAAA, NO_NAME = 1, 28, 3
KNOWN_NAME = b"canary"


class Loop:
    """Sockets with what is done on an event of each, and what is due later. Owner: one thread."""

    def __init__(self) -> None:
        self.epoll, self.actions, self.tally = select.epoll(), dict[int, Callable[[int], None]](), Counter[str]()
        self.due: list[tuple[float, int, Callable[[], None]]] = []
        self.number = 0

    def watch(self, one: socket.socket, events: int, action: Callable[[int], None]) -> None:
        self.actions[one.fileno()] = action
        self.epoll.register(one, events)

    def forget(self, one: socket.socket) -> None:
        del self.actions[one.fileno()]
        one.close()

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        self.number += 1
        heapq.heappush(self.due, (time.monotonic() + seconds, self.number, action))

    def run(self) -> None:
        while True:
            for descriptor, events in self.epoll.poll(TURN_S):
                if action := self.actions.get(descriptor):
                    action(events)
            for _ in range(CONNECTS_A_TURN):
                if not self.due or self.due[0][0] > time.monotonic():
                    break
                heapq.heappop(self.due)[2]()


class Client:
    """One client: connects, says what its kind says, and reads nothing, unless it is a reader."""

    def __init__(self, loop: Loop, kind: Kind, port: int, reads: bool) -> None:
        self.loop, self.kind, self.port, self.reads = loop, kind, port, reads
        self.patience = 1.0
        self.socket: socket.socket | None = None
        self.left, self.fresh = b"", True

    def connect(self) -> None:
        self.loop.tally["attempts"] += 1
        self.left = self.kind.said.replace(NUMBER, b"%d" % self.loop.tally["attempts"])
        self.fresh = True
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        self.socket.connect_ex(("127.0.0.1", self.port))
        self.loop.watch(self.socket, select.EPOLLOUT | select.EPOLLRDHUP, self.turn)

    def turn(self, events: int) -> None:
        one = self.socket
        assert one
        if events & (select.EPOLLHUP | select.EPOLLERR):
            self.leave(one)
            return
        try:
            if events & select.EPOLLOUT:
                self.send(one)
            if self.reads and events & select.EPOLLIN:
                one.recv(PIECE)
            elif events & select.EPOLLRDHUP:
                # what waits to be read, or to be sent, does not matter any more
                self.loop.epoll.modify(one, 0)
                self.loop.later(0 if self.reads else LINGER_S, lambda: self.leave(one))
        except BlockingIOError:
            pass
        except OSError:
            self.leave(one)

    def send(self, one: socket.socket) -> None:
        sent = one.send(self.left)
        self.loop.tally["connections"] += self.fresh
        self.fresh = False
        self.loop.tally["octets"] += sent
        self.left = self.left[sent:]
        if not self.left:
            self.loop.epoll.modify(one, select.EPOLLRDHUP | (select.EPOLLIN if self.reads else 0))
            if self.kind.stays_s:
                self.loop.later(self.kind.stays_s, lambda: self.leave(one))

    def leave(self, one: socket.socket) -> None:
        if one is not self.socket:
            return
        self.loop.forget(one)
        self.socket = None
        self.loop.later(self.patience * random.uniform(0.5, 1.5), self.connect)
        self.patience = min(2 * self.patience, MOST_PATIENCE_S)


class Served:
    """One connection of the endpoint, which answers each request as its kind says."""

    def __init__(self, loop: Loop, kind: Kind, one: socket.socket) -> None:
        self.loop, self.kind, self.socket = loop, kind, one
        self.octets, self.left, self.asked = b"", kind.greeting, False
        one.setblocking(False)
        loop.watch(one, select.EPOLLIN | select.EPOLLOUT, self.turn)

    def turn(self, events: int) -> None:
        try:
            if events & select.EPOLLIN:
                octets = self.socket.recv(PIECE)
                if not octets:
                    raise ConnectionResetError
                self.take(octets)
            elif events & (select.EPOLLHUP | select.EPOLLERR):
                raise ConnectionResetError
            self.send()
        except BlockingIOError:
            self.loop.epoll.modify(self.socket, select.EPOLLIN | select.EPOLLOUT)
        except OSError:
            self.loop.forget(self.socket)

    def take(self, octets: bytes) -> None:
        asked, answer = (self.take_frames if self.kind.by_http2 else self.take_heads)(octets)
        self.loop.tally["asked"] += asked
        self.left += answer * asked

    def take_heads(self, octets: bytes) -> tuple[int, bytes]:
        """The number of heads that have ended, and the answer to each; of one that has not, only how it may end is kept."""
        self.octets += octets
        asked = self.octets.count(END_OF_HEAD)
        self.octets = self.octets.rpartition(END_OF_HEAD)[2][-len(END_OF_HEAD) + 1:]
        return asked, self.kind.answer

    def take_frames(self, octets: bytes) -> tuple[int, bytes]:
        """The same for the first request on the connection; none is waited for behind it."""
        if self.asked:
            return 0, b""
        self.octets += octets
        stream = stream_of_request(self.octets)
        self.asked = stream > 0
        return int(self.asked), on_stream(self.kind.answer, stream)

    def send(self) -> None:
        while self.left:
            self.left = self.left[self.socket.send(self.left):]
            if not self.left and self.kind.endless:
                self.left = self.kind.answer * (PIECE // len(self.kind.answer) + 1)
        self.loop.epoll.modify(self.socket, select.EPOLLIN)


def stream_of_request(octets: bytes) -> int:
    """The stream of the first HEADERS frame behind the preface; 0 where it has not come."""
    at = len(http2.PREFACE)
    while len(octets) >= at + FRAME_HEAD:
        length, stream = int.from_bytes(octets[at:at + 3], "big"), int.from_bytes(octets[at + 5:at + FRAME_HEAD], "big")
        if octets[at + 3] == http2.HEADERS:
            return stream
        at += FRAME_HEAD + length
    return 0


def on_stream(frames: bytes, stream: int) -> bytes:
    """The same frames, those of a stream on this one."""
    out, at = bytearray(frames), 0
    while at < len(out):
        if any(out[at + 5:at + FRAME_HEAD]):
            out[at + 5:at + FRAME_HEAD] = struct.pack(">I", stream)
        at += FRAME_HEAD + int.from_bytes(out[at:at + 3], "big")
    return bytes(out)


def answer_of_dns(query: bytes) -> bytes:
    """This machine's address for names of canaries, and for all others that there is no such name."""
    end = query.index(b"\0", 12) + 5
    known, kind = query[13:].startswith(KNOWN_NAME), int.from_bytes(query[end - 4:end - 2], "big")
    address = b"\xc0\x0c" + struct.pack(">HHIH", A, 1, 60, 4) + bytes((127, 0, 0, 1)) if known and kind == A else b""
    return query[:2] + struct.pack(">HHHHH", 0x8180 | (0 if known else NO_NAME), 1, 1 if address else 0, 0, 0) + query[12:end] + address


def serve(loop: Loop, kind: Kind, port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port), backlog=4096)
    listener.setblocking(False)

    def accept(_: int) -> None:
        with contextlib.suppress(OSError):
            Served(loop, kind, listener.accept()[0])

    loop.watch(listener, select.EPOLLIN, accept)


def resolve(loop: Loop, port: int) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", port))
    server.setblocking(False)

    def answer(_: int) -> None:
        with contextlib.suppress(OSError, ValueError):
            query, peer = server.recvfrom(PIECE)
            loop.tally["asked"] += 1
            server.sendto(answer_of_dns(query), peer)

    loop.watch(server, select.EPOLLIN, answer)


def main() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    kind, loop = KINDS[sys.argv[1]], Loop()
    port, endpoint, dns = map(int, sys.argv[2:])
    serve(loop, kind, endpoint)
    resolve(loop, dns)
    for number in range(kind.clients):
        loop.later(0, Client(loop, kind, port, kind.to_admin and number % 2 == 1).connect)
    try:
        loop.run()
    finally:
        print(json.dumps(loop.tally), flush=True)


if __name__ == "__main__":
    main()

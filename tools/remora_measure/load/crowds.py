"""Crowds of clients that try to exhaust a proxy, and the backend behind it. Each runs as a process of its own:

    python -m remora_measure.load.crowds KIND COUNT PORT [AUTHORITY]

AUTHORITY is a file with the certificate that the proxy's must lead to, and has clients speak TLS. KIND is slow-readers, slow-posts, idle, slow-heads, full-speed or backend. A client that is refused or cut comes back after a second,
the next time after two, and so on up to eight.
Ends with the process that started it.
"""
import ctypes
import errno
import random
import resource
import selectors
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

PIECE = b"x" * 65536
MIB = 1 << 20
FILE_BYTES = 4 * MIB
BODY_BYTES = 100 * MIB
READ_A_SECOND = 512
MOST_PATIENCE_S = 8.0
HOST = "localhost"
WAITS = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
GET = b"GET /%d HTTP/1.1\r\nHost: app\r\n\r\n"
POST = b"POST /sink HTTP/1.1\r\nHost: app\r\nContent-Length: %d\r\n\r\n"


class Slow:
    """One client of a crowd: connects, says what it has to say, and from then on does something each second."""

    def __init__(self, port: int, first: bytes, each_second: bytes | None, tls: ssl.SSLContext | None = None) -> None:
        self.port, self.first, self.each_second, self.tls = port, first, each_second, tls
        self.socket: socket.socket | None = None
        self.secured = tls is None
        self.back_at = 0.0
        self.patience = 1.0

    def turn(self, now: float) -> None:
        if self.socket is None:
            if now >= self.back_at:
                self.connect()
            return
        try:
            if not self.secured:
                self.shake_hands()
            self.step()
        except WAITS:
            pass
        except OSError as gone:
            if gone.errno != errno.ENOTCONN:
                self.leave(now)

    def step(self) -> None:
        assert self.socket
        if self.first:
            self.first = self.first[self.socket.send(self.first):]
        elif self.each_second is None:
            self.read()
        elif self.each_second:
            self.socket.send(self.each_second)
            self.look()
        else:
            self.look()

    def is_busy(self) -> bool:
        """Whether it still connects or asks."""
        return self.socket is None or bool(self.first) or not self.secured

    def connect(self) -> None:
        self.first = self.said = getattr(self, "said", self.first)
        self.secured = self.tls is None
        self.socket = socket.socket()
        self.socket.setblocking(False)
        if self.each_second is None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect_ex(("127.0.0.1", self.port))

    def shake_hands(self) -> None:
        if self.tls and self.socket and not isinstance(self.socket, ssl.SSLSocket):
            if failed := self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(failed, "refused or reset")
            self.socket.getpeername()  # which fails while it is not connected
            self.socket = self.tls.wrap_socket(self.socket, server_hostname=HOST, do_handshake_on_connect=False)
        if isinstance(self.socket, ssl.SSLSocket):
            self.socket.do_handshake()
            self.secured = True

    def read(self) -> None:
        if self.socket:
            octets = self.socket.recv(READ_A_SECOND)
            if not octets:
                raise ConnectionResetError
            self.judge(octets)

    def judge(self, octets: bytes) -> None:
        """What a client that reads takes from what it was sent. Raises OSError where that ends what it is about."""

    def look(self) -> None:
        """Whether the proxy has answered or closed: either ends what this client is about."""
        try:
            if self.socket:
                self.socket.recv(1024)
        except WAITS:
            return
        raise ConnectionResetError

    def leave(self, now: float) -> None:
        if self.socket:
            self.socket.close()
        self.socket = None
        self.back_at = now + self.patience * random.uniform(0.5, 1.5)
        self.patience = min(2 * self.patience, MOST_PATIENCE_S)


def slow_crowd(count: int, port: int, first: bytes, each_second: bytes | None, tls: ssl.SSLContext | None) -> None:
    run_in_turns([Slow(port, first, each_second, tls) for _ in range(count)], bool(tls or each_second != b""))


def run_in_turns(clients: Sequence[Slow], is_quick_at_first: bool) -> None:
    """Has each client do something once a second; more often while some still connect, if that takes several turns."""
    while True:
        began = time.monotonic()
        for client in clients:
            client.turn(began)
        # the first rounds connect and ask
        busy = is_quick_at_first and any(client.is_busy() for client in clients)
        time.sleep(max(0.0, (0.1 if busy else 1) - (time.monotonic() - began)))


def connected(port: int, tls: ssl.SSLContext | None) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), 30)
    return tls.wrap_socket(one, server_hostname=HOST) if tls else one


def full_speed(port: int, tls: ssl.SSLContext | None) -> None:
    """Up and down in turns."""
    while True:
        try:
            with connected(port, tls) as one:
                one.sendall(POST % BODY_BYTES)
                for _ in range(BODY_BYTES // len(PIECE)):
                    one.sendall(PIECE)
                one.recv(65536)
                one.sendall(GET % BODY_BYTES)
                got = 0
                while got < BODY_BYTES and (piece := one.recv(65536)):
                    got += len(piece)
        except OSError:
            pass
        time.sleep(0.2)


class Served:
    """One connection of the backend."""

    def __init__(self, one: socket.socket) -> None:
        self.socket, self.head, self.left_in, self.left_out = one, b"", 0, 0

    def readable(self) -> None:
        bytes_ = self.socket.recv(65536)
        if not bytes_:
            raise ConnectionResetError
        if self.left_in:
            self.left_in -= len(bytes_)
            if self.left_in <= 0:
                self.answer(2)
            return
        self.head += bytes_
        while b"\r\n\r\n" in self.head and not self.left_in:
            head, self.head = self.head.split(b"\r\n\r\n", 1)
            if head.startswith(b"POST"):
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.left_in, self.head = length - len(self.head), b""
                if self.left_in <= 0:
                    self.answer(2)
            else:
                path = head.split()[1].strip(b"/")
                self.answer(int(path) if path.isdigit() else 1024)

    def answer(self, size: int) -> None:
        self.left_in = 0
        self.left_out += size
        self.socket.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        self.writable()

    def writable(self) -> None:
        while self.left_out:
            self.left_out -= self.socket.send(PIECE[: self.left_out])


def backend(port: int) -> None:
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=4096)
    listener.setblocking(False)
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, events in selector.select():
            if key.data is None:
                one, _ = listener.accept()
                one.setblocking(False)
                selector.register(one, selectors.EVENT_READ, Served(one))
                continue
            served = key.data
            try:
                if events & selectors.EVENT_READ:
                    served.readable()
                if events & selectors.EVENT_WRITE:
                    served.writable()
            except BlockingIOError:
                pass
            except (OSError, ValueError, IndexError):
                selector.unregister(served.socket)
                served.socket.close()
                continue
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if served.left_out else 0)
            if key.events != wanted:
                selector.modify(served.socket, wanted, served)


def run_threads(count: int, port: int, tls: ssl.SSLContext | None, loop: Callable[[int, ssl.SSLContext | None], None]) -> None:
    for _ in range(count):
        threading.Thread(target=loop, args=(port, tls), daemon=True).start()
    signal.pause()


# By kind: runs a crowd of a number of clients against a port.
Kinds = Mapping[str, Callable[[int, int, ssl.SSLContext | None], None]]
KINDS: Kinds = {
    "slow-readers": lambda count, port, tls: slow_crowd(count, port, GET % FILE_BYTES, None, tls),
    "slow-posts": lambda count, port, tls: slow_crowd(count, port, POST % BODY_BYTES, b"x" * 100, tls),
    "idle": lambda count, port, tls: slow_crowd(count, port, b"", b"", tls),
    "slow-heads": lambda count, port, tls: slow_crowd(count, port, b"GET / HTTP/1.1\r\nX: ", b"x", tls),
    "full-speed": lambda count, port, tls: run_threads(count, port, tls, full_speed),
    "backend": lambda _, port, __: backend(port),
}


def run_crowd(kinds: Kinds, alpn: Sequence[str] = ()) -> None:
    """Runs the crowd that the command line names."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    kind, count, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    tls = ssl.create_default_context(cafile=sys.argv[4]) if len(sys.argv) > 4 else None
    if tls and alpn:
        tls.set_alpn_protocols(list(alpn))
    kinds[kind](count, port, tls)


if __name__ == "__main__":
    run_crowd(KINDS)

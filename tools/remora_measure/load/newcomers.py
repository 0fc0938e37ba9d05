"""Clients with new connections: handshakes alone, connections with a request each at a fixed rate, and connections that stay.

They speak TLS where they have a context for it; those of handshakes always do. A session is resumed where it is handed on, and nowhere else.
"""
import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from ..errors import DidNotEnd
from ..machine import http2

TIMEOUT_S = 10
PIECE = 65_536
# Several, so that one handshake that takes long does not delay those that are due behind it.
THREADS = 8
MOST_REASONS = 10
# Bound of the handshakes of all distinct clients.
EACH_S = 120.0


class NotResumed(ConnectionResetError):
    """A handshake that was a full one, though the client had a ticket."""


def handshake(port: int, context: ssl.SSLContext, resumed: ssl.SSLSession | None = None) -> None:
    """A full one, or one that resumes a session, without a request. The server's end follows on what ends the handshake on our side, a certificate among it, so that all of that has
    been judged. Raises OSError where the server refuses it, or does not resume that session."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_hostname="localhost", session=resumed)
    until = time.monotonic() + TIMEOUT_S
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection:
        while not steps(session.do_handshake):
            connection.sendall(outgoing.read())
            incoming.write(connection.recv(PIECE) or refused())
            if time.monotonic() > until:
                raise TimeoutError("the handshake did not end in time")
        steps(session.unwrap)
        connection.sendall(outgoing.read())
        connection.shutdown(socket.SHUT_WR)
        while not has_ended(session) and (octets := connection.recv(PIECE)):  # an end without a word is an end as well
            incoming.write(octets)
            if time.monotonic() > until:
                raise TimeoutError("the server did not end the connection in time")
    if resumed and not session.session_reused:
        raise NotResumed("the server did not resume a session")


def has_ended(session: ssl.SSLObject) -> bool:
    """Whether the other side has said that it ends; an alert is raised, and what it sends meanwhile does not matter."""
    try:
        return steps(lambda: session.read(PIECE)) and has_ended(session)
    except ssl.SSLZeroReturnError:
        return True


def steps(action: Callable[[], object]) -> bool:
    """Whether that came to its end; not where it waits for the other side."""
    try:
        action()
        return True
    except ssl.SSLWantReadError:
        return False


def refused() -> NoReturn:
    raise ConnectionResetError("the connection ended in the handshake")


def handshakes(port: int, context: ssl.SSLContext, seconds: float, resumed: ssl.SSLSession | None = None) -> int:
    """How many were made, one after the other, full ones or by a session."""
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        handshake(port, context, resumed)
        count += 1
    return count


def handshake_of_each(port: int, contexts: Iterable[ssl.SSLContext]) -> int:
    """How many full handshakes were made, one for each client. Raises DidNotEnd where these take too long."""
    began, count = time.monotonic(), 0
    for context in contexts:
        handshake(port, context)
        count += 1
        if time.monotonic() - began > EACH_S:
            raise DidNotEnd(f"handshakes of distinct clients, {count} of which were made,", EACH_S)
    return count


def session_of(port: int, context: ssl.SSLContext) -> ssl.SSLSession | None:
    """A session that the server gave a ticket for, which it may send with its first content only; None where it gives none. Raises OSError."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as plain, context.wrap_socket(plain, server_hostname="localhost") as connection:
        connection.sendall(b"GET /body HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        until = time.monotonic() + TIMEOUT_S
        while connection.recv(PIECE):
            if time.monotonic() > until:
                raise TimeoutError("the answer did not end in time")
        found = connection.session
        # the library does not resume a session whose connection had no end
        with contextlib.suppress(OSError):
            connection.unwrap()
    return found if found and found.has_ticket else None


def connect(port: int, context: ssl.SSLContext | None) -> http.client.HTTPConnection:
    """A connection on which a request was answered with 200. Raises OSError or HTTPException."""
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=TIMEOUT_S, context=context) if context
                  else http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S))
    try:
        connection.request("GET", "/body")
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise http.client.HTTPException(f"status {answer.status}")
        return connection
    except BaseException:
        connection.close()
        raise


def one_by_one(port: int, context: ssl.SSLContext, seconds: float, by_http2: bool = False) -> int:
    """How many connections were opened, each for one request; the first that fails is the last."""
    until, count = time.monotonic() + seconds, 0
    with contextlib.suppress(OSError, http.client.HTTPException):
        while time.monotonic() < until:
            (http2.connect(port, TIMEOUT_S, context) if by_http2 else connect(port, context)).close()
            count += 1
    return count


@contextlib.contextmanager
def idle(port: int, context: ssl.SSLContext, count: int) -> Iterator[None]:
    """So many connections, on each of which a request was answered, open meanwhile."""
    with contextlib.ExitStack() as opened:
        for _ in range(count):
            opened.enter_context(contextlib.closing(connect(port, context)))
        yield


class Newcomers:
    """So many new connections a second, each for one request, from the creation to end(). served and failed count them; reasons has what
    the first failures were."""

    def __init__(self, port: int, context: ssl.SSLContext | None, rate: float) -> None:
        self.port, self.context, self.rate = port, context, rate
        self.began, self.ended = time.monotonic(), threading.Event()
        self.lock, self.served, self.failed = threading.Lock(), 0, 0
        self.reasons: list[str] = []
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(THREADS)]
        for thread in self.threads:
            thread.start()

    def run(self, number: int) -> None:
        while not self.ended.wait(max(0.0, self.began + number / self.rate - time.monotonic())):
            good = self.come()
            with self.lock:
                self.served, self.failed = self.served + good, self.failed + (not good)
            number += THREADS

    def come(self) -> bool:
        try:
            connect(self.port, self.context).close()
            return True
        except (OSError, http.client.HTTPException) as why:
            if len(self.reasons) < MOST_REASONS:
                self.reasons.append(f"{time.strftime('%H:%M:%S')} {why!r}")
            return False

    def end(self) -> float:
        """Connections a second that were served, by then. Raises DidNotEnd where one of them goes on, which no count has then."""
        served, now = self.served, time.monotonic()
        self.ended.set()
        for thread in self.threads:
            thread.join(max(0.0, now + 2 * TIMEOUT_S - time.monotonic()))
        if any(thread.is_alive() for thread in self.threads):
            raise DidNotEnd("a new connection", 2 * TIMEOUT_S)
        return served / (now - self.began)

"""A client that asks a proxy for something all the time, to see whether others are served meanwhile."""
from __future__ import annotations

import http.client
import itertools
import ssl
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from .machine import http2
from .systems.certificates import Tls

CANARIES_A_SECOND = 10
CANARY_S = 1.0


class Front(NamedTuple):
    """How the clients of a proxy speak to it: with the certificates of TLS, if there is TLS, and by HTTP/1.1 or HTTP/2."""

    tls: Tls | None = None
    is_http2: bool = False

    def lines(self) -> str:
        """More of the listener in loadtest/peers/storms/remora.yaml."""
        at = self.tls.directory if self.tls else None
        secured = [f'tls: {{ certificates: [{{ chain: "{at}/sidecar.crt", key: "{at}/sidecar.key" }}] }}'] if at else []
        return "\n    ".join([*(["protocol: http2"] if self.is_http2 else []), *secured])


PLAIN = Front()


class Canary(threading.Thread):
    """Asks ten times a second, each time on a connection of its own; or more often, from another address, or for another page."""

    def __init__(self, port: int, front: Front = PLAIN, source: str = "127.0.0.1", a_second: int = CANARIES_A_SECOND, path: str = "/body",
                 hosts: Sequence[str] = ()) -> None:
        super().__init__(daemon=True)
        self.front = front
        self.context: ssl.SSLContext | None = front.tls.context(front.is_http2) if front.tls else None
        self.port, self.source, self.pause_s, self.path, self.over = port, (source, 0), 1 / a_second, path, threading.Event()
        # In turn; without any the port's own.
        self.hosts = itertools.cycle(hosts or [f"127.0.0.1:{port}"])
        # Seconds that each answer took that came in time.
        self.took = list[float]()
        # of each when it began, and its status; 0 as long as it has none, and of one that was too late
        self.results = list[list[Any]]()
        # of those without a status: when each began, and why
        self.failures = list[tuple[float, str]]()

    def ask(self) -> int:
        """The status, 0 for none within the time."""
        return self.ask_http2() if self.front.is_http2 else self.ask_http1()

    def failed(self, began: float, doing: str, failure: Exception) -> int:
        self.failures.append((began, f"{doing}: {failure}"))
        return 0

    def ask_http2(self) -> int:
        began, doing = time.monotonic(), "connect"
        until = began + CANARY_S
        try:
            with http2.opened(self.port, until, self.context, self.source[0]) as connection:
                doing = "ask"
                return http2.get(connection, self.path, until, next(self.hosts))
        except OSError as failure:
            return self.failed(began, doing, failure)

    def ask_http1(self) -> int:
        began = time.monotonic()
        connection = (http.client.HTTPSConnection("127.0.0.1", self.port, timeout=CANARY_S, source_address=self.source, context=self.context)
                      if self.context else http.client.HTTPConnection("127.0.0.1", self.port, timeout=CANARY_S, source_address=self.source))
        try:
            connection.request("GET", self.path, headers={"Connection": "close", "Host": next(self.hosts)})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException) as failure:
            return self.failed(began, "ask", failure)
        finally:
            connection.close()

    def one(self, at: float) -> None:
        began, answer = time.monotonic(), [at, 0]
        # at once: a reader while it waits finds one that was not answered
        self.results.append(answer)
        status = self.ask()
        took = time.monotonic() - began
        if took <= CANARY_S:
            answer[1] = status
            if status:
                self.took.append(took)
        elif status:
            self.failures.append((began, "ask: the answer was too late"))

    def run(self) -> None:
        while not self.over.is_set():
            at = time.monotonic()
            threading.Thread(target=self.one, args=(at,), daemon=True).start()
            self.over.wait(self.pause_s)

"""The kinds of hostile peers that make a sidecar hold as much as it can be made to: clients, and endpoints, that never finish what they send, or never
read what they are sent."""
import struct
from typing import NamedTuple

from ..machine import http2
from ..machine.http2 import END_HEADERS, END_STREAM, field, frame

PLAIN = '{ endpoints: ["127.0.0.1:$hostile"] }'
TO_APP = "{ cluster: app }"
GET = b"GET / HTTP/1.1\r\nHost: app\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
UPGRADE = (b"GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
SWITCHED = (b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
# Lines of the longest section that an endpoint may send; short ones take most of the heap for their octets.
LONG_LINE, SHORT_LINE = b"X: " + b"x" * 693 + b"\r\n", b"a:b\r\n"
LONG_LINES, SHORT_LINES = LONG_LINE * 94, SHORT_LINE * 13_000
# The same for a client of HTTP/2, which may send fewer.
H2_LONG_LINES, H2_SHORT_LINES = LONG_LINE * 90, SHORT_LINE * 900
INTERIM = b"HTTP/1.1 103 Early Hints\r\n"
# A record of 16,384 octets, with a hello that is as long.
HELLO = bytes((0x16, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc, 3, 3)) + b"x" * 16_000
# A header of version 2, for TCP over IPv4, with 4,096 bytes to come.
PROXY_HEADER = b"\r\n\r\n\0\r\nQUIT\n" + bytes((0x21, 0x11, 0x10, 0)) + b"x" * 4_000
FRAME_OCTETS = 16_000
STREAMS = 100
MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 3, 4
NUMBER = b"%d"


class Kind(NamedTuple):
    """One kind of hostility.

    Of the clients each sends said, with a number for NUMBER, and reads nothing; where stays_s is set, it leaves and comes back after that
    long. The endpoint says greeting first, then answer to each request, and where it is endless again and again. listener, route and app are lines of the
    configuration. With to_admin the clients come to the operator's pages. passes: the attack is one only if requests come through to the
    endpoint, or questions to the name server. others_served: others must be answered by 200, as it is one client that holds what they
    need; canary_host is theirs where it chooses the cluster."""

    clients: int
    said: bytes = GET
    answer: bytes = OK
    endless: bool = False
    greeting: bytes = b""
    by_http2: bool = False
    stays_s: float = 0.0
    listener: str = ""
    route: str = TO_APP
    app: str = PLAIN
    tls: bool = False
    to_admin: bool = False
    passes: bool = False
    others_served: bool = False
    canary_host: str | None = None


def post(line: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nhost: app\r\n" + line + b"\r\n"


def get(line: bytes) -> bytes:
    return b"GET / HTTP/1.1\r\nhost: app\r\n" + line


def settings(*pairs: tuple[int, int]) -> bytes:
    return frame(http2.SETTINGS, 0, 0, b"".join(struct.pack(">HI", *pair) for pair in pairs))


def head(*more: tuple[str, str]) -> bytes:
    usual = ((":method", "GET"), (":scheme", "http"), (":authority", "app"), (":path", "/"))
    return b"".join(field(*one) for one in (*usual, *more))


def unfinished(block: bytes) -> bytes:
    """A header block on the first stream, whose last frame does not end it."""
    pieces = [block[at:at + FRAME_OCTETS] for at in range(0, len(block), FRAME_OCTETS)]
    return b"".join(frame(http2.CONTINUATION if number else http2.HEADERS, 0, 1, piece) for number, piece in enumerate(pieces))


def table_entries() -> bytes:
    """Fields that take most of the heap for their place in a table, each of which is entered there (RFC 7541 6.2.1)."""
    return b"".join(bytes((0x40, 1, ord("a") + number % 26, 1, ord("0") + number // 2)) for number in range(90))


def streams(*pairs: tuple[int, int]) -> bytes:
    """A connection with as many requests as it may have at once."""
    requests = (frame(http2.HEADERS, END_HEADERS | END_STREAM, 1 + 2 * number, head()) for number in range(STREAMS))
    return http2.PREFACE + settings(*pairs) + b"".join(requests)


def tables() -> bytes:
    requests = (frame(http2.HEADERS, END_HEADERS | END_STREAM, stream, head() + table_entries()) for stream in (1, 3))
    return http2.PREFACE + settings() + b"".join(requests)


def from_endpoint(answer: bytes, clients: int = 500, **more: bool) -> Kind:
    """Plain requests, whose answers are hostile."""
    return Kind(clients, answer=answer, passes=True, **more)


def to_http2(answer: bytes, clients: int = 20, *pairs: tuple[int, int], **more: bool) -> Kind:
    """Streams of clients that take nothing, and an endpoint of HTTP/1.1."""
    return Kind(clients, streams(*pairs), answer, listener="protocol: auto", passes=True, **more)


def of_http2(answer: bytes) -> Kind:
    """Plain requests, and an endpoint of HTTP/2 that takes one request a connection; of the answer's frames the first stream is meant."""
    return Kind(500, answer=answer, greeting=settings((MAX_CONCURRENT_STREAMS, 1)), by_http2=True, listener="protocol: auto",
                app='{ endpoints: ["127.0.0.1:$hostile"], protocol: http2 }', passes=True)


def pages(*paths: str) -> bytes:
    """A request for each page, the last of which ends the connection."""
    ask = "GET {} HTTP/1.1\r\nHost: localhost\r\n"
    return "".join(ask.format(path) + ("Connection: close\r\n" if path == paths[-1] else "") + "\r\n" for path in paths).encode()


# Ten names a connection, each of which somebody would have to look up.
INVENTED = b"".join(b"GET / HTTP/1.1\r\nHost: invented" + NUMBER + b"-%d.test:1\r\n\r\n" % number for number in range(10))
CLOSED_WINDOW = (INITIAL_WINDOW_SIZE, 0)
KINDS = {
    "request-heads": Kind(4_000, get(b"cookie: " + b"y" * 24_000), others_served=True),
    "refused-heads": Kind(4_000, get(b"cookie: " + b"y" * 32_000 + b"\r\n: \r\n")),
    "request-trailers": Kind(1_500, post(b"Transfer-Encoding: chunked\r\n") + b"1\r\nx\r\n0\r\ncookie: " + b"y" * 32_000),
    "resting-heads": Kind(2_000, get(b"cookie: " + b"y" * 31_000 + b"\r\n\r\n"), passes=True),
    "request-connection-names": Kind(1_000, post(b"Connection: " + b"a," * 16_000 + b"\r\nContent-Length: 9\r\n") + b"1"),
    "lingering": Kind(6_000, b"BAD\r\n\r\n"),
    "tls-hellos": Kind(3_000, HELLO, tls=True, others_served=True,
                       listener='tls: { certificates: [{ chain: "$work/tls/sidecar.crt", key: "$work/tls/sidecar.key" }] }'),
    "proxy-headers": Kind(3_000, PROXY_HEADER, listener="proxy-protocol: { from: [127.0.0.1/32] }"),
    "detected-lines": Kind(4_000, b"GET /" + b"x" * 8_000, listener="protocol: detect\n    detect: { cluster: tcp, timeout: 30s }",
                           app=PLAIN + '\n  tcp: { endpoints: ["127.0.0.1:$hostile"], protocol: tcp }'),
    "pages": Kind(20, pages("/metrics", "/clusters?format=json"), app='{ resolver: { file: "$work/endpoints.yaml" } }', to_admin=True),
    "response-heads": from_endpoint(b"HTTP/1.1 200 OK\r\n" + LONG_LINES),
    "response-heads-in-short-lines": from_endpoint(b"HTTP/1.1 200 OK\r\n" + SHORT_LINES),
    "response-trailers": from_endpoint(CHUNKED + LONG_LINES),
    "response-trailers-in-short-lines": from_endpoint(CHUNKED + SHORT_LINES),
    "response-connection-names": from_endpoint(b"HTTP/1.1 200 OK\r\nConnection: " + b"a," * 32_000 + b"\r\nContent-Length: 9\r\n\r\n1"),
    "resting-trailers": from_endpoint(CHUNKED + LONG_LINES + b"\r\n"),
    "unread-heads": from_endpoint(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n" + LONG_LINES + b"\r\n" + b"x" * 100_000),
    "interims": from_endpoint(INTERIM + LONG_LINES + b"\r\n", endless=True, others_served=True),
    "header-blocks": Kind(2_000, http2.PREFACE + settings() + unfinished(head(("cookie", "y" * 30_000))), listener="protocol: auto"),
    "hpack-tables": Kind(2_000, tables(), listener="protocol: auto"),
    "http2-interims": to_http2(INTERIM + b"Link: </style.css>\r\n\r\n", 1, endless=True),
    "http2-long-interims": to_http2(INTERIM + H2_LONG_LINES + b"\r\n", endless=True, others_served=True),
    "http2-long-heads": to_http2(b"HTTP/1.1 304 Not Modified\r\n" + H2_LONG_LINES + b"\r\n"),
    "http2-trailers": to_http2(CHUNKED + H2_LONG_LINES + b"\r\n", 20, CLOSED_WINDOW),
    "http2-trailers-in-short-lines": to_http2(CHUNKED + H2_SHORT_LINES + b"\r\n", 20, CLOSED_WINDOW),
    "endpoint-header-blocks": of_http2(unfinished(field(":status", "200") + field("x", "y" * 60_000))),
    "endpoint-hpack-tables": of_http2(frame(http2.HEADERS, END_HEADERS, 1, field(":status", "200") + table_entries())),
    "silent-endpoint": from_endpoint(b"", 400, others_served=True),
    "websockets": Kind(400, UPGRADE, SWITCHED, passes=True, others_served=True),
    "invented-hosts": Kind(50, INVENTED, stays_s=1.0, passes=True, others_served=True, canary_host="canary%d.test:$backend",
                           route="{ cluster-from: host, cluster: app }",
                           app='{ template: { hosts: ["*.test"], max-hosts: 20 }, resolver: { dns: { name: "{host}.", port: "{port}", servers: ["127.0.0.1:$dns"] } } }'),
}

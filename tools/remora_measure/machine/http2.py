"""A client of HTTP/2, by prior knowledge or over TLS, that asks for one thing on a connection: enough to see whether somebody answers, and to keep a
connection open that has been used. An exchange has a bound as a whole, which a server that trickles does not extend."""
import contextlib
import socket
import ssl
import struct
import time
from collections.abc import Iterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
PADDED, PRIORITY = 0x8, 0x20
# Fields of HPACK's static table: GET, the scheme, and the name of the authority and of the path, whose values follow.
GET, HTTP, HTTPS, AUTHORITY, PATH = b"\x82", b"\x86", b"\x87", b"\x01", b"\x04"
# The name of a status in the static table, with each of these values, from 8 on.
STATUS, STATUSES = 8, (200, 204, 206, 304, 400, 404, 500)
OK = 200
# The bit of a literal that the dynamic table keeps, and the bits with the number of its name. A string with the last bit is in the Huffman code.
KEPT, KEPT_NAME, OTHER_NAME, HUFFMAN = 0x40, 0x3F, 0x0F, 0x80
ALPN = "h2"
# The names of the first error codes (RFC 9113 7), by number.
ERRORS = ("NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM",
          "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED")
# Where a section begins with these bits, the size of the table changes first, in one octet or more.
TABLE_SIZE, TABLE_SIZE_MASK, TABLE_SIZE_MORE = 0x20, 0xE0, 0x1F


class Refused(OSError):
    """The server has reset the stream of a request, or has said that it does not process it."""


def error_name(code: int) -> str:
    return ERRORS[code] if code < len(ERRORS) else f"error {code:#x}"


def refusal(kind: int, payload: bytes, stream: int = 1) -> Refused | None:
    """What a frame means for a request: None where its answer may still come, as a GOAWAY leaves the streams up to the last one alone (RFC 9113 6.8)."""
    first, second = (int.from_bytes(payload[at:at + 4], "big") for at in (0, 4))
    if kind == RST_STREAM:
        return Refused(f"RST_STREAM {error_name(first)}")
    return Refused(f"GOAWAY {error_name(second)}") if kind == GOAWAY and first < stream else None


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload) << 8 | kind) + struct.pack(">BI", flags, stream) + payload


def length(value: int) -> bytes:
    """An integer of seven bits (RFC 7541 5.1)."""
    if value < 127:
        return bytes((value,))
    out, value = bytearray((127,)), value - 127
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(name: str, value: str) -> bytes:
    """A literal that no table keeps."""
    return b"\0" + length(len(name)) + name.encode() + length(len(value)) + value.encode()


def left(until: float) -> float:
    """The seconds until then. Raises TimeoutError where there are none."""
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("the exchange did not end in time")
    return seconds


def exactly(connection: socket.socket, count: int, until: float) -> bytes:
    """So many bytes. Raises OSError where the connection or the time ends before."""
    found = b""
    while len(found) < count:
        connection.settimeout(left(until))
        piece = connection.recv(count - len(found))
        if not piece:
            raise ConnectionResetError("the connection ended in a frame")
        found += piece
    return found


def read_frame(connection: socket.socket, until: float) -> tuple[int, int, bytes]:
    """Its type, flags and payload."""
    head = exactly(connection, 9, until)
    length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
    return kind, flags, exactly(connection, length, until)


def status_of(flags: int, payload: bytes) -> int:
    """The status with which a section of fields begins that is the first of its connection; 0 where it begins with another field."""
    fields = payload[(flags & PADDED > 0) + (5 if flags & PRIORITY else 0):]
    while fields and fields[0] & TABLE_SIZE_MASK == TABLE_SIZE:
        more = fields[0] & TABLE_SIZE_MORE == TABLE_SIZE_MORE
        fields = fields[1:]
        while more and fields:
            more, fields = fields[0] & 0x80 > 0, fields[1:]
    if not fields:
        return 0
    if fields[0] & 0x80:
        number = (fields[0] & 0x7F) - STATUS
        return STATUSES[number] if 0 <= number < len(STATUSES) else 0
    name = fields[0] & (KEPT_NAME if fields[0] & KEPT else OTHER_NAME)
    if len(fields) < 2 or not STATUS <= name < STATUS + len(STATUSES):
        return 0
    value = fields[2:2 + (fields[1] & 0x7F)]
    text = huffman_digits(value) if fields[1] & HUFFMAN else value.decode("ascii", "replace")
    return int(text) if len(text) == 3 and text.isdigit() else 0


def huffman_digits(octets: bytes) -> str:
    """The digits of a string in the Huffman code of HPACK: 0 to 2 are five bits, 3 to 9 are six. Ends at the first bits of another letter, such as the padding."""
    bits = "".join(f"{octet:08b}" for octet in octets)
    found = ""
    while bits:
        if len(bits) >= 5 and int(bits[:5], 2) < 3:
            found, bits = found + str(int(bits[:5], 2)), bits[5:]
        elif len(bits) >= 6 and 0x19 <= int(bits[:6], 2) <= 0x1F:
            found, bits = found + str(int(bits[:6], 2) - 0x16), bits[6:]
        else:
            break
    return found


def get(connection: socket.socket, path: str, until: float, authority: str = "127.0.0.1") -> int:
    """Sends a first request on a connection, and returns the status of the answer, once it has come whole. Raises Refused where the server says that there
    will be none, and OSError where the connection ends, or that takes beyond a time of the monotonic clock."""
    fields = GET + (HTTPS if isinstance(connection, ssl.SSLSocket) else HTTP) + b"".join(name + length(len(value)) + value.encode() for name, value in ((AUTHORITY, authority), (PATH, path)))
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_STREAM | END_HEADERS, 1, fields))
    status = 0
    while True:
        kind, flags, payload = read_frame(connection, until)
        if kind == SETTINGS and not flags & ACK:
            connection.sendall(frame(SETTINGS, ACK, 0, b""))
        elif refused := refusal(kind, payload):
            raise refused
        elif kind == HEADERS and status < OK:
            status = status_of(flags, payload) or status  # trailers have none
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            return status


def opened(port: int, until: float, tls: ssl.SSLContext | None = None, source: str = "127.0.0.1") -> socket.socket:
    """A connection from an address, over TLS where there is a context for it. Raises OSError."""
    connection = socket.create_connection(("127.0.0.1", port), left(until), (source, 0))
    return secured(connection, tls, until) if tls else connection


def connect(port: int, seconds: float = 10, tls: ssl.SSLContext | None = None) -> socket.socket:
    """A connection on which a request was answered with 200, over TLS where there is a context for it. Raises OSError."""
    until = time.monotonic() + seconds
    connection = opened(port, until, tls)
    try:
        if get(connection, "/body", until) != OK:
            raise ConnectionResetError("a request was not answered with 200")
        connection.settimeout(seconds)
        return connection
    except BaseException:
        connection.close()
        raise


def secured(connection: socket.socket, tls: ssl.SSLContext, until: float) -> ssl.SSLSocket:
    """TLS on a connection, by a context that asks for HTTP/2 in ALPN. Raises OSError where the server does not choose that, or the time ends before."""
    found = tls.wrap_socket(connection, server_hostname="localhost", do_handshake_on_connect=False)
    try:
        found.settimeout(left(until))
        found.do_handshake()  # the timeout is of the handshake as a whole, not of each read
        if found.selected_alpn_protocol() != ALPN:
            raise ConnectionResetError("the server did not choose HTTP/2")
        return found
    except BaseException:
        found.close()
        raise


def answers(port: int, tls: ssl.SSLContext | None = None) -> bool:
    """Whether a request to that port is answered with 200."""
    with contextlib.suppress(OSError):
        connect(port, 2, tls).close()
        return True
    return False


@contextlib.contextmanager
def idle(port: int, count: int, tls: ssl.SSLContext | None = None) -> Iterator[None]:
    """So many connections, on each of which a request was answered, open meanwhile. Raises OSError."""
    with contextlib.ExitStack() as opened:
        for _ in range(count):
            opened.enter_context(contextlib.closing(connect(port, tls=tls)))
        yield

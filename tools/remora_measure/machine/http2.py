"""A client of HTTP/2 by prior knowledge that asks for one thing on a connection: enough to see whether somebody answers, and to keep a
connection open that has been used."""
import contextlib
import socket
import struct
from collections.abc import Iterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION = 1, 3, 4, 7, 9
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
PADDED, PRIORITY = 0x8, 0x20
# Fields of HPACK's static table: GET, the scheme, and the name of the authority and of the path, whose values follow.
GET, HTTP, AUTHORITY, PATH = b"\x82", b"\x86", b"\x01", b"\x04"
OK = 0x88
# Where a section begins with these bits, the size of the table changes first, in one octet or more.
TABLE_SIZE, TABLE_SIZE_MASK, TABLE_SIZE_MORE = 0x20, 0xE0, 0x1F


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


def exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = connection.recv(count - len(found))
        if not piece:
            raise ConnectionResetError("the connection ended in a frame")
        found += piece
    return found


def read_frame(connection: socket.socket) -> tuple[int, int, bytes]:
    """Its type, flags and payload."""
    head = exactly(connection, 9)
    length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
    return kind, flags, exactly(connection, length)


def is_ok(flags: int, payload: bytes) -> bool:
    """Whether the section of fields begins with the status 200 as HPACK's static table has it."""
    fields = payload[(flags & PADDED > 0) + (5 if flags & PRIORITY else 0):]
    while fields and fields[0] & TABLE_SIZE_MASK == TABLE_SIZE:
        more = fields[0] & TABLE_SIZE_MORE == TABLE_SIZE_MORE
        fields = fields[1:]
        while more and fields:
            more, fields = fields[0] & 0x80 > 0, fields[1:]
    return fields[:1] == bytes((OK,))


def get(connection: socket.socket, path: str) -> bool:
    """Sends a first request on a connection, and returns whether it is answered by 200, once the answer has come whole. Raises OSError."""
    fields = GET + HTTP + b"".join(name + bytes((len(value),)) + value.encode() for name, value in ((AUTHORITY, "127.0.0.1"), (PATH, path)))
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_STREAM | END_HEADERS, 1, fields))
    good: bool | None = None
    while True:
        kind, flags, payload = read_frame(connection)
        if kind == SETTINGS and not flags & ACK:
            connection.sendall(frame(SETTINGS, ACK, 0, b""))
        elif kind in (RST_STREAM, GOAWAY):
            return False
        elif kind == HEADERS and good is None:
            good = is_ok(flags, payload)  # trailers have no status
        if kind in (0, HEADERS) and flags & END_STREAM:
            return bool(good)


def connect(port: int, seconds: float = 10) -> socket.socket:
    """A connection on which a request was answered with 200. Raises OSError."""
    connection = socket.create_connection(("127.0.0.1", port), seconds)
    try:
        if not get(connection, "/body"):
            raise ConnectionResetError("a request was not answered with 200")
        return connection
    except BaseException:
        connection.close()
        raise


def answers(port: int) -> bool:
    """Whether a request to that port is answered with 200."""
    with contextlib.suppress(OSError):
        connect(port, 2).close()
        return True
    return False


@contextlib.contextmanager
def idle(port: int, count: int) -> Iterator[None]:
    """So many connections, on each of which a request was answered, open meanwhile. Raises OSError."""
    with contextlib.ExitStack() as opened:
        for _ in range(count):
            opened.enter_context(contextlib.closing(connect(port)))
        yield

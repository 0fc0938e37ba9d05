"""The programs h2load, which drives a closed loop over HTTP/2, and nghttpd, which answers calls as a server of gRPC does."""
import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import CouldNotRun
from ..machine import children, processes

CALL = "/loadtest.Application/Unary.grpc"
GRPC = "application/grpc"
INSTALL = "apt-get install nghttp2-client"
NGHTTPD = "nghttpd"
# Time that it may take beyond its own to open its connections and to end them.
GRACE_S = 15.0


class Told(NamedTuple):
    done: int
    failed: int
    seconds: float
    content_bytes: int


def message(size: int) -> bytes:
    """Of gRPC: not compressed, its length, and so many octets."""
    return b"\0" + size.to_bytes(4, "big") + b"x" * size


def closed_loop(port: int, path: str, connections: int, streams: int, seconds: float, call: Path | None = None) -> Told:
    """Drives so many streams on each connection, each of which sends its next request when the last one is answered; call is the message of
    a unary call of gRPC, without which it is a GET. Raises DidNotEnd."""
    words = ["-d", str(call), "-H", f"content-type: {GRPC}", "-H", "te: trailers"] if call else []
    lasts = max(1, round(seconds))
    done = children.run(["h2load", "-t1", f"-c{connections}", f"-m{streams}", f"-D{lasts}", *words, f"http://127.0.0.1:{port}{path}"], lasts + GRACE_S,
                        "load", capture_output=True, text=True)
    if done.returncode:
        raise CouldNotRun(f"h2load: {(done.stderr or done.stdout).strip()[-200:]}")
    return read(done.stdout)


def read(text: str) -> Told:
    """What h2load prints. Answers other than 2xx have failed too."""
    finished = re.search(r"finished in ([\d.]+)(us|ms|s|m)\b", text)
    requests = re.search(r"requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", text)
    statuses = re.search(r"status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", text)
    traffic = re.search(r"traffic: .*\((\d+)\) data", text)
    if not finished or not requests or not statuses or not traffic:
        raise CouldNotRun("h2load said nothing of its requests")
    seconds = float(finished[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[finished[2]]
    return Told(int(requests[1]), max(int(requests[3]), sum(int(statuses[number]) for number in (1, 2, 3))), seconds,
                int(traffic[1]))


@contextlib.contextmanager
def grpc_server(port: int, work: Path, log: BinaryIO, size: int) -> Iterator[None]:
    """Answers each unary call with a message of that size, and the status in trailers."""
    if not shutil.which(NGHTTPD):
        raise CouldNotRun(f"no {NGHTTPD}, which answers calls: apt-get install nghttp2-server")
    file = work / "grpc" / CALL.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(message(size))
    (work / "grpc/body").write_bytes(b"there")  # by which a system is seen to answer
    types = work / "grpc-types"
    types.write_text(f"{GRPC} grpc\n")
    server = children.start([NGHTTPD, "--no-tls", "-a", "127.0.0.1", "-d", str(work / "grpc"), f"--mime-types-file={types}",
                             "--trailer=grpc-status: 0", str(port)], stdout=log, stderr=log)
    try:
        processes.wait_for(port, process=server)
        yield
    finally:
        children.stop(server)

"""A collector of spans, which counts them, as a process of its own on an address next to the backend's:

    python -m remora_measure.load.collector PORT

It takes Zipkin's JSON, and answers GET /count by how many spans have come. Ends with its standard input.
"""
import contextlib
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator

from ..machine import children, processes
from ..systems import admin_pages

# The backend of a measurement listens on those below it.
ADDRESS = "127.0.0.4"


class Spans(http.server.BaseHTTPRequestHandler):
    """Owner: one thread for each connection."""

    protocol_version = "HTTP/1.1"
    lock, count = threading.Lock(), 0

    def do_POST(self) -> None:
        found = len(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        with Spans.lock:
            Spans.count += found
        self.answer(202, b"")

    def do_GET(self) -> None:
        self.answer(200, str(Spans.count).encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def running(port: int) -> Iterator[None]:
    process = children.start([sys.executable, "-m", __name__, str(port)], stdin=subprocess.PIPE)
    try:
        processes.wait_for(port, process=process, host=ADDRESS)
        yield
    finally:
        children.stop(process)
        if process.stdin:
            process.stdin.close()


def count(port: int) -> int:
    """Of all spans so far."""
    return int(admin_pages.fetch(port, "/count", host=ADDRESS))


def main() -> None:
    server = http.server.ThreadingHTTPServer((ADDRESS, int(sys.argv[1])), Spans)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()

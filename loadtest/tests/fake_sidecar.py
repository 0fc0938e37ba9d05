"""A sidecar that answers by itself, and has the faults that a soak of changes must find:

    python fake_sidecar.py CONFIG [lose|leak|deaf] [--takeover]

lose ends a connection without an answer after each change, leak keeps 2 MB of each, and deaf takes any configuration for a good one.
With --takeover it ends the one before it, abruptly, and so loses requests as well.
"""
import concurrent.futures
import http.server
import os
import re
import signal
import socket
import sys
import threading
from pathlib import Path

LEAK_BYTES = 2_000_000
# Threads of each listener; more than the connections that arrive at once, as a connection keeps one until it ends.
THREADS = 64


class State:
    """Of one such sidecar. Owner: any thread, as each change is a single assignment."""

    generation, lose_next, leaked = 1, False, []


def fault():
    return next((word for word in sys.argv[2:] if word in ("lose", "leak", "deaf")), None)


def reload():
    """The status of it."""
    if fault() != "deaf" and "nobody" in Path(sys.argv[1]).read_text():
        return 400
    State.generation += 1
    State.lose_next = fault() == "lose"
    if fault() == "leak":
        State.leaked.append(os.urandom(LEAK_BYTES))
    return 200


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/config":
            self.answer(200, f"generation: {State.generation}\n".encode())
        elif State.lose_next:
            State.lose_next, self.close_connection = False, True
        else:
            self.answer(200, b"x")

    def do_POST(self):
        self.answer(reload(), b"")

    def log_message(self, *_):
        pass


class Server(http.server.HTTPServer):
    """Serves each connection on a thread of a pool that is complete from the start, so that its threads do not grow with what it serves at once."""

    request_queue_size = 128

    def __init__(self, address, handler):
        super().__init__(address, handler)
        self.pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        complete = threading.Barrier(THREADS)
        list(self.pool.map(lambda _: complete.wait(), range(THREADS)))

    def process_request(self, request, client_address):
        self.pool.submit(self.serve, request, client_address)

    def serve(self, request, client_address):
        try:
            self.finish_request(request, client_address)
        except OSError:
            pass
        finally:
            self.shutdown_request(request)

    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()


def main():
    config = Path(sys.argv[1])
    ports = re.findall(r'address: "?127\.0\.0\.1:(\d+)', config.read_text())[:2]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    for port in ports:
        threading.Thread(target=Server(("127.0.0.1", int(port)), Answers).serve_forever, daemon=True).start()
    owner = config.with_name("fake.pid")
    if "--takeover" in sys.argv:
        os.kill(int(owner.read_text()), signal.SIGKILL)
    owner.write_text(str(os.getpid()))
    while signal.sigwait({signal.SIGHUP}):
        reload()


if __name__ == "__main__":
    main()

"""An endpoint of a sidecar, in this process."""
import http.server
import threading
import time
from contextlib import contextmanager


@contextmanager
def slow_endpoint(seconds):
    """The port of an endpoint that responds after some time."""
    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            time.sleep(seconds)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        serving.join()
        server.server_close()

"""Measures the cost of an idle keep-alive connection in a running sidecar: heap and direct memory, and RSS.

Usage: ./measure idle-connections PID PORT ADMIN_PORT [CONNECTIONS]

The program opens the connections, sends one request on each, and waits until all of them have been answered. It compares the result with the state before,
both after a full collection (jcmd of the same JDK must be on the PATH). The connections to the backend stay in the sidecar's pool in both cases.
"""
import http.client
import sys
import time

from ..machine import children, kernel
from ..systems import admin_pages

WARM_REQUESTS = 200


def state(pid: int, admin_port: int) -> dict[str, float]:
    """Bytes by name, after a full collection."""
    children.run(["jcmd", str(pid), "GC.run"], check=True, capture_output=True)
    time.sleep(0.5)
    figures = dict(line.split() for line in admin_pages.fetch(admin_port, "/memory").splitlines())
    return {"heap": int(figures["heap_used_bytes"]), "direct": int(figures["direct_used_bytes"]), "rss": kernel.status(pid, "VmRSS") * 1e6}


def connect(port: int) -> http.client.HTTPConnection:
    """A connection on which a request was answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/body")
    connection.getresponse().read()
    return connection


def main() -> None:
    if "--help" in sys.argv:
        print(__doc__)
        return
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    pid, port, admin_port, count = *map(int, sys.argv[1:4]), int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    for _ in range(WARM_REQUESTS):
        connect(port).close()
    state(pid, admin_port)  # the first question loads classes
    before = state(pid, admin_port)
    connections = [connect(port) for _ in range(count)]
    after = state(pid, admin_port)
    for name, old in before.items():
        print(f"{name}: {(after[name] - old) / count:.0f} bytes a connection ({old:.0f} -> {after[name]:.0f}, {count} connections)")
    for connection in connections:
        connection.close()


if __name__ == "__main__":
    main()

"""Processes and ports of this machine."""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

LOADTEST = Path(__file__).resolve().parent.parent
REPOSITORY = LOADTEST.parent


def default_java_home():
    java = shutil.which("java")
    return os.environ.get("JAVA_HOME") or (str(Path(java).resolve().parent.parent) if java else sys.exit("no JAVA_HOME, and no java"))


def free_ports(count):
    """Ports that nothing listens on; held all at once, so that no two are the same."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
        return True
    except OSError:
        return False


def require_free(*ports):
    for port in ports:
        if listens(port):
            sys.exit(f"port {port} is in use")


def wait_for(port, seconds=20, process=None):
    deadline = time.monotonic() + seconds
    while not listens(port):
        if time.monotonic() > deadline or (process and process.poll() is not None):
            sys.exit(f"nothing listens on port {port}")
        time.sleep(0.02)


def answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/body")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def seconds_to_first_answer(process, port, limit=20):
    """None where the process ends, or does not answer in time."""
    start = time.monotonic()
    while process.poll() is None and time.monotonic() - start < limit:
        if answers(port):
            return time.monotonic() - start
        time.sleep(0.002)
    return None


def stop(process, seconds=10):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

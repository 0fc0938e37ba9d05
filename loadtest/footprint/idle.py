#!/usr/bin/env python3
"""Measures what an idle keep-alive connection costs a running sidecar: heap and direct memory, and RSS.

Usage: idle.py PID PORT ADMIN_PORT [CONNECTIONS]

Opens the connections, sends one request on each, waits until all are answered, and compares with the state before, after a full
collection on both sides (jcmd of the same JDK must be on the PATH). The backend's connections stay in the sidecar's pool in both.
"""
import re
import socket
import subprocess
import sys
import time
import urllib.request


def state(pid, admin):
    subprocess.run(["jcmd", pid, "GC.run"], check=True, capture_output=True)
    time.sleep(0.5)
    with urllib.request.urlopen(f"http://127.0.0.1:{admin}/memory") as answer:
        text = answer.read().decode()
    figures = dict(line.split() for line in text.splitlines())
    rss = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1)) * 1024
    return int(figures["heap_used_bytes"]), int(figures["direct_used_bytes"]), rss


def request(connection):
    connection.sendall(b"GET /body HTTP/1.1\r\nHost: a\r\n\r\n")
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
    while len(body) < length:
        body += connection.recv(65536)


def main():
    pid, port, admin = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    for _ in range(200):
        with socket.create_connection(("127.0.0.1", int(port))) as warm:
            request(warm)
    state(pid, admin)
    before = state(pid, admin)
    connections = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(count)]
    for connection in connections:
        request(connection)
    after = state(pid, admin)
    for name, old, new in zip(("heap", "direct", "rss"), before, after):
        print(f"{name}: {(new - old) / count:.0f} bytes a connection ({old} -> {new}, {count} connections)")


if __name__ == "__main__":
    main()

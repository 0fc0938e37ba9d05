"""The program wrk, which drives a closed loop: each connection sends its next request as soon as the last one is answered."""
import re
import subprocess


def start(seconds: float, port: int, connections: int = 64) -> subprocess.Popen:
    return subprocess.Popen(["wrk", "-t1", f"-c{connections}", f"-d{int(seconds)}", f"http://127.0.0.1:{port}/body"],
                            stdout=subprocess.PIPE, text=True)


def failures(told: str) -> int:
    """Requests that wrk counts as failed, from what it prints."""
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", told)
    statuses = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
    return sum(map(int, (*(errors.groups() if errors else ()), *(statuses.groups() if statuses else ()))))

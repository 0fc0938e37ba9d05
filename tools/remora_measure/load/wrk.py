"""The program wrk, which drives a closed loop: each connection sends its next request as soon as the last one is answered."""
import re
import subprocess

from ..machine import children

# Time that it may take beyond its own: wrk waits two seconds for what is unanswered.
GRACE_S = 15.0


class Loop:
    """A load of so many seconds that has begun."""

    def __init__(self, seconds: float, port: int, connections: int = 64) -> None:
        self.seconds = seconds
        self.process = children.start(["wrk", "-t1", f"-c{connections}", f"-d{int(seconds)}", f"http://127.0.0.1:{port}/body"],
                                      stdout=subprocess.PIPE, text=True)

    def told(self) -> str:
        """What it printed at its end. Raises DidNotEnd."""
        return children.finish(self.process, self.seconds + GRACE_S, "load")[0]


def failures(told: str) -> int:
    """Requests that wrk counts as failed, from what it prints."""
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", told)
    statuses = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
    return sum(map(int, (*(errors.groups() if errors else ()), *(statuses.groups() if statuses else ()))))


def requests(told: str) -> int:
    """Answered requests, from what wrk prints."""
    found = re.search(r"(\d+) requests in ", told)
    return int(found.group(1)) if found else 0

"""The sidecar's access log (docs/access-log.md), in either of its formats, as requests that a load can repeat."""
import datetime
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

# Kinds of requests: HTTP/1.1, HTTP/2, and calls of gRPC over HTTP/2.
KINDS = (HTTP1, H2, GRPC) = ("http1", "h2", "grpc")
COMBINED = re.compile(r'^\S+ - \S+ \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}|0) (\d+|-) "(?:[^"\\]|\\.)*" "(?:[^"\\]|\\.)*" \d+ \d+ \d+ \S+$')
COMBINED_TIME = "%d/%b/%Y:%H:%M:%S %z"
METHOD, HOST = re.compile(r"[A-Z]{1,16}"), re.compile(r"[\w.\-:\[\]]{1,255}")
# Methods with answers that a client of the load cannot read: HEAD has a length and no body, CONNECT becomes a tunnel.
NOT_REPEATED = ("HEAD", "CONNECT")
# The class of status, its first digit, with which the laboratory's backend answers all requests.
SUCCESSFUL = 2


class Request(NamedTuple):
    """A line of the log. at_s is in seconds since 1970. A reason not to repeat it stands in unfit. status_class is that of a response which the sidecar made itself,
    such as a redirect, and SUCCESSFUL for those of the application."""

    at_s: float
    listener: str | None
    kind: str
    method: str
    target: str
    host: str | None
    request_bytes: int
    response_bytes: int
    unfit: str | None = None
    status_class: int = SUCCESSFUL

    def is_good(self, status: int) -> bool:
        """Whether a status is no failure where the request is repeated."""
        return status // 100 in (SUCCESSFUL, self.status_class)


class Log(NamedTuple):
    """The requests of a log in their order, and the number of lines that are none."""

    requests: Sequence[Request]
    other_lines: int

    def of(self, listener: str) -> "Log":
        """The requests of one listener, with those of no known listener: the combined format does not name it."""
        return self._replace(requests=[one for one in self.requests if one.listener in (None, listener)])

    def rate(self) -> float | None:
        """Requests per second from the first to the last; None for fewer than two, or for all of them at one time."""
        times = [one.at_s for one in self.requests]
        seconds = max(times) - min(times) if times else 0.0
        return (len(times) - 1) / seconds if seconds > 0 else None

    def fit(self) -> list[Request]:
        return [one for one in self.requests if not one.unfit]

    def unfit(self) -> Counter[str]:
        """Why so many requests are not repeated."""
        return Counter(one.unfit for one in self.requests if one.unfit)


def read(lines: Iterable[str]) -> Log:
    """Lines of other origin are counted and left out: a container's standard output has both."""
    found, others = [], 0
    for line in filter(None, map(str.strip, lines)):
        request = from_json(line) if line.startswith("{") else from_combined(line)
        if request:
            found.append(request)
        else:
            others += 1
    return Log(found, others)


def from_json(line: str) -> Request | None:
    try:
        told: dict[str, Any] = json.loads(line)
        at_s = datetime.datetime.fromisoformat(told["time"].replace("Z", "+00:00")).timestamp()
        kind = GRPC if told.get("grpc_status") is not None else kind_of(told["version"])
        return judged(Request(at_s, told["listener"], kind, told["method"], told["target"], told.get("host"), told["request_bytes"] or 0,
                              told["response_bytes"] or 0), told["status"], told.get("failure"), told.get("endpoint") is not None)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def from_combined(line: str) -> Request | None:
    """This format has no listener, no host, no size of the request, no endpoint and no status of a call."""
    found = COMBINED.match(line)
    if not found:
        return None
    try:
        at_s = datetime.datetime.strptime(found[1], COMBINED_TIME).timestamp()
    except ValueError:
        return None
    method, _, rest = found[2].partition(" ")
    target, _, version = rest.rpartition(" ")
    failure = line.rpartition(" ")[2]
    size = int(found[4]) if found[4] != "-" else 0
    return judged(Request(at_s, None, kind_of(version), method, target, None, 0, size), int(found[3]), None if failure == "-" else failure, False)


def kind_of(version: str) -> str:
    return H2 if version.startswith("HTTP/2") else HTTP1


def judged(request: Request, status: int, failure: str | None, has_endpoint: bool) -> Request:
    """Returns the request, with the reason why it is not repeated if there is one. A response without an endpoint may be the sidecar's own."""
    if not has_endpoint and request.kind != GRPC:
        request = request._replace(status_class=status // 100)
    if failure or status == 0:
        return request._replace(unfit="failed in the proxy")
    if status == 101:
        return request._replace(unfit="protocol switch")
    if not METHOD.fullmatch(request.method) or request.method in NOT_REPEATED:
        return request._replace(unfit=f"method {request.method}" if request.method in NOT_REPEATED else "method not readable")
    if not request.target.startswith("/") or not request.target.isascii() or " " in request.target or not request.target.isprintable() or "\\" in request.target:
        return request._replace(unfit="target is not a path")
    if request.host is not None and not HOST.fullmatch(request.host):
        return request._replace(host=None)
    return request

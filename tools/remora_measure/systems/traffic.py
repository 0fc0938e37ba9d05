"""The shape of a sidecar's traffic, from its metrics and its access log, and requests that have that shape."""
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import CouldNotRun
from . import admin_pages
from .access_log import GRPC, H2, HTTP1, KINDS, SUCCESSFUL, Log, Request

STARTED_AT = "remora_process_start_time_seconds"
# Most requests of a sample, bytes of one body in it, and bytes of all bodies: the generator has them in memory.
MOST_REQUESTS, MOST_BODY_BYTES, MOST_BYTES = 2_000, 1 << 20, 16 << 20
# Requests that are made up from metrics alone.
MADE_UP, CALL = 100, "/loadtest.Application/Unary"
NO_HOST = "127.0.0.1"
GRPC_PREFIX = 5
HEADINGS = {HTTP1: "HTTP/1.1", H2: "HTTP/2", GRPC: "gRPC"}


class Reading(NamedTuple):
    """A text of /metrics, and when it was read in seconds since 1970."""

    text: str
    at_s: float

    @classmethod
    def of(cls, place: str) -> "Reading":
        """The page of a URL, or of a file, which was read when it was last changed. Raises OSError and CouldNotRun."""
        if place.startswith("http://"):
            host, _, path = place.removeprefix("http://").partition("/")
            name, _, port = host.rpartition(":")
            if not name or not port.isdigit():
                raise CouldNotRun(f"--metrics: {place} has no host and port")
            return cls(admin_pages.fetch(int(port), f"/{path}", host=name), time.time())
        return cls(Path(place).read_text(), Path(place).stat().st_mtime)

    def of_listener(self, name: str, listener: str) -> float:
        """The sum of a metric over the series of one listener."""
        return sum(value for labels, value in admin_pages.samples(self.text, name).items() if f'listener="{listener}"' in labels)


class Counted(NamedTuple):
    """Figures of a listener between two readings, or from the start of the process to a single one."""

    requests: float
    seconds: float
    connections: float
    request_bytes: float
    response_bytes: float
    streams: float
    calls: float
    is_since_start: bool

    def rate(self) -> float | None:
        return self.requests / self.seconds if self.seconds > 0 and self.requests > 0 else None

    def protocols(self) -> dict[str, float]:
        """The share of each kind of requests."""
        calls, streams = min(self.calls, self.requests), min(self.streams, self.requests)
        counts = {HTTP1: self.requests - max(streams, calls), H2: max(0.0, streams - calls), GRPC: calls}
        return {kind: count / self.requests for kind, count in counts.items() if count > 0} if self.requests else {HTTP1: 1.0}


def counted(readings: Sequence[Reading], listener: str) -> Counted:
    """Raises CouldNotRun where the readings have no such listener, or the process started between them."""
    last = readings[-1]
    if not admin_pages.samples(last.text, "remora_exchanges_finished_total"):
        raise CouldNotRun("--metrics: there are no metrics of a sidecar in it")
    names = ("remora_exchanges_finished_total", "remora_request_body_bytes_total", "remora_response_body_bytes_total", "remora_http2_streams_total",
             "remora_grpc_calls_total")
    before = [readings[0].of_listener(name, listener) if len(readings) > 1 else 0.0 for name in names]
    requests, sent, answered, streams, calls = (last.of_listener(name, listener) - old for name, old in zip(names, before))
    if requests < 0:
        raise CouldNotRun("--metrics: the counters of the second reading are lower; the sidecar was restarted, or the order is wrong")
    began = readings[0].at_s if len(readings) > 1 else admin_pages.total(last.text, STARTED_AT)
    seconds = max(0.0, last.at_s - began) if began else 0.0
    connections = last.of_listener("remora_frontend_connections_active", listener)
    return Counted(requests, seconds, connections, sent, answered, streams, calls, len(readings) == 1)


class Sizes(NamedTuple):
    """Sizes of bodies in bytes."""

    mean: float
    p50: float
    p99: float
    most: float


def sizes(values: Iterable[float]) -> Sizes:
    ordered = sorted(values)
    return Sizes(statistics.fmean(ordered), ordered[(len(ordered) - 1) // 2], ordered[max(0, -(-len(ordered) * 99 // 100) - 1)], ordered[-1])


class Shape(NamedTuple):
    """Rate in requests per second, open connections, shares of kinds and methods, and sizes of bodies. requests have that shape, in turn."""

    rate: float
    connections: int
    protocols: Mapping[str, float]
    methods: Mapping[str, float]
    request_bytes: Sizes
    response_bytes: Sizes
    requests: Sequence[Request]
    notes: Sequence[str] = ()

    def describe(self) -> dict[str, object]:
        """Returns the shape without its requests: their targets and hosts are the user's own."""
        return {**self._asdict(), "requests": len(self.requests), "request_bytes": self.request_bytes._asdict(), "response_bytes": self.response_bytes._asdict()}

    def text(self) -> str:
        """Lines of Markdown."""
        def shares(of: Mapping[str, float]) -> str:
            return ", ".join(f"{name} {100 * share:.3g} %" for name, share in sorted(of.items(), key=lambda one: -one[1]))

        def told(of: Sizes) -> str:
            return f"{of.p50:,.0f} at p50, {of.p99:,.0f} at p99, {of.most:,.0f} at most, {of.mean:,.0f} in the mean"

        return "\n".join([f"- {rate_text(self.rate)} requests a second over {self.connections} connections",
                          f"- protocols: {shares({HEADINGS[kind]: share for kind, share in self.protocols.items()})}", f"- methods: {shares(self.methods)}",
                          f"- request bodies, bytes: {told(self.request_bytes)}", f"- response bodies, bytes: {told(self.response_bytes)}",
                          *(f"- {note}" for note in self.notes)])


def rate_text(rate: float) -> str:
    """A rate in requests per second, with three digits or more."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


class Asked(NamedTuple):
    """Figures that the user sets of the traffic; None for what is to be found out."""

    rate: float | None = None
    connections: int | None = None
    path: str = "/"
    body_bytes: int = 1024


def shape(asked: Asked, log: Log | None, counts: Counted | None) -> Shape:
    """Returns the shape of one listener's traffic. The access log has the requests; without one, they are made up from the metrics' means. Raises CouldNotRun."""
    notes: list[str] = []
    if log is not None:
        all_fit = log.fit()
        if not all_fit:
            raise CouldNotRun("--access-log: it has no request of this listener that can be repeated")
        notes += [f"{count:,} requests of the access log are not repeated: {why}" for why, count in sorted(log.unfit().items())]
        requests = sample(all_fit)
    else:
        requests = all_fit = made_up(asked, counts)
    measured = counts.rate() if counts else None
    of_log = log.rate() if log is not None else None
    rate = asked.rate or (measured if counts and not counts.is_since_start else None) or of_log or measured
    if not rate:
        raise CouldNotRun("the rate is not known: --rate N sets it")
    if not asked.rate and counts and counts.is_since_start and rate == measured:
        notes.append("the rate is the mean since the start of the sidecar; two readings of the metrics give that of now")
    connections = asked.connections or (round(counts.connections) if counts and counts.connections else 16)
    count = len(all_fit)
    return Shape(rate, max(1, connections), {kind: found / count for kind in KINDS if (found := sum(one.kind == kind for one in all_fit))},
                 {method: found / count for method, found in Counter(one.method for one in all_fit).items()},
                 sizes(one.request_bytes for one in all_fit), sizes(one.response_bytes for one in all_fit), requests, notes)


def sample(requests: Sequence[Request]) -> list[Request]:
    """Picks requests at even distances, so many that the bodies fit into the generator's memory."""
    cut = [one._replace(request_bytes=min(one.request_bytes, MOST_BODY_BYTES)) for one in requests]
    mean = statistics.fmean(one.request_bytes for one in cut)
    count = max(1, min(len(cut), MOST_REQUESTS, int(MOST_BYTES / mean) if mean else MOST_REQUESTS))
    return [cut[number * len(cut) // count] for number in range(count)]


def made_up(asked: Asked, counts: Counted | None) -> list[Request]:
    """Requests of the mean sizes, a POST where they have bodies, with each kind at even distances."""
    known = counts if counts and counts.requests else None
    sent = round(known.request_bytes / known.requests) if known else 0
    answered = round(known.response_bytes / known.requests) if known else asked.body_bytes
    found, owed = [], dict.fromkeys(KINDS, 0.0)
    protocols = known.protocols() if known else {HTTP1: 1.0}
    for number in range(MADE_UP):
        for kind, share in protocols.items():
            owed[kind] += share
        kind = max(protocols, key=lambda one: owed[one])
        owed[kind] -= 1
        is_call = kind == GRPC
        found.append(Request(float(number), None, kind, "POST" if sent or is_call else "GET", CALL if is_call else asked.path, None,
                             min(sent, MOST_BODY_BYTES), answered))
    return found


def first_of_each_kind(requests: Iterable[Request]) -> list[Request]:
    """The first request of each kind; if there is one, the first that the application answers."""
    found: dict[str, Request] = {}
    for one in sorted(requests, key=lambda one: one.status_class != SUCCESSFUL):
        found.setdefault(one.kind, one)
    return list(found.values())


def lines(requests: Iterable[Request]) -> str:
    """The requests as the load generator reads them (RecordedRequest)."""
    def line(one: Request) -> str:
        # the body of a call is its message behind a prefix, which the generator adds
        prefix = GRPC_PREFIX if one.kind == GRPC else 0
        kind, sent, answered = GRPC if prefix else "http", max(0, one.request_bytes - prefix), max(0, one.response_bytes - prefix)
        return f"{kind} {one.method} {one.target} {one.host or NO_HOST} {sent} {answered} {one.status_class}\n"

    return "".join(map(line, requests))

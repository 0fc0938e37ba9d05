"""Results of a comparison over HTTP/2, gRPC and TCP: every round's figures, those that they are compared with, and the bars that are met or missed."""
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread
from ..spread import Figure
from ..systems.configurations import GRPC, H2, HTTP1, TCP
from .barred_comparison import BarredComparison, Row

SHOWN = {HTTP1: "HTTP/1.1", H2: "HTTP/2", GRPC: "gRPC", TCP: "TCP"}
DIRECT = "direct"
ENVOY, HAPROXY = "envoy", "haproxy"
# Images with bars of their own: the one of 32 bits, and the one with C2.
I386, TIERED = "i386-client", "amd64-tiered"

MEMORY_AND_CPU = (
    Figure("private_mb", "private, MB", 1), Figure("private_to_envoy", "to Envoy's", 2), Figure("working_set_mb", "working set, MB", 1),
    Figure("working_set_to_envoy", "to Envoy's", 2), Figure("peak_rss_mb", "peak RSS, MB", 1), Figure("rss_above_mb", "above HTTP/1.1, MB", 1), Figure("rss_to_envoy", "to Envoy's", 2),
    Figure("cpu_us", "CPU per request, us"), Figure("cpu_to_envoy", "to Envoy's", 2), Figure("closed_rps", "closed loop, rps"),
    Figure("closed_to_envoy", "to Envoy's", 2), Figure("closed_cpu_us", "its CPU per request, us"),
)
LATENCIES = (
    Figure("own_p50_us", "in the sidecar p50, us"), Figure("own_p99_us", "p99, us"), Figure("own_p999_us", "p999, us"),
    Figure("added_p50_us", "added p50, us"), Figure("added_p99_us", "added p99, us"), Figure("added_p999_us", "added p999, us"),
    Figure("client_p50_us", "client p50, us"), Figure("client_p99_us", "client p99, us"), Figure("client_p999_us", "client p999, us"),
)
CONNECTIONS = (
    Figure("unstalled_p99_us", "on one connection p99, us"), Figure("stalled_p99_us", "with a stalled one, us"),
    Figure("stalled_above", "above, %", 1), Figure("idle_kib", "idle connection, KiB of RSS", 1), Figure("idle_heap_kib", "of heap", 1), Figure("idle_direct_kib", "of direct memory", 1),
)
CALLS = (Figure("grpc_rps", "unary calls a second", 0), Figure("grpc_to_envoy", "to Envoy's", 2), Figure("grpc_cpu_us", "CPU of a call, us"),
         Figure("grpc_first_rps", "right after the start", 0), Figure("grpc_first_to_envoy", "to Envoy's", 2), Figure("grpc_first_cpu_us", "CPU of a call, us"),
         Figure("grpc_private_mb", "private, MB", 1), Figure("grpc_working_set_mb", "working set, MB", 1), Figure("grpc_rss_mb", "peak RSS, MB", 1))
TUNNEL = (Figure("tcp_mb_s", "one connection, MB a second"), Figure("tcp_to_haproxy", "to HAProxy's", 2), Figure("tcp_cpu_ms", "CPU of a GB, ms"),
          Figure("tcp_cpu_share", "of its core", 2),
          Figure("tcp_private_mb", "private, MB", 1), Figure("tcp_working_set_mb", "working set, MB", 1), Figure("tcp_rss_mb", "peak RSS, MB", 1))
HOST = (
    Figure("rate_rps", "rate", 1), Figure("hiccup_p99_us", "hiccup p99, us"), Figure("hiccup_p999_us", "hiccup p999, us"),
    Figure("own_hiccup_p99_us", "in the window of the sidecar's clock, p99, us"), Figure("own_hiccup_p999_us", "p999, us"),
    Figure("stalled_hiccup_p99_us", "with a stalled stream, p99, us"), Figure("steal_share", "stolen CPU share", 3), Figure("start_s", "start, s", 2),
)
TABLES = {"memory and CPU": MEMORY_AND_CPU, "latency": LATENCIES, "streams and connections": CONNECTIONS, "calls": CALLS, "a tunnel": TUNNEL,
          "the host": HOST}


class About(NamedTuple):
    """An arm: which system it is, and what it speaks on both sides."""

    system: str
    protocol: str

    @property
    def name(self) -> str:
        return f"{self.system} {SHOWN[self.protocol]}"


class Bar(NamedTuple):
    """The most, or the least, that a figure of the sidecar over a protocol may be. host is the figure of the host that excuses a miss where it is
    beyond the bar itself, and what it leaves of the figure is not; direct is what the way straight to the backend took, and busy the share of its
    core that the sidecar took. by_system has the bars of images that have one of their own."""

    protocol: str
    key: str
    heading: str
    places: int
    bar: float
    is_least: bool = False
    host: str | None = None
    direct: str | None = None
    busy: str | None = None
    by_system: Mapping[str, float] = {}

    def of(self, system: str) -> float:
        return self.by_system.get(system, self.bar)

    def is_met(self, value: float, bar: float) -> bool:
        return value >= bar if self.is_least else value <= bar


# Share of its core from which on a system limits the throughput, instead of its client or its backend.
BUSY = 0.85
BARS = (
    Bar(H2, "rss_above_mb", "peak RSS above HTTP/1.1's, MB", 1, 2, by_system={I386: 1.5}),
    Bar(H2, "cpu_to_envoy", "CPU per request, as a ratio to Envoy's", 2, 0.6, by_system={I386: 0.65, TIERED: 0.7}),
    Bar(H2, "own_p99_us", "time in the sidecar, p99, us", 0, 1_000, host="own_hiccup_p99_us"),
    Bar(H2, "own_p999_us", "time in the sidecar, p999, us", 0, 5_000, host="own_hiccup_p999_us"),
    Bar(H2, "added_p99_us", "added to the client's p99, us", 0, 500, by_system={TIERED: 1_000}, host="hiccup_p99_us", direct="direct_p99_us"),
    Bar(H2, "added_p999_us", "added to the client's p999, us", 0, 5_000, host="hiccup_p999_us", direct="direct_p999_us"),
    Bar(GRPC, "grpc_to_envoy", "unary calls in a closed loop, as a ratio to Envoy's", 2, 1.3, is_least=True, by_system={I386: 1.1, TIERED: 2.2}),
    Bar(H2, "stalled_above", "p99 next to a stalled stream, above that without, %", 1, 10),
    Bar(H2, "idle_jvm_kib", "idle connection, heap and direct memory, KiB", 1, 8),
    Bar(TCP, "tcp_to_haproxy", "throughput of a tunnel, as a ratio to HAProxy's", 2, 0.8, is_least=True, busy="tcp_cpu_share"),
)


class H2Comparison(BarredComparison[About]):
    """An arm is compared with HTTP/1.1, the way straight to the backend, Envoy and HAProxy, as far as there are such."""

    TABLES = TABLES
    HEADINGS = ("bar", "arm", "measured", "bar", "result")

    def compared(self, about: About, number: int, row: Row | None) -> Row | None:
        if row is None or about.system == DIRECT:
            return row
        plain, direct, envoy, haproxy = (self.row(About(system, protocol), number) for system, protocol in (
            (about.system, HTTP1), (DIRECT, H2), (ENVOY, about.protocol), (HAPROXY, about.protocol)))
        more: dict[str, float | None] = {f"{name}_to_{other}": spread.ratio(row, peer, key) for name, key, other, peer in (
            ("rss", "peak_rss_mb", ENVOY, envoy), ("private", "private_mb", ENVOY, envoy), ("working_set", "working_set_mb", ENVOY, envoy),
            ("cpu", "cpu_us", ENVOY, envoy), ("closed", "closed_rps", ENVOY, envoy), ("grpc", "grpc_rps", ENVOY, envoy),
            ("grpc_first", "grpc_first_rps", ENVOY, envoy), ("tcp", "tcp_mb_s", HAPROXY, haproxy))}
        if about.protocol == H2 and plain:
            more["rss_above_mb"] = row["peak_rss_mb"] - plain["peak_rss_mb"]
        if about.protocol == H2 and direct:
            more.update({f"added_{key}": row[f"client_{key}"] - direct[f"client_{key}"] for key in ("p50_us", "p99_us", "p999_us")})
            more.update({f"direct_{key}": float("inf") if direct.get("rate_missed") else direct[f"client_{key}"] for key in ("p99_us", "p999_us")})
        return {**row, **{key: value for key, value in more.items() if value is not None}}

    def judged(self) -> list[dict[str, Any]]:
        rows = self.completed()
        return [self.judgement(bar, name, about, [row for row in rows[name] if row]) for bar in BARS for name, about in self.arms.items()
                if about.protocol == bar.protocol and about.system not in (DIRECT, ENVOY, HAPROXY)]

    def judgement(self, bar: Bar, name: str, about: About, rows: Sequence[Row]) -> dict[str, Any]:
        """met, missed, inconclusive, or not measured. Under less load than was asked for, no latency is met."""
        found, host, limit = spread.of_key(rows, bar.key), spread.of_key(rows, bar.host) if bar.host else None, bar.of(about.system)
        if found is None:
            result = self.unmeasured(name)
        elif not bar.is_met(found.median, limit):
            result = "inconclusive" if host and host.median > limit and found.median - host.median <= limit else "missed"
        else:
            result = "inconclusive" if self.proves_nothing(bar, rows, limit) else "met"
        return {"figure": bar.heading, "key": bar.key, "arm": name, "measured": found._asdict() if found else None, "bar": limit,
                "relation": "at least" if bar.is_least else "at most", "places": bar.places, "result": result}

    @staticmethod
    def proves_nothing(bar: Bar, rows: Sequence[Row], limit: float) -> bool:
        """Where less load came than was asked for, where the way straight to the backend was as slow by itself, or where it was not the system
        that a throughput depended on."""
        return (bar.host is not None and any(row.get("rate_missed") for row in rows)
                or bar.direct is not None and any(row.get(bar.direct, 0) > limit for row in rows)
                or bar.busy is not None and any(row.get(bar.busy, 1) < BUSY for row in rows))

    def asked(self) -> str:
        asked = self.options
        return (f"{asked['rate']:,} requests a second over {asked['connections']} connections of {asked['streams']} streams, "
                f"{asked['body']:,} bytes")

    def limit(self, one: Mapping[str, Any]) -> str:
        return f"{one['relation']} {one['bar']:,.{one['places']}f}"

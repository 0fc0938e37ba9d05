"""What a comparison over TLS found: every round's figures, what TLS adds to each system, and the bars that are met or missed."""
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread
from ..conformance import tls_rows
from ..spread import Figure
from ..systems.certificates import MTLS, MTLS_H2, OFF
from .barred_comparison import BarredComparison, Row

MEMORY_AND_CPU = (
    Figure("private_mb", "private, MB", 1), Figure("private_to_envoy", "to Envoy's", 2), Figure("working_set_mb", "working set, MB", 1),
    Figure("working_set_to_envoy", "to Envoy's", 2), Figure("peak_rss_mb", "peak RSS, MB", 1), Figure("rss_above_mb", "above plain, MB", 1),
    Figure("rss_to_envoy", "to Envoy's", 2),
    Figure("cpu_us", "CPU per request, us"), Figure("cpu_to_envoy", "to Envoy's", 2), Figure("closed_rps", "closed loop, rps"), Figure("closed_cpu_us", "its CPU per request, us"),
    Figure("closed_cpu_above", "above plain, %"),
)
CONNECTIONS = (
    Figure("handshake_cpu_ms", "full handshake, ms of CPU", 2), Figure("handshake_to_envoy", "to Envoy's", 2),
    Figure("remembered_cpu_ms", "of one client, ms", 2), Figure("remembered_to_envoy", "to Envoy's", 2), Figure("resumed_cpu_ms", "resumed, ms", 2),
    Figure("resumed_to_envoy", "to Envoy's", 2), Figure("hybrid_cpu_ms", "with X25519MLKEM768, ms", 2), Figure("hybrid_to_envoy", "to Envoy's", 2),
    Figure("hybrid_classic_cpu_ms", "with X25519 by that client, ms", 2),
    Figure("idle_kib", "idle connection, KiB", 1), Figure("new_arrived", "newcomers a second", 1),
)
LATENCIES = tuple(Figure(f"{window}_{whose}_{key}_us", f"{shown}{named} {key}, us")
                  for window, shown in (("steady", ""), ("new", "newcomers: "))
                  for whose, named in (("own", "in the sidecar"), ("client", "client")) for key in ("p50", "p99", "p999"))
HOST = (
    Figure("rate_rps", "rate", 1), Figure("hiccup_p99_us", "hiccup p99, us"), Figure("steady_hiccup_p99_us", "steady p99, us"),
    Figure("steady_hiccup_p999_us", "steady p999, us"), Figure("new_hiccup_p99_us", "newcomers p99, us"),
    Figure("steal_share", "stolen CPU share", 3), Figure("start_s", "start, s", 2),
)
TABLES = {"memory and CPU": MEMORY_AND_CPU, "connections": CONNECTIONS, "latency": LATENCIES, "the host": HOST}


class About(NamedTuple):
    """An arm: which system it is, who does its TLS ("" for a system's own, and without TLS), and the mode of TLS."""

    system: str
    engine: str
    mode: str

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.system, self.engine, "plain" if self.mode == OFF else self.mode)))


class Bar(NamedTuple):
    """The most that a figure of the sidecar with client certificates may be. most is one number, or one for each engine and the bits of its
    JVM; an engine that is not among these has no such bar. host is the figure of the host that excuses a miss where it is beyond the bar
    itself, and what it leaves of the figure is not."""

    key: str
    heading: str
    places: int
    most: float | Mapping[tuple[str, int], float]
    host: str | None = None
    mode: str = MTLS

    def of(self, engine: str, bits: int | None) -> float | None:
        """The least one where the bits are not known."""
        if isinstance(self.most, (int, float)):
            return self.most
        of_engine = {known: most for (name, known), most in self.most.items() if name == engine}
        return min(of_engine.values(), default=None) if bits is None else of_engine.get(bits)


AWS_LC, OPENSSL = "AWS-LC", "OpenSSL"
# The least share of a load that counts as having come.
REACHED = 0.99
BARS = (
    Bar("rss_above_mb", "peak RSS above plain, MB", 1, tls_rows.RSS_MB),
    Bar("rss_to_envoy", "peak RSS, as a ratio to Envoy's", 2, {(OPENSSL, 32): 0.5, (OPENSSL, 64): 0.5}),
    Bar("closed_cpu_above", "closed-loop CPU per request above plain, %", 0,
        {(AWS_LC, 32): 25, (AWS_LC, 64): 20, (OPENSSL, 32): 25, (OPENSSL, 64): 25}),
    Bar("handshake_to_envoy", "CPU of a full handshake, as a ratio to Envoy's", 2,
        {(AWS_LC, 32): 2.6, (AWS_LC, 64): 1.3, **{(engine, bits): most for engine in (OPENSSL, "JDK") for bits, most in ((32, 1.5), (64, 1.0))}}),
    Bar("resumed_to_envoy", "CPU of a resumed handshake, as a ratio to Envoy's", 2, {(AWS_LC, 32): 2.0, (AWS_LC, 64): 1.3}),
    Bar("steady_own_p99_us", "time in the sidecar, p99, us", 0, 1_000, "steady_hiccup_p99_us"),
    Bar("steady_own_p999_us", "time in the sidecar, p999, us", 0, 5_000, "steady_hiccup_p999_us"),
    Bar("new_own_p99_us", "the same with newcomers, p99, us", 0, 2_000, "new_hiccup_p99_us"),
    Bar("idle_kib", "idle connection, KiB", 1,
        {(AWS_LC, 32): 14, (AWS_LC, 64): 17, **{(engine, bits): 20 for engine in (OPENSSL, "JDK") for bits in (32, 64)}}),
    Bar("rss_to_envoy", "with HTTP/2, peak RSS as a ratio to Envoy's", 2, {(AWS_LC, 32): 0.40, (AWS_LC, 64): 0.48}, mode=MTLS_H2),
    Bar("private_to_envoy", "with HTTP/2, private memory as a ratio to Envoy's", 2, {(AWS_LC, 32): 0.55, (AWS_LC, 64): 0.75}, mode=MTLS_H2),
    Bar("idle_kib", "with HTTP/2, idle connection, KiB", 1, {(AWS_LC, 32): 20, (AWS_LC, 64): 23}, mode=MTLS_H2),
)


TO_ENVOY = {"rss": "peak_rss_mb", "private": "private_mb", "working_set": "working_set_mb", "cpu": "cpu_us",
            **{kind: f"{kind}_cpu_ms" for kind in ("handshake", "remembered", "resumed", "hybrid")}}


class TlsComparison(BarredComparison[About]):
    """Each arm with TLS is compared with the same system without it, and Envoy with the same."""

    TABLES = TABLES
    HEADINGS = ("bar, with client certificates", "arm", "measured", "at most", "result")

    def compared(self, about: About, number: int, row: Row | None) -> Row | None:
        if row is None:
            return None
        plain, envoy = self.row(About(about.system, "", OFF), number), self.row(About("envoy", "", about.mode), number)
        above = spread.ratio(row, plain, "closed_cpu_us")
        more = {
            "rss_above_mb": row["peak_rss_mb"] - plain["peak_rss_mb"] if plain and about.mode != OFF else None,
            "closed_cpu_above": 100 * (above - 1) if above and about.mode != OFF else None,
            **{f"{key}_to_envoy": spread.ratio(row, envoy, of) for key, of in TO_ENVOY.items()},
        }
        return {**row, **{key: value for key, value in more.items() if value is not None}}

    def judged(self) -> list[dict[str, Any]]:
        rows = self.completed()
        return [self.judgement(bar, name, [row for row in rows[name] if row], most) for bar in BARS for name, about in self.arms.items()
                if about.engine and about.mode == bar.mode for most in [bar.of(about.engine, bits_of(rows[name]))] if most is not None]

    def judgement(self, bar: Bar, name: str, rows: Sequence[Row], most: float) -> dict[str, Any]:
        """met, missed, inconclusive, or not measured. Under less load than was asked for, nothing is met."""
        found, host = spread.of_key(rows, bar.key), spread.of_key(rows, bar.host) if bar.host else None
        if found is None:
            result = self.unmeasured(name)
        elif found.median > most:
            result = "inconclusive" if host and host.median > most and found.median - host.median <= most else "missed"
        else:
            result = "inconclusive" if self.asked_too_little(bar, rows) else "met"
        return {"figure": bar.heading, "key": bar.key, "arm": name, "measured": found._asdict() if found else None, "most": most,
                "places": bar.places, "result": result}

    def asked_too_little(self, bar: Bar, rows: Sequence[Row]) -> bool:
        """Whether what loads the arm did not reach what the bar is for."""
        if bar.key == "new_own_p99_us":
            arrived = spread.of_key(rows, "new_arrived")
            return arrived is not None and arrived.median < REACHED * self.options["newcomers"]
        return bar.host is not None and any(row["rate_missed"] for row in rows)

    def is_told(self, figure: Figure) -> bool:
        return "client" not in figure.key

    def asked(self) -> str:
        asked = self.options
        return f"{asked['rate']:,} requests a second over {asked['connections']} connections, {asked['body']:,} bytes; TLS 1.3, ECDSA P-256"

    def limit(self, one: Mapping[str, Any]) -> str:
        return f"{one['most']:,.{one['places']}f}"


def bits_of(rows: Iterable[Row | None]) -> int | None:
    return next((row["bits"] for row in rows if row and row.get("bits")), None)

"""What a comparison over TLS found: every round's figures, what TLS adds to each system, and the bars that are met or missed."""
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import spread
from ..conformance import tls_rows
from ..machine import kernel
from ..markdown import aligned_table, spread_table
from ..spread import Figure, Spread
from ..systems.certificates import MTLS, OFF

Row = dict[str, Any]

MEMORY_AND_CPU = (
    Figure("peak_rss_mb", "peak RSS, MB", 1), Figure("rss_above_mb", "above plain, MB", 1), Figure("rss_to_envoy", "to Envoy's", 2),
    Figure("cpu_us", "CPU per request, us"), Figure("closed_rps", "closed loop, rps"), Figure("closed_cpu_us", "its CPU per request, us"),
    Figure("closed_cpu_above", "above plain, %"),
)
CONNECTIONS = (
    Figure("handshake_cpu_ms", "handshake, ms of CPU", 2), Figure("handshake_to_envoy", "to Envoy's", 2),
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

    def of(self, engine: str, bits: int | None) -> float | None:
        return self.most if isinstance(self.most, (int, float)) else self.most.get((engine, bits or 0))


OPENSSL = "OpenSSL"
# The least share of a load that counts as having come.
REACHED = 0.99
BARS = (
    Bar("rss_above_mb", "peak RSS above plain, MB", 1, tls_rows.RSS_MB),
    Bar("rss_to_envoy", "peak RSS, as a ratio to Envoy's", 2, {(OPENSSL, 32): 0.5, (OPENSSL, 64): 0.5}),
    Bar("closed_cpu_above", "closed-loop CPU per request above plain, %", 0, {(OPENSSL, 32): 25, (OPENSSL, 64): 25}),
    Bar("handshake_to_envoy", "CPU of a full handshake, as a ratio to Envoy's", 2,
        {(engine, bits): most for engine in (OPENSSL, "JDK") for bits, most in ((32, 1.5), (64, 1.0))}),
    Bar("steady_own_p99_us", "time in the sidecar, p99, us", 0, 1_000, "steady_hiccup_p99_us"),
    Bar("steady_own_p999_us", "time in the sidecar, p999, us", 0, 5_000, "steady_hiccup_p999_us"),
    Bar("new_own_p99_us", "the same beside newcomers, p99, us", 0, 2_000, "new_hiccup_p99_us"),
    Bar("idle_kib", "idle connection, KiB", 1, 20),
)


class TlsComparison:
    """rows: {arm: [figures of round 1, ...]}, None for a round that an arm did not come to. failure is why it stopped, or None."""

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None]) -> None:
        self.options, self.versions = options, versions
        self.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.machine = kernel.describe_machine()
        self.arms: dict[str, About] = {}
        self.rows: dict[str, list[Row | None]] = {}
        self.left_out: dict[str, str] = {}
        self.missed: list[str] = []
        self.failure: str | None = None

    def add(self, number: int, about: About, row: Row) -> None:
        self.arms[about.name] = about
        kept = self.rows.setdefault(about.name, [])
        kept += [None] * (number - len(kept))
        kept.append(row)
        if row["rate_missed"]:
            self.missed.append(f"round {number + 1}, {about.name}: {row['rate_rps']:.0f} requests a second of {self.options['rate']}")

    def completed(self) -> dict[str, list[Row | None]]:
        """The rows with what is told against the same system without TLS, and against Envoy with the same, in their rounds."""
        return {name: [self.compared(about, number, row) for number, row in enumerate(self.rows[name])] for name, about in self.arms.items()}

    def compared(self, about: About, number: int, row: Row | None) -> Row | None:
        if row is None or about.mode == OFF:
            return row
        plain, envoy = self.row(About(about.system, "", OFF), number), self.row(About("envoy", "", about.mode), number)
        above = spread.ratio(row, plain, "closed_cpu_us")
        more = {
            "rss_above_mb": row["peak_rss_mb"] - plain["peak_rss_mb"] if plain else None,
            "closed_cpu_above": 100 * (above - 1) if above else None,
            **{f"{key}_to_envoy": spread.ratio(row, envoy, of) for key, of in (("rss", "peak_rss_mb"), ("handshake", "handshake_cpu_ms"))},
        }
        return {**row, **{key: value for key, value in more.items() if value is not None}}

    def row(self, about: About, number: int) -> Row | None:
        rows = self.rows.get(about.name, [])
        return rows[number] if number < len(rows) else None

    def spreads(self, figures: Sequence[Figure]) -> dict[str, dict[str, Spread]]:
        return {name: spread.by_figure([row for row in rows if row], figures) for name, rows in self.completed().items()}

    def judged(self) -> list[dict[str, Any]]:
        """Each bar on each arm that it is for; the median of the rounds decides."""
        rows = self.completed()
        return [self.judgement(bar, name, [row for row in rows[name] if row], most) for bar in BARS for name, about in self.arms.items()
                if about.engine and about.mode == MTLS for most in [bar.of(about.engine, bits_of(rows[name]))] if most is not None]

    def judgement(self, bar: Bar, name: str, rows: Sequence[Row], most: float) -> dict[str, Any]:
        """met, missed, inconclusive, or not measured. Under less load than was asked for, nothing is met."""
        found, host = spread.of_key(rows, bar.key), spread.of_key(rows, bar.host) if bar.host else None
        if found is None:
            result = "not measured"
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

    def describe(self) -> dict[str, Any]:
        """The whole result, as it is written in JSON."""
        figures = [figure for table in TABLES.values() for figure in table]
        return {"at": self.at, "machine": self.machine, "options": self.options, "versions": self.versions, "left_out": self.left_out,
                "failure": self.failure, "missed": self.missed, "arms": {name: about._asdict() for name, about in self.arms.items()},
                "bars": self.judged(), "rounds": self.completed(),
                "figures": {name: {key: found._asdict() for key, found in one.items()} for name, one in self.spreads(figures).items()}}

    def write(self, targets: Iterable[Path]) -> None:
        for target in targets:
            target.write_text(json.dumps(self.describe(), indent=1))

    def line(self, row: Row) -> str:
        """One run's figures, for whoever watches."""
        return "; ".join(f"{row[figure.key]:.{figure.places}f} {figure.heading}" for figures in TABLES.values() for figure in figures
                         if row.get(figure.key) is not None and "client" not in figure.key)

    def markdown(self) -> str:
        """What ran, the bars, and the tables: medians, and in brackets the least and the most of the rounds."""
        asked, machine, done = self.options, self.machine, max(map(len, self.rows.values()), default=0)
        parts = [f"{asked['rate']:,} requests a second over {asked['connections']} connections, {asked['body']:,} bytes; TLS 1.3, ECDSA P-256; "
                 f"{done} rounds, median (least to most); {machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}; {self.at[:10]}"]
        parts += [f"**Stopped, and not to be trusted: {self.failure}.**"] if self.failure else []
        parts += ["Rates missed: " + "; ".join(self.missed)] if self.missed else []
        if judged := self.judged():
            parts.append(aligned_table(["bar, with client certificates", "arm", "measured", "at most", "result"], [cells(one) for one in judged]))
        parts += [spread_table(heading, self.spreads(figures), figures) for heading, figures in TABLES.items()]
        parts.append("\n".join([*(f"- {text}" for text in self.versions.values() if text),
                                *(f"- left out: {why}" for why in self.left_out.values())]))
        return "\n\n".join(part for part in parts if part) + "\n"


def bits_of(rows: Iterable[Row | None]) -> int | None:
    return next((row["bits"] for row in rows if row and row.get("bits")), None)


def cells(one: Mapping[str, Any]) -> list[str]:
    measured = Spread(**one["measured"]).text(one["places"]) if one["measured"] else ""
    result = "**missed**" if one["result"] == "missed" else one["result"]
    return [one["figure"], one["arm"], measured, f"{one['most']:,.{one['places']}f}", result]

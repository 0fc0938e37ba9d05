"""Fills the marked blocks of the pages with the published figures, so that no two pages can disagree.

A block stands between the lines <!-- figures:NAME --> and <!-- /figures -->; what is between them is written here and nowhere else.

  figures.py fill                        write every block anew
  figures.py check                       exit with 1, and name each block that is stale or missing
  figures.py take comparison FILE        replace the comparison with compare.json, then fill
  figures.py take footprint FILE         replace the footprint by rate with footprint.json, then fill
  figures.py take conformance FILE       replace the verdict on one image with that of report.json, then fill

Exit status: 0, 1 for a stale page, 64 for a wrong argument, 65 for a measurement that cannot be published.
"""
import json
import math
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = "docs/figures/figures.json"
PEAKS = "jvm-profiles/peaks"
BEGIN, END = re.compile(r"<!-- figures:([\w-]+) -->"), "<!-- /figures -->"

# Which pages have which blocks: a page that loses one is as wrong as one whose figures are old.
PAGES = {
    "README.md": ("comparison-run", "comparison", "comparison-to-envoy-in-short", "footprint-run", "footprint", "profiles", "conformance"),
    "docs/comparison.md": ("comparison-run", "comparison-notes", "comparison-memory", "comparison-latency", "comparison-to-envoy",
                           "comparison-to-haproxy", "comparison-host", "comparison-versions"),
    "docs/footprint.md": ("footprint-run", "footprint-notes", "footprint-memory", "footprint-cpu", "footprint-p99", "footprint-p999"),
    "proxy/DESIGN.md": ("comparison-run", "bars"),
}

# Columns: key, heading, decimal places.
MEMORY_AND_CPU = (
    ("peak_rss_mb", "peak RSS, MB", 1), ("pss_mb", "PSS, MB", 1), ("cpu_us", "CPU per request, us", 0),
    ("closed_rps", "closed loop, rps", 0), ("closed_cpu_us", "its CPU per request, us", 0), ("closed_rss_mb", "its peak RSS, MB", 1),
)
WIRE = (("wire_p50_us", "wire p50, us", 0), ("wire_p99_us", "wire p99, us", 0))
LATENCY = (("added_p50_us", "added p50, us", 0), ("added_p99_us", "added p99, us", 0), ("added_p999_us", "added p999, us", 0),
           *WIRE, ("start_s", "start, s", 2))
HOST = (
    ("rate_rps", "rate", 1), ("client_p50_us", "client p50, us", 0), ("client_p99_us", "client p99, us", 0),
    ("client_p999_us", "client p999, us", 0), ("hiccup_p99_us", "hiccup p99, us", 0), ("hiccup_p999_us", "hiccup p999, us", 0),
    ("hiccup_over_5ms", "hiccups over 5 ms", 0), ("steal_share", "stolen CPU share", 3),
)
RATIOS = tuple((key, heading, 2) for key, heading, _ in (*MEMORY_AND_CPU, *WIRE))
IN_SHORT = (*MEMORY_AND_CPU[:3], *LATENCY[:2], *WIRE, MEMORY_AND_CPU[3], LATENCY[5])
BY_RATE = {
    "memory": ("peak_rss_mb", "peak RSS, MB", 1), "cpu": ("cpu_percent", "CPU, per cent of a core", 1),
    "p99": ("own_p99_us", "time in the sidecar, p99, us", 0), "p999": ("own_p999_us", "time in the sidecar, p999, us", 0),
}
# Rows of a conformance test's report: key, heading, decimal places.
CONFORMANCE = {
    "time in the proxy, p99": ("p99_ms", "p99, ms", 2), "time in the proxy, p999": ("p999_ms", "p999, ms", 1),
    "peak RSS": ("peak_rss_mb", "peak RSS, MB", 1), "CPU": ("cpu_percent", "CPU, per cent of a core", 0),
}
DIRECT = "direct"
OPTIONS = ("rate", "connections", "body", "warmup", "seconds", "closed")
RANGES = "figures are medians of the rounds, with (least .. most) where a range is shown"
SYSTEMS = {"envoy": "Envoy", "haproxy": "HAProxy", "nginx": "nginx"}

# What the JVM of the image amd64-c1 is held to: figure, where it stands, the bar, and whether the bar is the most or the least.
JUDGED = "amd64-c1"
BARS = (
    ("peak RSS at 1,000 requests a second, MB", ("comparison", "figures", JUDGED, "peak_rss_mb"), 50, "at most", 1),
    ("CPU per request, us", ("comparison", "figures", JUDGED, "cpu_us"), 135, "at most", 0),
    ("CPU per request, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "cpu_us"), 0.8, "at most", 2),
    ("time on the wire p50, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "wire_p50_us"), 0.7, "at most", 2),
    ("closed-loop throughput, as a ratio to Envoy's", ("comparison", "ratios", "envoy", JUDGED, "closed_rps"), 1.2, "at least", 2),
    ("time in the proxy p99 at 1,000 requests a second, us", ("footprint", "figures", "own_p99_us", JUDGED, "1000"), 1000, "at most", 0),
    ("time in the proxy p999 at 1,000 requests a second, us", ("footprint", "figures", "own_p999_us", JUDGED, "1000"), 5000, "at most", 0),
    ("loaded classes, after a scrape", ("single", "loaded_classes"), 2300, "at most", 0),
    ("idle keep-alive connection, bytes of heap", ("single", "idle_connection_heap_bytes"), 4096, "at most", 0),
)


class NotPublishable(Exception):
    """A measurement that must not be published, and why."""


class BadPage(Exception):
    """A page whose blocks cannot be told apart."""


def text(spread, places):
    """The median, and in brackets the least and the most where they differ."""
    median, low, high = (f"{value:,.{places}f}" for value in spread)
    return median if low == high else f"{median} ({low} .. {high})"


def table(headings, rows):
    """A Markdown table in columns of equal width; the first column is to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]

    def line(cells):
        return "| " + " | ".join(cell.rjust(width) if column else cell.ljust(width)
                                 for column, (cell, width) in enumerate(zip(cells, widths))) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if column else "-") for column, width in enumerate(widths)) + "|"
    return "\n".join([line(headings), rule, *(line(row) for row in rows)])


def spread_table(heading, by_name, columns):
    """A row for each name, and a column for each figure that any of them has."""
    shown = [column for column in columns if any(column[0] in spreads for spreads in by_name.values())]
    rows = [[name, *(text(spreads[key], places) if key in spreads else "" for key, _, places in shown)]
            for name, spreads in by_name.items()]
    return table([heading, *(heading for _, heading, _ in shown)], rows)


def measured_on(found):
    machine = found["machine"]
    return f"Measured {found['at'][:10]} on {machine['cores']} cores ({machine['cpu']}), Linux {machine['kernel']}."


class Blocks:
    """The text of every block by its name. data is what figures.json holds, peaks the rows of jvm-profiles/peaks."""

    def __init__(self, data, peaks):
        self.data, self.peaks = data, peaks

    def named(self, name):
        if not any(name in names for names in PAGES.values()):
            raise BadPage(f"there is no block {name}")
        return getattr(self, name.replace("-", "_"))()

    def comparison_run(self):
        asked = self.data["comparison"]["options"]
        return (f"{asked['rate']:,} requests a second over {asked['connections']} connections, bodies of {asked['body']:,} bytes, "
                f"{asked['rounds']} rounds; {RANGES}. " + measured_on(self.data["comparison"]))

    def comparison_notes(self):
        return "\n\n".join(self.data["comparison"]["notes"])

    def comparison(self):
        rows = []
        for name, spreads in self.through().items():
            shown = SYSTEMS[name] if name in SYSTEMS else f"**Remora**, `{name}`"
            rows.append([shown, *(f"{spreads[key][0]:,.{places}f}" if key in spreads else "" for key, _, places in IN_SHORT)])
        return table(["", *(heading for _, heading, _ in IN_SHORT)], rows)

    def comparison_to_envoy_in_short(self):
        ratios = self.data["comparison"]["ratios"]["envoy"]
        lines = [f"- `{name}` takes {spreads['peak_rss_mb'][0]:.2f} of Envoy's peak memory and {spreads['cpu_us'][0]:.2f} of its CPU per "
                 f"request, and reaches {spreads['closed_rps'][0]:.2f} of its closed-loop throughput."
                 for name, spreads in ratios.items() if name not in SYSTEMS]
        return "\n".join(lines)

    def comparison_memory(self):
        return spread_table("memory and CPU", self.through(), MEMORY_AND_CPU)

    def comparison_latency(self):
        return spread_table("latency", self.through(), LATENCY)

    def comparison_to_envoy(self):
        return spread_table("to envoy's", self.data["comparison"]["ratios"]["envoy"], RATIOS)

    def comparison_to_haproxy(self):
        return spread_table("to haproxy's", self.data["comparison"]["ratios"]["haproxy"], RATIOS)

    def comparison_host(self):
        return spread_table("the host", self.data["comparison"]["figures"], HOST)

    def comparison_versions(self):
        told = self.data["comparison"]
        return "\n".join([*(f"- {version}" for version in told["versions"].values() if version),
                          *(f"- left out: {why}" for why in told["left_out"].values())])

    def through(self):
        """The figures of every arm but the one that goes straight to the backend."""
        return {name: spreads for name, spreads in self.data["comparison"]["figures"].items() if name != DIRECT}

    def footprint_run(self):
        found = self.data["footprint"]
        asked = found["options"]
        return (f"{asked['connections']} connections, bodies of {asked['body']:,} bytes, windows of {asked['seconds']:g} s after a warm-up "
                f"of {asked['warmup']:g} s, {asked['rounds']} rounds; {RANGES}. " + measured_on(found))

    def footprint_notes(self):
        return "\n\n".join(self.data["footprint"]["notes"])

    def footprint(self):
        by_arm = self.data["footprint"]["figures"]["peak_rss_mb"]
        rates = rates_of(by_arm)
        rows = [[f"`{name}`", *(f"{by_rate[rate][0]:,.1f}" if rate in by_rate else "" for rate in rates)]
                for name, by_rate in by_arm.items()]
        return table(["peak RSS, MB; requests a second", *(f"{int(rate):,}" for rate in rates)], rows)

    def by_rate(self, name):
        key, heading, places = BY_RATE[name]
        by_arm = self.data["footprint"]["figures"][key]
        missed = self.data["footprint"]["missed"]
        rows = [[f"{int(rate):,}", *(text(by_rate[rate], places) + (" *" if [arm, rate] in missed else "") if rate in by_rate else ""
                                     for arm, by_rate in by_arm.items())] for rate in rates_of(by_arm)]
        told = table([f"{heading}; requests a second", *by_arm], rows)
        return told + ("\n\n\\* The load missed this rate by more than 1 %." if "*" in told else "")

    def footprint_memory(self):
        return self.by_rate("memory")

    def footprint_cpu(self):
        return self.by_rate("cpu")

    def footprint_p99(self):
        return self.by_rate("p99")

    def footprint_p999(self):
        return self.by_rate("p999")

    def profiles(self):
        """A row for each image and a column for each profile: the measured peak, and the least memory limit that the launcher accepts."""
        columns = sorted({(rps, profile) for _, profile, rps, _ in self.peaks})
        by_image = {}
        for image, profile, _, peak in self.peaks:
            by_image.setdefault(image, {})[profile] = f"{peak / 1e6:.1f} ({rounded_up(least_limit(peak))})"
        rows = [[f"`{image}`", *(peaks.get(profile, "") for _, profile in columns)] for image, peaks in by_image.items()]
        return table(["peak RSS (least limit), MB", *(f"`{profile}`" for _, profile in columns)], rows)

    def conformance(self):
        rows = [[f"`{name}`", found["verdict"], *(f"{found[key]:,.{places}f}" for key, _, places in CONFORMANCE.values()), found["at"][:10]]
                for name, found in self.data["conformance"].items()]
        return table(["image", "verdict", *(heading for _, heading, _ in CONFORMANCE.values()), "measured"], rows)

    def bars(self):
        rows = []
        for heading, path, bar, relation, places in BARS:
            spread = self.data
            for key in path:
                spread = spread[key]
            met = spread[0] <= bar if relation == "at most" else spread[0] >= bar
            rows.append([heading, text(spread, places), f"{relation} {bar:,}", "met" if met else "**missed**"])
        return table([f"figure of {JUDGED}", "measured", "bar", "result"], rows)


def rates_of(by_arm):
    return sorted({rate for by_rate in by_arm.values() for rate in by_rate}, key=int)


def least_limit(peak):
    """As the launcher counts: the measured peak and 10 %."""
    return peak + peak // 10


def rounded_up(limit):
    """In MB: a limit rounded down would be refused."""
    return f"{math.ceil(limit / 1e5) / 10:.1f}"


def read_peaks(root):
    rows = []
    for line in (root / PEAKS).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            image, profile, rps, peak = line.split()
            rows.append((image, profile, int(rps), int(peak)))
    return rows


def filled(page, blocks):
    """The page with every block written anew, and the names of its blocks."""
    lines, names, inside = [], [], None
    for line in page.splitlines():
        if begin := BEGIN.fullmatch(line):
            inside = begin[1]
            names.append(inside)
            written = blocks.named(inside)
            # Empty lines around it, since Markdown takes what directly follows a comment for HTML.
            lines += [line, "", written, ""] if written else [line]
        elif line == END and inside:
            inside = None
        if not inside:
            lines.append(line)
    if inside:
        raise BadPage(f"the block {inside} has no end")
    return "\n".join(lines) + "\n", names


def pages(root):
    """The path, the present and the filled text, and the names of the blocks of every page."""
    blocks = Blocks(json.loads((root / DATA).read_text()), read_peaks(root))
    for path in PAGES:
        page = (root / path).read_text()
        yield path, page, *filled(page, blocks)


def problems(root):
    found = []
    for path, page, wanted, names in pages(root):
        found += [f"{path}: the block figures:{name} is missing" for name in PAGES[path] if name not in names]
        if page != wanted:
            found.append(f"{path}: its figures are not those of {DATA} and {PEAKS}; scripts/figures fill writes them")
    return found


def fill(root):
    for path, page, wanted, _ in pages(root):
        if page != wanted:
            (root / path).write_text(wanted)
            print(f"wrote {path}")


def of_comparison(told, _):
    """What is published of compare.json."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")

    def spreads(by_name):
        return {name: {key: as_list(one) for key, one in by_key.items()} for name, by_key in by_name.items()}

    rounds = max(map(len, told["rounds"].values()))
    notes = ["Rates missed: " + "; ".join(told["missed"])] if told.get("missed") else []
    return {"at": told["at"], "machine": told["machine"], "options": published(told["options"], rounds), "notes": notes,
            "versions": told["versions"], "left_out": told["left_out"], "figures": spreads(told["figures"]),
            "ratios": {reference: spreads(by_name) for reference, by_name in told["ratios"].items()}}


def of_footprint(told, _):
    """What is published of footprint.json, which has the figures of every run."""
    if told.get("failure"):
        raise NotPublishable(f"the measurement stopped: {told['failure']}")
    figures, missed = {}, []
    for key, _, _ in BY_RATE.values():
        for run in told["runs"]:
            if run.get(key) is not None:
                figures.setdefault(key, {}).setdefault(run["arm"], {}).setdefault(str(run["rate"]), []).append(run[key])
    for run in told["runs"]:
        if run["rate_missed"] and [run["arm"], str(run["rate"])] not in missed:
            missed.append([run["arm"], str(run["rate"])])
    spreads = {key: {arm: {rate: [statistics.median(values), min(values), max(values)] for rate, values in by_rate.items()}
                     for arm, by_rate in by_arm.items()} for key, by_arm in figures.items()}
    rounds = max(run["round"] for run in told["runs"])
    return {"at": told["at"], "machine": told["machine"], "options": published(told["options"], rounds), "notes": [], "missed": missed,
            "figures": spreads}


def of_conformance(told, present):
    """The published verdicts, with that of report.json in the place of the former one on its image."""
    if told["verdict"] not in ("pass", "fail"):
        raise NotPublishable(f"the verdict is {told['verdict']}: " + "; ".join(told["reasons"]))
    values = {row["name"]: row["value"] for row in told["rows"]}
    missing = [name for name in CONFORMANCE if values.get(name) is None]
    if missing:
        raise NotPublishable("it lacks " + " and ".join(missing))
    image = told["plan"]["image"]
    name = f"remora:{image}" if told["system"]["kind"] == "container" else image
    return {**present, name: {"at": told["at"], "verdict": told["verdict"],
                              **{key: values[row] for row, (key, _, _) in CONFORMANCE.items()}}}


TAKERS = {"comparison": of_comparison, "footprint": of_footprint, "conformance": of_conformance}


def published(options, rounds):
    """The options without those that name files of the machine that measured."""
    return {**{key: options[key] for key in OPTIONS if key in options}, "rounds": rounds}


def as_list(spread):
    return [spread["median"], spread["low"], spread["high"]]


def as_json(data):
    """Indented, with each spread on one line."""
    number = r"\s+(-?[\d.e+-]+)"
    return re.sub(rf"\[{number},{number},{number}\s+\]", r"[\1, \2, \3]", json.dumps(data, indent=1)) + "\n"


def take(root, kind, file):
    data = json.loads((root / DATA).read_text())
    data[kind] = TAKERS[kind](json.loads(Path(file).read_text()), data[kind])
    (root / DATA).write_text(as_json(data))
    fill(root)


def main(words, root=ROOT):
    try:
        if words == ["fill"]:
            fill(root)
        elif words == ["check"]:
            return check(root)
        elif len(words) == 3 and words[0] == "take" and words[1] in TAKERS:
            take(root, *words[1:])
        else:
            print(__doc__, file=sys.stderr)
            return 64
    except NotPublishable as trouble:
        print(f"figures: {words[2]} is not published: {trouble}", file=sys.stderr)
        return 65
    except BadPage as trouble:
        print(f"figures: {trouble}", file=sys.stderr)
        return 1
    return 0


def check(root):
    found = problems(root)
    for problem in found:
        print(f"figures: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

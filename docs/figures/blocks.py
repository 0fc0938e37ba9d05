"""The text of every block: tables and sentences, made of the published figures and of what the programs declare."""
import argparse
import math

from remora_measure import __main__ as programs
from remora_measure import markdown
from remora_measure.command_line import COULD_NOT_RUN
from remora_measure.conformance import plan, verdict
from remora_measure.markdown import aligned_table as table
from remora_measure.spread import Figure, Spread

from columns import (BARS, BY_RATE, CONFORMANCE, DIRECT, FEATURE_BARS, H2_LATENCY, H2_MEMORY, H2_OTHERS, HOST, IMAGES, IN_SHORT, JUDGED, LATENCY, LATER, MEMORY_AND_CPU, OF_ENVOY, ORIGIN_AFTER,
                     ORIGIN_BEFORE, RANGES, RATIOS, ROAD, SYSTEMS, TLS_CONNECTIONS, TLS_MEMORY, WARM_UP, WHY, WHY_SYSTEMS, WITH_FEATURES)

# Key of the runs with a competing load, by kind.
BUSY = "busy"


def text(spread, places):
    """The median, and in brackets the least and the most where they differ; nothing of what was not measured."""
    return "" if spread is None else Spread(*spread).text(places)


def spread_table(heading, by_name, columns):
    """A row for each name, and a column for each figure that any of them has. Spreads are lists, as JSON has them."""
    figures = [Figure(*column) for column in columns]
    spreads = {name: {figure.key: Spread(*found[figure.key]) for figure in figures if found.get(figure.key)} for name, found in by_name.items()}
    return markdown.spread_table(heading, spreads, figures)


def machine_of(found):
    machine = found["machine"]
    return f"{machine['cores']} cores ({machine['cpu']}), Linux {machine['kernel']}"


def measured_on(found):
    return f"Measured {found['at'][:10]} on {machine_of(found)}."


def with_footnote(told):
    """A table, and below it what the mark in it means."""
    return told + ("\n\n\\* The load missed this rate by more than 1 %." if "*" in told else "")


def default_of(option):
    """The default of an option as a table shows it; nothing of a switch, and of an option that is not there without a value."""
    if option.nargs == 0 or option.default in (None, "") or option.dest == "reports":
        return ""
    number = isinstance(option.default, float) and option.default.is_integer()
    return f"`{int(option.default) if number else option.default}`" + (" s" if option.dest.endswith("_s") else "")


class Blocks:
    """The text of every block by its name. data is what figures.json holds, peaks the rows of jvm-profiles/peaks."""

    def __init__(self, data, peaks):
        self.data, self.peaks = data, peaks

    def named(self, name):
        return getattr(self, name.replace("-", "_"))()

    def programs(self):
        return f"```text\n{programs.listed()}\n```"

    def conformance_options(self):
        """A row for each option of the conformance test, from its parser."""
        rows = []
        for option in plan.arguments("conformance", None)._actions:  # argparse has no public list of them
            if option.option_strings and not isinstance(option, argparse._HelpAction):
                values = f"one of {', '.join(f'`{one}`' for one in option.choices)}" if option.choices else ""
                rows.append([f"`{option.option_strings[0]}`", values, default_of(option), option.help])
        return table(["option", "values", "default", "meaning"], rows, left=4)

    def conformance_statuses(self):
        """A row for each exit status, from the statuses of verdicts."""
        statuses = {**{status: outcome for outcome, status in verdict.STATUS.items()}, COULD_NOT_RUN: "could not run; the last line says why"}
        return table(["exit status", "meaning"], [[str(status), meaning] for status, meaning in statuses.items()], left=2)

    def comparison_run(self):
        asked = self.data["comparison"]["options"]
        return (f"{asked['rate']:,} requests a second over {asked['connections']} connections, bodies of {asked['body']:,} bytes, "
                f"{asked['rounds']} rounds. {RANGES}. " + measured_on(self.data["comparison"]))

    def comparison_notes(self):
        return "\n\n".join(self.data["comparison"]["notes"])

    def comparison(self):
        rows = []
        columns = [column for column in IN_SHORT if any(column[0] in spreads for spreads in self.through().values())]
        for name, spreads in self.through().items():
            shown = SYSTEMS[name] if name in SYSTEMS else f"**Remora**, `{name}`"
            rows.append([shown, *(f"{spreads[key][0]:,.{places}f}" if key in spreads else "" for key, _, places in columns)])
        return table(["", *(heading for _, heading, _ in columns)], rows)

    def why(self):
        """Three figures of the smallest images, next to those of the proxies that they replace."""
        figures = {name: self.through()[name] for name in WHY_SYSTEMS if name in self.through()}
        rows = [[heading, *(f"{spreads[key][0]:,.{places}f}" for spreads in figures.values())] for key, heading, places in WHY]
        asked, at = self.data["comparison"]["options"], self.data["comparison"]["at"][:10]
        return (table([f"at {asked['rate']:,} requests a second", *(SYSTEMS.get(name, f"`{name}`") for name in figures)], rows)
                + f"\n\nMedians of {asked['rounds']} rounds on {at}, {asked['connections']} connections, bodies of {asked['body']:,} bytes.")

    def images(self):
        """A row for each image that is offered: what holds it, its use, and its memory at 1,000 requests a second."""
        least = {image: rounded_up(least_limit(peak)) for image, _, rps, peak in self.peaks if rps == 1000}
        rows = [[f"`{image}`", f"`{container}`" if container else "", jvm, use,
                 f"{self.through()[image]['private_mb'][0]:.1f}" if image in self.through() else "", least[image]]
                for image, (container, jvm, use) in IMAGES.items()]
        return table(["image", "container", "JVM", "take it when", "private, MB", "least limit, MB"], rows, left=4)

    def comparison_to_envoy_in_short(self):
        """A row for each image: its figures as shares of Envoy's."""
        rows = [[f"`{name}`", *(f"{spreads[key][0]:.2f}" if key in spreads else "" for key, _ in OF_ENVOY)]
                for name, spreads in self.data["comparison"]["ratios"]["envoy"].items() if name not in SYSTEMS]
        return table(["ratio to Envoy", *(heading for _, heading in OF_ENVOY)], rows)

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

    def tls_run(self):
        if not (found := self.data.get("tls")):
            return "No result has been published yet."
        asked = found["options"]
        return "\n\n".join([f"{asked['rate']:,} requests a second over {asked['connections']} connections, bodies of {asked['body']:,} bytes, TLS 1.3, ECDSA P-256, "
                            f"{asked['newcomers']:g} newcomers a second, {asked['rounds']} rounds. {RANGES}. " + measured_on(found) + self.busy_run("tls"), *found.get("notes", [])])

    def tls_bars(self):
        if not (found := self.data.get("tls")):
            return ""
        rows = [[bar["figure"], bar["arm"], text(bar["measured"], bar["places"]), *self.busy_cell("tls", bar), f"{bar['most']:,.{bar['places']}f}",
                 "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in found["bars"]]
        return table(["bar, with client certificates", "arm", "measured", *self.busy_heading("tls"), "at most", "result"], rows)

    def tls_memory(self):
        found = self.data.get("tls")
        return spread_table("memory and CPU", found["figures"], TLS_MEMORY) if found else ""

    def tls_connections(self):
        if not (found := self.data.get("tls")):
            return ""
        shown = {name: spreads for name, spreads in found["figures"].items() if any(key in spreads for key, _, _ in TLS_CONNECTIONS)}
        return spread_table("latency and connections", shown, TLS_CONNECTIONS)

    def h2_run(self):
        if not (found := self.data.get("h2")):
            return "No result has been published yet."
        asked = found["options"]
        return "\n\n".join([f"{asked['rate']:,} requests a second over {asked['connections']} connections of {asked['streams']} streams, bodies of {asked['body']:,} bytes, "
                            f"{asked['rounds']} rounds. {RANGES}. " + measured_on(found) + self.busy_run("h2"), *found["notes"]])

    def h2_bars(self):
        if not (found := self.data.get("h2")):
            return ""
        rows = [[bar["figure"], bar["arm"], text(bar["measured"], bar["places"]), *self.busy_cell("h2", bar), f"{bar['relation']} {bar['bar']:,.{bar['places']}f}",
                 "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in found["bars"]]
        return table(["figure", "arm", "measured", *self.busy_heading("h2"), "bar", "result"], rows)

    def h2_memory(self):
        return self.h2_table("memory and CPU", H2_MEMORY)

    def h2_latency(self):
        return self.h2_table("latency and connections", H2_LATENCY)

    def h2_others(self):
        return self.h2_table("gRPC and TCP", H2_OTHERS)

    def h2_table(self, heading, columns):
        if not (found := self.data.get("h2")):
            return ""
        shown = {name: spreads for name, spreads in found["figures"].items() if any(key in spreads for key, _, _ in columns)}
        return spread_table(heading, shown, columns)

    def through(self):
        """The figures of every arm but the one that goes straight to the backend."""
        return {name: spreads for name, spreads in self.data["comparison"]["figures"].items() if name != DIRECT}

    def footprint_run(self):
        found = self.data["footprint"]
        asked = found["options"]
        return (f"{asked['connections']} connections, bodies of {asked['body']:,} bytes, windows of {asked['seconds']:g} s after a warm-up "
                f"of {asked['warmup']:g} s, {asked['rounds']} rounds. {RANGES}. " + measured_on(found))

    def footprint_notes(self):
        return "\n\n".join(self.data["footprint"]["notes"])

    def mark(self, arm, rate):
        return " *" if [arm, rate] in self.data["footprint"]["missed"] else ""

    def road(self):
        """From the origin's sidecar to the smallest image, with the origin's own figures in the first row and behind its like."""
        by_arm = self.data["footprint"]["figures"]["peak_rss_mb"]
        cpu = self.data["footprint"]["figures"]["cpu_percent"]
        shown = ("100", "1000", "10000")
        rows = [["the origin's sidecar in 2016, before", *(ORIGIN_BEFORE.get(rate, "") for rate in shown), ""],
                ["the origin's sidecar in 2016, with 32 bits and C1 (300 MB at 40,000)", *(ORIGIN_AFTER.get(rate, "") for rate in shown), ""]]
        for arm, what in ROAD.items():
            if arm in by_arm:
                memory = (f"{by_arm[arm][rate][0]:,.1f}" + self.mark(arm, rate) if rate in by_arm[arm] else "" for rate in shown)
                rows.append([what, *memory, f"{cpu[arm]['1000'][0]:.1f}" if "1000" in cpu[arm] else ""])
        rates = (f"MB at {int(rate):,}" for rate in shown)
        return with_footnote(table(["peak RSS; requests a second", *rates, "CPU at 1,000, %"], rows))

    def by_rate(self, name):
        key, heading, places = BY_RATE[name]
        by_arm = self.data["footprint"]["figures"][key]
        rows = [[f"{int(rate):,}", *(text(by_rate[rate], places) + self.mark(arm, rate) if rate in by_rate else ""
                                     for arm, by_rate in by_arm.items())] for rate in rates_of(by_arm)]
        return with_footnote(table([f"{heading}; requests a second", *by_arm], rows))

    def footprint_memory(self):
        return self.by_rate("memory")

    def footprint_cpu(self):
        return self.by_rate("cpu")

    def footprint_p99(self):
        return self.by_rate("p99")

    def footprint_p999(self):
        return self.by_rate("p999")

    def profiles(self):
        """A row for each image and a column for each rate: the measured peak of its profile, and the least memory limit that the launcher accepts.

        Images with Debian's VM are left to the profiles' own table."""
        rates = sorted({rps for _, _, rps, _ in self.peaks})
        by_image = {}
        for image, _, rps, peak in self.peaks:
            if image.endswith("-debian"):
                continue
            by_image.setdefault(image, {})[rps] = f"{peak / 1e6:.1f} ({rounded_up(least_limit(peak))})"
        rows = [[f"`{image}`", *(peaks.get(rps, "") for rps in rates)] for image, peaks in by_image.items()]
        return table(["peak RSS (least limit), MB", *(f"`rps-{rps}`" for rps in rates)], rows)

    def conformance(self):
        rows = [["`{}`{}{}".format(*name.partition(", ")), found["verdict"],
                 *(f"{found[key]:,.{places}f}" if key in found or key not in LATER else "–" for key, _, places in CONFORMANCE.values()), found["at"][:10]]
                for name, found in self.data["conformance"].items()]
        return table(["image", "verdict", *(heading for _, heading, _ in CONFORMANCE.values()), "measured"], rows)

    def faults_run(self):
        if not (found := self.data.get("faults")):
            return "No result has been published yet."
        asked = found["options"]
        return (f"{asked['rate']:,} requests a second over {asked['connections']} connections, and more where none is free; faults of "
                f"{asked['fault_seconds']:g} s, rounds: {asked['rounds']}. " + measured_on(found))

    def faults(self):
        found = self.data.get("faults")
        return table(found["headings"], found["table"]) if found else ""

    def faults_bars(self):
        if not (found := self.data.get("faults")):
            return ""
        rows = [[bar["fault"], bar["arm"], bar["bar"], "never" if bar["measured"] is None else f"{bar['measured']:,.1f}", f"{bar['most']:,.1f}",
                 "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in found["bars"]]
        return table(["fault", "system", "bar", "measured", "at most", "result"], rows)

    def features_run(self):
        if not (found := self.data.get("features")):
            return "No result has been published yet."
        asked = found["options"]
        return "\n\n".join([f"{asked['rate']:,} requests a second over {asked['connections']} connections, bodies of {asked['body']:,} bytes, {asked['rounds']} rounds. "
                            f"{RANGES}. {measured_on(found)}", *found["notes"]])

    def features_bars(self):
        if not (found := self.data.get("features")):
            return ""
        rows = [[FEATURE_BARS.get(bar["figure"], bar["figure"]), bar["arm"].removesuffix(WITH_FEATURES), text(bar["measured"], bar["places"]), f"{bar['most']:,g}",
                 "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in found["bars"]]
        return table(["bar", "image", "measured", "at most", "result"], rows)

    def added_cpu(self):
        if not (found := self.data.get("added-cpu")):
            return "No result has been published yet."
        asked = found["options"]
        rows = [[bar["arm"].partition("+")[0], bar["arm"].partition("+")[2], text(bar["measured"], bar["places"]), *self.busy_cell("added-cpu", bar), f"{bar['most']:,g}",
                 "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in found["bars"]]
        return "\n\n".join([f"Closed loops over {asked['connections']} connections, bodies of {asked['body']:,} bytes, {asked['rounds']} rounds with "
                            f"{asked['blocks']} blocks of {asked['seconds']} s each. {RANGES}. {measured_on(found)}{self.busy_run('added-cpu')}",
                            table(["image", "with", "added CPU per request, %", *self.busy_heading("added-cpu"), "at most", "result"], rows)])

    def busy_run(self, kind):
        """A sentence on the run with a competing load, if there is one."""
        if not (found := self.data.get(BUSY, {}).get(kind)):
            return ""
        notes = "".join(f" {note}." for note in found.get("notes", []))
        return f" With a competing load on each core, {found['options']['rounds']} rounds. {measured_on(found)}{notes}"

    def busy_heading(self, kind):
        return ["with a competing load"] if kind in self.data.get(BUSY, {}) else []

    def busy_cell(self, kind, bar):
        """The cell of a bar in the run with a competing load, if there is one: in bold what missed it, empty what was not measured."""
        if not (found := self.data.get(BUSY, {}).get(kind)):
            return []
        one = next((one for one in found["bars"] if (one.get("figure"), one["arm"]) == (bar.get("figure"), bar["arm"])), None)
        cell = text(one["measured"], one["places"]) if one else ""
        return [f"**{cell}**" if one and one["result"] == "missed" else cell]

    def changes(self):
        if not (found := self.data.get("changes")):
            return "No result has been published yet."
        rows = [[name, f"{one['minutes']:g}", f"{one['changes']:,}", f"{one['requests']:,}", f"{one['lost']:,}", number(one["slowest_ms"], 0), number(one["rss_growth_mb"], 2),
                 f"**{one['verdict']}**" if one["verdict"] == "fail" else one["verdict"], one["at"][:10]] for name, one in found.items()]
        return "\n\n".join([table(["changes", "minutes", "made", "requests", "lost", "slowest, ms", "RSS growth, MB", "verdict", "measured"], rows),
                            where_measured({name: [one] for name, one in found.items()})])

    def warm_up(self):
        if not (found := self.data.get("warm-up")):
            return "No result has been published yet."
        asked = {}
        for image, one in found.items():
            told = one["options"]
            asked.setdefault(f"{told['starts']} starts of each, {told['rate']:,} requests a second over {told['connections']} connections", []).append(image)
        rows = {f"{image}, {kind}": spreads for image, one in found.items() for kind, spreads in one["figures"].items()}
        starts = " ".join(f"{text}: {', '.join(images)}." for text, images in asked.items())
        return "\n\n".join([spread_table("the first second", rows, WARM_UP), f"{starts} Figures are medians of the starts, with (least .. most). {where_measured({image: [one] for image, one in found.items()})}"])

    def storms_run(self):
        if not (found := self.data.get("storms")):
            return "No result has been published yet."
        return "Each storm on a proxy that was started for it. " + where_measured({name: of_one.values() for name, of_one in found["storms"].items()})

    def bursts_run(self):
        if not (found := self.data.get("storms")):
            return ""
        return where_measured({name: of_one.values() for name, of_one in found["bursts"].items()})

    def storms(self):
        if not (found := self.data.get("storms")):
            return ""
        names = list(dict.fromkeys(storm for of_one in found["storms"].values() for storm in of_one))
        seconds = {name: {of_one[name]["seconds"] for of_one in found["storms"].values() if name in of_one} for name in names}
        headings = [f"{name}, {only:g} s" if (only := alone(seconds[name])) else name for name in names]
        rows = [[proxy, *(storm_cell(of_one.get(name), not alone(seconds[name])) for name in names), dates(of_one.values())] for proxy, of_one in found["storms"].items()]
        return table(["of the limit, %; canaries, %", *headings, "measured"], rows)

    def storms_missed(self):
        found = self.data.get("storms")
        rows = [[proxy, storm, f"{one['seconds']:g}", ", ".join(one["missed"])] for proxy, of_one in (found or {}).get("storms", {}).items()
                for storm, one in of_one.items() if one["missed"]]
        return table(["proxy and limit", "storm", "seconds", "missed targets"], rows, left=4) if rows else "Every target was met."

    def bursts(self):
        if not (found := self.data.get("storms")):
            return ""
        rows = [[proxy, burst, *(f"{one[key]:.1f}" for key in ("before_mb", "peak_mb", "after_mb")), ", ".join(one["missed"]) or "met", dates([one])]
                for proxy, of_one in found["bursts"].items() for burst, one in of_one.items()]
        return table(["proxy and limit", "burst", "RSS before, MB", "at most, MB", "a minute later, MB", "at most 3 MB left", "measured"], rows)

    def bars(self):
        rows = []
        for heading, path, bar, relation, places in BARS:
            spread = self.data
            for key in path:
                spread = spread[key]
            met = spread[0] <= bar if relation == "at most" else spread[0] >= bar
            rows.append([heading, text(spread, places), f"{relation} {bar:,}", "met" if met else "**missed**"])
        return table([f"figure of {JUDGED}", "measured", "bar", "result"], rows)


def alone(values):
    """The only one of a set; None of several."""
    return next(iter(values)) if len(values) == 1 else None


def dates(measured):
    """From the first to the last day."""
    days = sorted({one["at"][:10] for one in measured})
    return days[0] if len(days) == 1 else f"{days[0]} .. {days[-1]}"


def number(value, places):
    """Nothing of what there is not."""
    return "" if value is None else f"{value:,.{places}f}"


# Names that a sentence can take.
LISTED = 4


def where_measured(by_name):
    """A sentence for each machine; with what was measured there, where there are several. The one with most has the others."""
    machines = {}
    for name, ones in by_name.items():
        for one in ones:
            machines.setdefault(machine_of(one), {}).setdefault(name, []).append(one)
    longest = max(machines.values(), key=len, default={})

    def listed(there):
        if len(machines) == 1:
            return "."
        if len(there) <= LISTED:
            return f": {'; '.join(there)}."
        return ": all others." if there is longest else f": {next(iter(there))} and {len(there) - 1} more."

    return " ".join(f"Measured {dates(one for ones in there.values() for one in ones)} on {machine}{listed(there)}" for machine, there in machines.items())


def storm_cell(one, with_seconds):
    """In bold what missed a bar; a proxy that was killed has no other figures that count."""
    if one is None:
        return ""
    seconds = f"; {one['seconds']:g} s" if with_seconds else ""
    if one["killed"]:
        return f"**killed**{seconds}"
    cell = f"{one['percent']:.0f}; {one['answered_percent']:.0f}{seconds}"
    return f"**{cell}**" if one["missed"] else cell


def rates_of(by_arm):
    return sorted({rate for by_rate in by_arm.values() for rate in by_rate}, key=int)


def least_limit(peak):
    """As the launcher counts: the measured peak and 10 %."""
    return peak + peak // 10


def rounded_up(limit):
    """In MB: a limit rounded down would be refused."""
    return f"{math.ceil(limit / 1e5) / 10:.1f}"

"""Writes EVIDENCE.md from the results on file."""
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..comparisons import insight
from ..markdown import compact_table
from ..profiles.flag_files import bounds
from ..repository import JVM_PROFILES
from .bars import bar_rows, load_rows
from .effects import Record, Verdict, overall
from .runner import on_file
from .tables import choice_table, code_cache_rows, flag_table, flag_verdicts, quiet

TARGET = JVM_PROFILES / "EVIDENCE.md"
FLAG_FAMILIES = {
    "flags-i386-client": "i386-client, rps-1000, at 1,000 requests a second: every flag",
    "flags-amd64-c1": "amd64-c1, rps-1000, at 1,000 requests a second: every flag",
    "private-i386-client": "i386-client, rps-1000, at 1,000 requests a second: the flags that are there for private memory",
    "private-amd64-c1": "amd64-c1, rps-1000, at 1,000 requests a second: the flags that are there for private memory",
    "rps-100": "i386-client, rps-100, at 100 requests a second: what differs from rps-1000",
    "rps-10000": "amd64-c1, rps-10000, at 10,000 requests a second: what differs from rps-1000",
    "rps-40000": "amd64-tiered, rps-40000, closed loop over 64 connections: what differs from rps-1000 of amd64-c1",
}
HOW = """Figures are median (least..most) of the runs. Each run starts the sidecar anew, in front of nginx with a body of 1 KiB on the same
machine. Arms are run in turn, A B C, A B C, so that all see the same machine. The load is open loop over 16 keep-alive connections unless a
heading says otherwise; its generator is one process that stays warm.

- **Peak RSS** is VmHWM at the end of the first window, before anything was asked of the admin listener (a question loads classes);
  anonymous and file-backed memory are what was resident at that moment (medians). MB are 10^6 bytes.
- **CPU** is the process's own clock by the requests that the backend counted.
- **p99, p999** are time in the proxy, from the sidecar's own latency log over the second window: an interval begun after the warm-up. At
  1,000 requests a second the p999 of a window of 3.5 s is about its fourth worst request, and one hiccup of the host decides it: see *The host*.
- The VM is the one that the images are built with; it is Debian's where a row names it. The effects of flags are
  differences within one VM.
- Options are given to java directly, as `jvm-profiles/select --options` prints them; `-XX:+PrintCodeCache`, which prints at the JVM's
  end, is added to all."""
RULE = """An effect counts where it is **beyond the spread**: every run with the flag lies on one side of every run without it. A flag is *kept* for
what it gains beyond the spread. One that gains nothing but bounds something is *kept: bounds ...*, as the line `# bounds:` in the profile
says. Any other is a *drop*: it stands in `evidence/dropped`, not in a profile, and is measured on as one of the flags of its family. Flags
that do nothing without one another are left out together."""
BARS_INTRO = """Peak RSS over 60 s after the warm-up; memory is judged by its highest run, times by their median. The rate of rps-40000 is more than load,
backend and proxy can do on this machine's cores together: closed loop for memory and throughput, 20,000 a second for its times."""
CODE_CACHE = """The most that a segment held in any run of the profile as it is, as the JVM tells at its end, against what is reserved; at most 70 %.
*Full* counts the times that it was full or the compiler was stopped. Sizes are KiB. client and c1 are C1 alone, tiered is C1 and C2."""

JVMS = """C2 on and off is the row `TieredStopAtLevel` of amd64-c1. [The runtime images' page](../docs/measurements/runtime-images.md#choice-of-jdk) has 21 and 25 on 64 bits, each with
a VM that was built as 17's is."""

VMS = "The VM of the images with C1 is position-independent and compiled for size, except for the files that HotSpot's own build always compiles for speed."


RECORDER = """The rows are recordings of all events, of a single group of events of the sidecar's settings, or of allocations alone. Two sidecars of the image run at the
same time, on the same core unless a table says otherwise, and one of them is recorded (`./measure compare --what insight`). The row *nothing* shows the accuracy. The groups are the comments in `remora.jfc`.
`allocations-150` and others sample as many allocations per second, and `allocations-tlab` records each new TLAB, as the settings `profile` did before JDK 16. In JDK 14,
TLAB events had cost a user 15 % of the throughput, because the hashes of stacks collided. JDK 17 has a better hash
([JDK-8250928](https://bugs.openjdk.org/browse/JDK-8250928))."""


def section(title: str, *parts: str) -> str:
    return "\n\n".join([f"## {title}", *(part for part in parts if part)])


def note(results: Path, family: str) -> str:
    """The note on the runs of a family, in a file next to them."""
    file = results / f"{family}.note"
    return file.read_text().strip() if file.exists() else ""


def machine(record: Record) -> str:
    found = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"{found['cpu']}, {found['cores']} cores, {found['memory_gib']} GiB, Linux {found['kernel']}; {versions}."


def machines(records: Mapping[str, Sequence[Record]]) -> str:
    """Each machine, and where there are several, the families that were measured on it."""
    families: dict[str, list[str]] = {}
    for family, found in records.items():
        for told in dict.fromkeys(map(machine, found)):
            families.setdefault(told, []).append(f"`{family}`")
    if len(families) == 1:
        return "".join(families)
    return "Do not compare figures from different machines.\n\n" + "\n".join(f"- {', '.join(names)}: {told}" for told, names in families.items())


def windows(records: Sequence[Record]) -> str:
    told = {tuple(record["windows"]) for record in records if "failed" not in record}
    return "; ".join(f"{warmup:g} s warm-up, {memory:g} s, {latency:g} s" for warmup, memory, latency in sorted(told))


def summary(results: Path, bounded: Mapping[str, str]) -> str:
    """One row a flag, over all profiles where it was measured."""
    verdicts: dict[str, list[tuple[str, Verdict]]] = {}
    for family in FLAG_FAMILIES:
        for name, (_, verdict) in flag_verdicts(on_file(family, results), bounded).items():
            verdicts.setdefault(name, []).append((family, verdict))
    rows = []
    for name, found in verdicts.items():
        verdict = overall([verdict for _, verdict in found])
        rows.append([f"`{name}`", "**kept**" if verdict.kept else "**drop**", "; ".join(f"{family}: {one}" for family, one in found)])
    return compact_table(["flag", "verdict", "measured"], rows)


def recordings(results: Path) -> list[str]:
    """Tables of the cost of recordings, one for each run on file."""
    file = results / "recordings.json"
    parts = []
    for found in json.loads(file.read_text()) if file.exists() else []:
        options = found["options"]
        load = f"Closed loops over {options['connections']} connections" if options["closed"] else f"{options['rate']:,} requests a second"
        workers = f", {options['workers']} event loops on all cores" if options["workers"] else ""
        host = found["machine"]
        parts += [f"{load} on `{options['image']}`{workers}; {options['rounds']} round{'' if options['rounds'] == 1 else 's'}, {options['blocks']} blocks of two windows of {options['seconds']:g} s each. "
                  f"Measured {found['at'][:10]} on {host['cpu']}, {host['cores']} cores, Linux {host['kernel']}.", insight.table(found["rows"])]
    return parts


def evidence(results: Path) -> Iterator[str]:
    """The sections of the page."""
    bounded = bounds()
    records = {name: on_file(name, results) for name in [*FLAG_FAMILIES, "choices", "vms", "bars", "peaks", "finagle"]}
    everything = [record for family in records.values() for record in family]
    if not everything:
        raise SystemExit(f"no results in {results}")
    days = sorted({record["at"][:10] for record in everything})
    yield ("# Evidence\n\nWhat every flag of the profiles does, measured. Written from `evidence/results/`: "
           "`./measure evidence run` measures,\n`... report` writes this file, `... peaks` the file `peaks`.\n\n"
           f"Measured {days[0]}{f' to {days[-1]}' if len(days) > 1 else ''}. {machines(records)}")
    yield section("How to read it", HOW)
    yield section("Verdicts", RULE, summary(results, bounded))
    for family, title in FLAG_FAMILIES.items():
        if records[family]:
            yield section(title, f"Windows: {windows(records[family])}.", note(results, family), flag_table(records[family], bounded))
    choices = records["choices"]
    if choices:
        yield section("Tried and rejected", f"In the place of what the profile does. Windows: {windows(choices)}.",
                      choice_table(choices, "tried"))
        yield section("JVMs: 32 and 64 bit, archives, JDKs", JVMS, choice_table(choices, "jvm"))
    if records["vms"]:
        yield section("The VM", f"{VMS} Windows: {windows(records['vms'])}.", note(results, "vms"), choice_table(records["vms"], "vm"))
    if recorded := recordings(results):
        yield section("The flight recorder", RECORDER, note(results, "recordings"), *recorded)
    yield section("Code cache", CODE_CACHE, compact_table(
        ["image, profile", "segment", "reserved", "peak", "share", "full", "runs", "at most 70 %"], code_cache_rows(everything)))
    if records["finagle"]:
        yield section("Finagle's engine", f"Windows: {windows(records['finagle'])}. The default engine ran in turn with it.", note(results, "finagle"), compact_table(
            ["arm", "requests a second", "peak RSS, MB", "anonymous", "file", "CPU, us", "p99, us", "p999, us", "exchanges timed", "start, ms"],
            load_rows(records["finagle"])))
    if records["bars"]:
        yield section("Bars", BARS_INTRO, note(results, "bars"),
                      compact_table(["image, profile", "figure", "bar", "measured", "runs", ""], bar_rows(records["bars"], everything)),
                      f"All figures of these runs; windows: {windows(records['bars'])}.",
                      compact_table(["arm", "requests a second", "peak RSS, MB", "anonymous", "file", "CPU, us", "p99, us", "p999, us",
                             "exchanges timed", "start, ms"], load_rows(records["bars"])))
    yield section("The host", "What the machine itself did while latencies were taken: how late a sleeper of 2 ms woke, and the CPU time it was refused.",
                  compact_table(["family", "runs", "from", "worst hiccup, ms", "hiccups over 5 ms", "steal, %", "load average",
                         "requests failed"], quiet(everything)))


def write(results: Path, target: Path = TARGET) -> None:
    target.write_text("\n\n".join(evidence(results)) + "\n")
    print(f"wrote {target}")

"""What the memory of a process is made of, from /proc/PID/smaps, and what several processes share of it."""
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

HEADER = re.compile(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+\s*(.*)$")
FIELD = re.compile(r"^(Rss|Pss|Anonymous):\s+(\d+) kB$")
PRIVATE = re.compile(r"^(?:Anonymous|Private_Dirty):\s+(\d+) kB$")
Sizes = dict[str, float]
KINDS = ("JVM library", "CDS archive", "modules file", "other libraries", "other files", "anonymous")


def kind(path: str) -> str:
    """Which of KINDS a mapping is, by the name that the kernel gives it. Anonymous ones have none, or one in brackets."""
    name = path.removesuffix(" (deleted)").rsplit("/", 1)[-1]
    if not path.startswith("/") or path.startswith(("/memfd:", "/dev/zero")):
        return "anonymous"
    if name == "libjvm.so":
        return "JVM library"
    if name.endswith(".jsa"):
        return "CDS archive"
    if name == "modules":
        return "modules file"
    return "other libraries" if re.search(r"\.so(\.\d+)*$", name) else "other files"


def parse(text: str) -> dict[str, Sizes]:
    """{kind: {"rss_mb", "pss_mb", "anon_mb"}} of a smaps file. anon_mb is what was written to, and so is shared no more."""
    sums = {name: {"rss_mb": 0.0, "pss_mb": 0.0, "anon_mb": 0.0} for name in KINDS}
    keys = {"Rss": "rss_mb", "Pss": "pss_mb", "Anonymous": "anon_mb"}
    current = sums["anonymous"]
    for line in text.splitlines():
        if header := HEADER.match(line):
            current = sums[kind(header.group(1))]
        elif field := FIELD.match(line):
            current[keys[field.group(1)]] += int(field.group(2)) * 1024 / 1e6
    return sums


def of(pid: int) -> dict[str, Sizes]:
    """Raises PermissionError where this user may not look."""
    return parse(Path(f"/proc/{pid}/smaps").read_text())


def private_mb(pid: int) -> float:
    """What no other process can share, as smaps has it: anonymous pages, and pages of files that this process alone has written to. Swap is off."""
    return parse_private(Path(f"/proc/{pid}/smaps").read_text())


def parse_private(text: str) -> float:
    """Of each mapping the larger figure: a dirty page may be anonymous or not, and an anonymous one is nearly always dirty."""
    most: list[int] = []
    for line in text.splitlines():
        if HEADER.match(line):
            most.append(0)
        elif found := PRIVATE.match(line):
            most[-1] = max(most[-1], int(found.group(1)))
    return sum(most) * 1024 / 1e6


def total(many: Iterable[dict[str, Sizes]]) -> dict[str, Sizes]:
    """The sums over several processes, by kind; saved_mb is what sharing saves: the RSS that the processes count twice and more."""
    sums: dict[str, Sizes] = defaultdict(lambda: {"rss_mb": 0.0, "pss_mb": 0.0, "anon_mb": 0.0})
    for one in many:
        for name, sizes in one.items():
            for key, value in sizes.items():
                sums[name][key] += value
    whole = {key: sum(sizes[key] for sizes in sums.values()) for key in ("rss_mb", "pss_mb", "anon_mb")}
    return {name: {**sizes, "saved_mb": sizes["rss_mb"] - sizes["pss_mb"]} for name, sizes in [*sums.items(), ("all", whole)]}

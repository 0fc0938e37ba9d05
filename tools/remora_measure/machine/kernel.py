"""What the kernel reports of a process and of the machine, from /proc."""
import contextlib
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..errors import CouldNotRun

CGROUPS = Path("/sys/fs/cgroup")
TICKS = os.sysconf("SC_CLK_TCK")


def status(pid: int, key: str) -> float:
    """A size of /proc/PID/status, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def available_mb() -> float:
    """Memory that the kernel estimates it could give to programs without swapping, in MB."""
    return parse_available_mb(Path("/proc/meminfo").read_text())


def parse_available_mb(text: str) -> float:
    found = re.search(r"(?m)^MemAvailable:\s+(\d+) kB$", text)
    if not found:
        raise CouldNotRun("/proc/meminfo has no MemAvailable")
    return int(found.group(1)) * 1024 / 1e6


def rollup(pid: int) -> dict[str, float] | None:
    """The sums over all mappings of a process, in MB by the names of /proc/PID/smaps_rollup. None where this user may not look."""
    try:
        return parse_rollup(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except PermissionError:
        return None


def parse_rollup(text: str) -> dict[str, float]:
    return {key: int(kib) * 1024 / 1e6 for key, kib in re.findall(r"(?m)^(\w+):\s+(\d+) kB$", text)}


def pss(pid: int) -> float | None:
    """In MB: shared pages count by share. None where this user may not look."""
    told = rollup(pid)
    return None if told is None else told.get("Pss", 0.0)


def private(told: Mapping[str, float]) -> float:
    """Memory that no other process can share, in MB, from a rollup: anonymous and dirty pages, and what is swapped out. Nearly all anonymous pages are dirty;
    these count once."""
    return max(told.get("Anonymous", 0.0), told.get("Private_Dirty", 0.0)) + told.get("Swap", 0.0)


def cpu_seconds(pid: int) -> float:
    """Of all threads, those that ended included: the process's own clock, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime((~pid << 3) | 2)


def of_threads(pid: int, file: str) -> dict[str, str]:
    """A file of each thread of a process, by the thread's number, without those that end meanwhile."""
    found = dict[str, str]()
    for thread in os.listdir(f"/proc/{pid}/task"):
        # the file is missing, or fails while it is open
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found[thread] = Path(f"/proc/{pid}/task/{thread}/{file}").read_text()
    return found


class Waits:
    """How long the threads of a process could have run and were not let. Owner: one thread."""

    def __init__(self, pid: int) -> None:
        self.pid, self.known, self.sum_ns = pid, dict[str, int](), 0

    def seconds(self) -> float:
        """The sum since the first call, to which a thread that has ended adds what it had at the call before."""
        found = {thread: int(text.split()[1]) for thread, text in of_threads(self.pid, "schedstat").items()}
        self.sum_ns += sum(waited - self.known.get(thread, waited if not self.known else 0) for thread, waited in found.items())
        self.known = found
        return self.sum_ns / 1e9


def when_and_where() -> dict[str, object]:
    """What a result begins with."""
    return {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": describe_machine()}


def busy_seconds(cores: Iterable[int]) -> float:
    """CPU time of all that ran on some cores, the kernel's own and what was stolen from them included."""
    names = {f"cpu{core}" for core in cores}
    lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
    # user, nice, system; neither idle nor waiting for a disk; interrupts of both kinds, stolen
    return sum(int(ticks) for words in lines if words[0] in names for ticks in (*words[1:4], *words[6:9])) / TICKS


def throttled_seconds(pid: int, root: Path = CGROUPS) -> float | None:
    """How long the CPU limits of a process's control groups have kept it from running; None where that is not to be seen."""
    lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    found = [seconds for line in lines for seconds in throttled_above(root, *line.split(":", 2)[1:])]
    return sum(found) if found else None


def throttled_above(root: Path, controllers: str, group: str) -> Iterator[float]:
    """Of a control group, of version 1 or 2, and of those above it."""
    if controllers and "cpu" not in controllers.split(","):
        return
    for mounted in dict.fromkeys((root / controllers, root / "cpu") if controllers else (root, root / "unified")):
        lowest = mounted / group.lstrip("/")
        for directory in (lowest, *(above for above in lowest.parents if above.is_relative_to(mounted))):
            with contextlib.suppress(OSError):
                told = dict(line.split() for line in (directory / "cpu.stat").read_text().splitlines())
                if "throttled_usec" in told:
                    yield int(told["throttled_usec"]) / 1e6
                elif "throttled_time" in told:
                    yield int(told["throttled_time"]) / 1e9


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def descriptors(pid: int) -> int | None:
    """None where this user may not look."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def word_bits(pid: int) -> int | None:
    """32 or 64, as the program of a process is compiled; None where this user may not look."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/exe", "rb") as program:
        return {1: 32, 2: 64}.get(program.read(5)[-1])
    return None


def descendants(pid: int) -> list[int]:
    """The process and all below it, without what a thread that ends meanwhile has started."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += [int(child) for text in of_threads(parent, "children").values() for child in text.split()]
    return found


def steal_seconds() -> float:
    """CPU time that this virtual machine was refused."""
    return int(Path("/proc/stat").read_text().split()[8]) / TICKS


class Steal:
    """The share of this machine's CPU time that was stolen from it, from here to share()."""

    def __init__(self) -> None:
        self.stolen, self.began = steal_seconds(), time.monotonic()

    def share(self) -> float:
        return (steal_seconds() - self.stolen) / (time.monotonic() - self.began) / (os.cpu_count() or 1)


def describe_machine() -> dict[str, object]:
    """What figures depend on, without a name by which the machine could be found."""
    cpu = re.search(r"(?m)^model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    return {"cpu": cpu.group(1) if cpu else platform.machine(), "cores": os.cpu_count(), "kernel": platform.release(),
            "memory_gib": round(int(memory.group(1)) / 2**20) if memory else None}

"""What the kernel reports of a process and of the machine, from /proc."""
import os
import platform
import re
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def status(pid: int, key: str) -> float:
    """A size of /proc/PID/status, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def pss(pid: int) -> float | None:
    """In MB: shared pages count by share. None where this user may not look."""
    try:
        found = re.search(r"(?m)^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text())
    except PermissionError:
        return None
    return int(found.group(1)) * 1024 / 1e6 if found else 0.0


def cpu_seconds(pid: int) -> float:
    """Of all threads, those that ended included: the process's own clock, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime((~pid << 3) | 2)


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def descriptors(pid: int) -> int | None:
    """None where this user may not look."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def descendants(pid: int) -> list[int]:
    """The process and all below it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, task.read_text().split())
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

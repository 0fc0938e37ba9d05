"""Memory cgroups: of our own or of the Docker engine, with or without a limit, and what the kernel charges there."""
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ..errors import CouldNotRun
from . import children

ROOT = Path("/sys/fs/cgroup")
SWAPS = Path("/proc/swaps")
JOIN = 'echo $$ >"$0" && exec "$@"'
NO_LIMIT = (1 << 63) - 1


class Group:
    """A memory cgroup of version 1 (first) or 2."""

    def __init__(self, path: Path, first: bool, limit: int = NO_LIMIT) -> None:
        self.path, self.first, self.limit = path, first, limit

    @property
    def version(self) -> int:
        return 1 if self.first else 2

    def stat(self, key: str) -> int:
        found = re.search(rf"(?m)^{key} (\d+)$", (self.path / "memory.stat").read_text())
        return int(found.group(1)) if found else 0

    def bytes_of(self, name: str) -> int:
        """The number in one of its files; 0 where there is no such file."""
        file = self.path / name
        return int(file.read_text()) if file.exists() else 0

    def used(self) -> int:
        """The working set as a kubelet computes it: bytes that are charged, less inactive file pages. Version 1 does not charge what sockets hold."""
        if self.first:
            return max(0, self.bytes_of("memory.usage_in_bytes") - self.stat("total_inactive_file"))
        return max(0, self.bytes_of("memory.current") - self.stat("inactive_file"))

    def private(self) -> int:
        """Bytes that the kernel cannot drop: anonymous pages, shared memory, pages of files that are not written back, and what of these is swapped out."""
        if self.first:
            return sum(map(self.stat, ("total_rss", "total_shmem", "total_dirty", "total_swap")))
        return sum(map(self.stat, ("anon", "shmem", "file_dirty"))) + self.bytes_of("memory.swap.current")

    def is_swap_off(self, swaps: Path = SWAPS) -> bool:
        """True where nothing can be swapped out: the machine has no swap, or the cgroup may not use it."""
        if machine_has_no_swap(swaps):
            return True
        if self.first:
            limit = self.bytes_of("memory.memsw.limit_in_bytes")
            return 0 < limit < NO_LIMIT // 2 and limit <= self.bytes_of("memory.limit_in_bytes")
        most = self.path / "memory.swap.max"
        return most.exists() and most.read_text().strip() == "0"

    def parts(self) -> dict[str, float]:
        """In MB: the working set, which is used() and by which a kubelet evicts, and of it anonymous memory and active file pages."""
        anonymous, active = ("total_rss", "total_active_file") if self.first else ("anon", "active_file")
        return {"working_set_mb": self.used() / 1e6, "group_anon_mb": self.stat(anonymous) / 1e6, "active_file_mb": self.stat(active) / 1e6}

    def major_faults(self) -> int:
        return self.stat("total_pgmajfault" if self.first else "pgmajfault")

    def repeated_reads(self) -> int | None:
        """File pages that the kernel had reclaimed here and that were read again (the kernel's mm/workingset.c); None where it does not count them."""
        key = "total_workingset_refault_file" if self.first else "workingset_refault_file"
        return self.stat(key) if f"{key} " in (self.path / "memory.stat").read_text() else None

    def kills(self) -> int:
        """How often the kernel killed here for want of memory."""
        text = (self.path / ("memory.oom_control" if self.first else "memory.events")).read_text()
        found = re.search(r"(?m)^oom_kill (\d+)$", text)
        return int(found.group(1)) if found else 0


class OwnGroup(Group):
    """One of our own, without swap where it has a limit or is of version 2. Its end kills what is left in it."""

    def __init__(self, name: str, limit: int = NO_LIMIT) -> None:
        first = (ROOT / "memory/memory.limit_in_bytes").exists()
        super().__init__((ROOT / "memory" if first else ROOT) / f"{name}-{os.getpid()}", first, limit)
        try:
            self.path.mkdir()
            self.bound()
        except OSError as refused:
            if self.path.exists():
                self.path.rmdir()
            raise CouldNotRun(f"no memory cgroup can be made here: {refused}") from refused

    def bound(self) -> None:
        """Sets the limit. Raises OSError, also where the kernel has no memory controller for this cgroup."""
        if self.limit == NO_LIMIT:
            (self.path / "memory.stat").read_text()
        else:
            (self.path / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(str(self.limit))
        swap = self.path / ("memory.memsw.limit_in_bytes" if self.first else "memory.swap.max")
        if swap.exists() and not (self.first and self.limit == NO_LIMIT):
            swap.write_text(str(self.limit) if self.first else "0")

    def start(self, command: Sequence[str | Path], log: BinaryIO, environment: Mapping[str, str] | None) -> subprocess.Popen:
        """Starts a program inside; what it takes from its first moment counts."""
        words = ["sh", "-c", JOIN, self.path / "cgroup.procs", *command]
        return children.start(words, stdout=log, stderr=log, env=environment)

    def end(self) -> None:
        for _ in range(100):
            for pid in (self.path / "cgroup.procs").read_text().split():
                try:
                    os.kill(int(pid), 9)
                except ProcessLookupError:
                    pass
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def machine_has_no_swap(swaps: Path = SWAPS) -> bool:
    """True where the kernel lists no swap area; the first line of the list is a heading."""
    return len(swaps.read_text().splitlines()) < 2


def own_if_allowed(name: str) -> OwnGroup | None:
    """A cgroup of our own without a limit; None where this user may make none."""
    try:
        return OwnGroup(name)
    except CouldNotRun:
        return None


def denied() -> bool:
    """True where this user may make no memory cgroup."""
    made = own_if_allowed("remora-may")
    if made:
        made.end()
    return made is None


def charged_to(pid: int, root: Path = ROOT) -> Group | None:
    """The memory cgroup that a process is in, with a limit or without; None where that is not to be seen, or is the machine's own."""
    return group_in(Path(f"/proc/{pid}/cgroup").read_text(), root, limited=False)


def seen_from(inside: Path) -> Group | None:
    """The memory cgroup of a container, from the folder in which it sees its own; None where that is not to be read."""
    for path, first in ((inside / "memory", True), (inside, False)):
        try:
            (path / ("memory.usage_in_bytes" if first else "memory.current")).read_text()
            return Group(path, first)
        except OSError:
            continue
    return None


def group_of(pid: int) -> Group:
    """The memory cgroup of a process that somebody else has limited. Raises CouldNotRun where that is not to be seen."""
    found = group_in(Path(f"/proc/{pid}/cgroup").read_text(), ROOT)
    if found is None:
        raise CouldNotRun(f"the memory cgroup of process {pid}, with its limit, is not to be seen here: the engine must run on this machine")
    return found


def group_in(told: str, root: Path, limited: bool = True) -> Group | None:
    """The one below a root, of those that /proc tells of a process; one without a limit only where none is asked for."""
    for line in told.splitlines():
        _, controllers, path = line.split(":", 2)
        first = "memory" in controllers.split(",")
        found = (root / "memory" if first else root) / path.lstrip("/")
        limit = found / ("memory.limit_in_bytes" if first else "memory.max")
        if (first or not controllers) and path != "/" and limit.exists():
            if (bytes_told := limit.read_text().strip()).isdigit():
                return Group(found, first, int(bytes_told))
            if not limited:
                return Group(found, first)
    return None


def socket_bytes(*ports: int) -> int:
    """What the kernel holds for the sockets of a proxy: those whose own port is the first, or whose peer's is one of the others."""
    wanted = [f"sport = :{ports[0]}", *(f"dport = :{port}" for port in ports[1:])]
    told = children.run(["ss", "-tmneH", "( " + " or ".join(wanted) + " )"], capture_output=True, text=True).stdout
    return sum_of_sockets(told)


def sum_of_sockets(told: str) -> int:
    """Of what ss tells: receive queue, send queue, and what is set aside for either. A connection that nobody has accepted is not
    charged, and has no inode."""
    return sum(sum(map(int, figures))
               for figures in re.findall(r" ino:[1-9][^\n]*\n?[^\n]*?skmem:\(r(\d+),.*?,t(\d+),.*?,f(\d+),w(\d+),", told))

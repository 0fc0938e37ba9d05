"""Memory cgroups: a limit around one process, our own or the Docker engine's, and what the kernel charges there."""
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ..errors import CouldNotRun

ROOT = Path("/sys/fs/cgroup")
JOIN = 'echo $$ >"$0" && exec "$@"'


class Group:
    """A cgroup with a memory limit, of version 1 (first) or 2."""

    def __init__(self, path: Path, first: bool, limit: int) -> None:
        self.path, self.first, self.limit = path, first, limit

    def stat(self, key: str) -> int:
        found = re.search(rf"(?m)^{key} (\d+)$", (self.path / "memory.stat").read_text())
        return int(found.group(1)) if found else 0

    def used(self) -> int:
        """Bytes that are charged, less inactive file pages. Version 1 does not charge what sockets hold."""
        if self.first:
            return int((self.path / "memory.usage_in_bytes").read_text()) - self.stat("total_inactive_file")
        return int((self.path / "memory.current").read_text()) - self.stat("inactive_file")

    def parts(self) -> dict[str, float]:
        """In MB: the working set, which is used() and by which a kubelet evicts, and of it anonymous memory and active file pages."""
        anonymous, active = ("total_rss", "total_active_file") if self.first else ("anon", "active_file")
        return {"working_set_mb": self.used() / 1e6, "group_anon_mb": self.stat(anonymous) / 1e6, "active_file_mb": self.stat(active) / 1e6}

    def major_faults(self) -> int:
        return self.stat("total_pgmajfault" if self.first else "pgmajfault")

    def kills(self) -> int:
        """How often the kernel killed here for want of memory."""
        text = (self.path / ("memory.oom_control" if self.first else "memory.events")).read_text()
        found = re.search(r"(?m)^oom_kill (\d+)$", text)
        return int(found.group(1)) if found else 0


class LimitedGroup(Group):
    """One of our own. Its end kills what is left in it."""

    def __init__(self, name: str, limit: int) -> None:
        first = (ROOT / "memory/memory.limit_in_bytes").exists()
        super().__init__((ROOT / "memory" if first else ROOT) / f"{name}-{os.getpid()}", first, limit)
        try:
            self.path.mkdir()
            (self.path / ("memory.limit_in_bytes" if self.first else "memory.max")).write_text(str(limit))
            swap = self.path / ("memory.memsw.limit_in_bytes" if self.first else "memory.swap.max")
            if swap.exists():
                swap.write_text(str(limit) if self.first else "0")
        except OSError as refused:
            if self.path.exists():
                self.path.rmdir()
            raise CouldNotRun(f"no memory cgroup can be made here: {refused}") from refused

    def start(self, command: Sequence[str | Path], log: BinaryIO, environment: Mapping[str, str]) -> subprocess.Popen:
        """Starts a program inside; what it takes from its first moment counts."""
        words = ["sh", "-c", JOIN, self.path / "cgroup.procs", *command]
        return subprocess.Popen(words, stdout=log, stderr=log, env=environment, start_new_session=True)

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


def group_of(pid: int) -> Group:
    """The memory cgroup of a process that somebody else has limited. Raises CouldNotRun where that is not to be seen."""
    found = group_in(Path(f"/proc/{pid}/cgroup").read_text(), ROOT)
    if found is None:
        raise CouldNotRun(f"the memory cgroup of process {pid}, with its limit, is not to be seen here: the engine must run on this machine")
    return found


def group_in(told: str, root: Path) -> Group | None:
    """The one with a limit below a root, of those that /proc tells of a process."""
    for line in told.splitlines():
        _, controllers, path = line.split(":", 2)
        first = "memory" in controllers.split(",")
        found = (root / "memory" if first else root) / path.lstrip("/")
        limit = found / ("memory.limit_in_bytes" if first else "memory.max")
        if (first or not controllers) and limit.exists() and (bytes_told := limit.read_text().strip()).isdigit():
            return Group(found, first, int(bytes_told))
    return None


def socket_bytes(*ports: int) -> int:
    """What the kernel holds for the sockets of a proxy: those whose own port is the first, or whose peer's is one of the others."""
    wanted = [f"sport = :{ports[0]}", *(f"dport = :{port}" for port in ports[1:])]
    told = subprocess.run(["ss", "-tmneH", "( " + " or ".join(wanted) + " )"], capture_output=True, text=True, check=False).stdout
    return sum_of_sockets(told)


def sum_of_sockets(told: str) -> int:
    """Of what ss tells: receive queue, send queue, and what is set aside for either. A connection that nobody has accepted is not
    charged, and has no inode."""
    return sum(sum(map(int, figures))
               for figures in re.findall(r" ino:[1-9][^\n]*\n?[^\n]*?skmem:\(r(\d+),.*?,t(\d+),.*?,f(\d+),w(\d+),", told))

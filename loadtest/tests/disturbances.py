"""What a host may do to a run: others that keep cores busy, and limits on a process's CPU time."""
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

from remora_measure.machine import kernel

from .program_runs import command_line

HOG = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
CGROUPS = Path("/sys/fs/cgroup")
PERIOD_US = 100_000


@contextlib.contextmanager
def hogs(cores, each):
    """So many processes on each of some cores that never rest."""
    started = [subprocess.Popen([sys.executable, "-c", HOG, str(core)]) for core in cores for _ in range(each)]
    try:
        yield
    finally:
        for hog in started:
            hog.kill()
            hog.wait()


def can_limit():
    """Whether this user may make control groups with a CPU limit."""
    if not os.access(limits_root(), os.W_OK):
        return False
    return limits_root() != CGROUPS or "cpu" in (CGROUPS / "cgroup.subtree_control").read_text().split()


def limits_root():
    return CGROUPS / "cpu" if (CGROUPS / "cpu").is_dir() else CGROUPS


@contextlib.contextmanager
def cpu_limit(pid, share):
    """Keeps a process to a share of one core, until it ends or this does."""
    root = limits_root()
    before = next(line.split(":", 2)[2] for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()
                  if line.split(":")[1] in (("", "cpu", "cpu,cpuacct") if root == CGROUPS else ("cpu", "cpu,cpuacct")))
    group = root / f"remora-test-{pid}"
    group.mkdir()
    try:
        quota_us = str(int(share * PERIOD_US))
        if root == CGROUPS:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
        else:
            (group / "cpu.cfs_quota_us").write_text(quota_us)
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            (root / before.lstrip("/") / "cgroup.procs").write_text(str(pid))
        remove(group)


def remove(group, seconds=10):
    """A group whose last process is just ending is busy for a moment."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return group.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def generator_of(pid):
    """The process of Gatling below that of a run."""
    return next(one for one in kernel.descendants(pid) if "io.gatling.app.Gatling" in command_line(Path(f"/proc/{one}")))

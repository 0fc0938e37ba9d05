"""Which cores the sidecar and the rig run on.

A woken thread is put where its waker runs, and then waits for the waker's slice to end: on few cores the generator would so
decide the sidecar's latency. Each has cores of its own, where there are two or more.
"""
import contextlib
import errno
import os
from collections.abc import Iterable, Iterator


def split(cores: Iterable[int]) -> tuple[set[int], set[int]]:
    """The rig's cores and the sidecar's: one of up to seven, a quarter of more; the same for both where there is one only."""
    ordered = sorted(cores)
    if len(ordered) < 2:
        return set(ordered), set(ordered)
    own = max(1, len(ordered) // 4)
    return set(ordered[:-own]), set(ordered[-own:])


def parted(pin: bool) -> tuple[set[int], set[int]]:
    """The rig's cores and the sidecar's; all of them and none where nobody is to have cores of its own."""
    cores = os.sched_getaffinity(0)
    return split(cores) if pin else (cores, set())


def move(pid: int, cores: set[int]) -> bool:
    """Puts all threads of a process on some cores; True if this user may. What it starts later goes with them."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            os.sched_setaffinity(int(thread), cores)
        except OSError as refused:
            # EINVAL: its own cpuset has none of these cores
            if refused.errno in (errno.EPERM, errno.EACCES, errno.EINVAL):
                return False
            if refused.errno != errno.ESRCH:  # ended meanwhile
                raise
    return True


@contextlib.contextmanager
def kept_to(cores: set[int]) -> Iterator[None]:
    """Keeps this thread, and every process and thread that it starts, to some cores for a while."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)

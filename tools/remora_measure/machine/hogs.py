"""A competing load: one process on each of some cores that computes all the time, at normal priority.

    python -m remora_measure.machine.hogs CORE

Ends with its standard input, so that it never outlives the program that started it.
"""
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator

from ..errors import CouldNotRun
from . import children


@contextlib.contextmanager
def on(cores: Iterable[int]) -> Iterator[None]:
    """Keeps these cores busy. Raises CouldNotRun where one of them was not, to the end."""
    hogs = []
    with contextlib.ExitStack() as started:
        for core in sorted(cores):
            hog = children.start([sys.executable, "-m", __name__, str(core)], stdin=subprocess.PIPE)
            started.callback(end, hog)
            hogs.append(hog)
        yield
        if any(hog.poll() is not None for hog in hogs):
            raise CouldNotRun("the competing load has ended before the measurement")


def end(hog: subprocess.Popen) -> None:
    children.stop(hog)
    if hog.stdin:
        hog.stdin.close()


def main() -> None:
    os.sched_setaffinity(0, {int(sys.argv[1])})
    threading.Thread(target=end_with_input, daemon=True).start()
    while True:
        sum(range(1_000))


def end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()

"""The speed of a core for a process on it: a fixed piece of work and a clock, as a program of its own on the sidecar's cores or the rig's.

    core_control CORES PID     cores such as 0,2; PID is the sidecar's where it runs there, and 0 elsewhere
    begin                      throw away what was: "ok 1"
    end FILE                   write what was found since as JSON: "ok 1"

The piece is the same every time: arithmetic, one byte of each page of a large array, and a message to itself over the loopback
interface, as a proxy computes, misses its caches and calls the kernel. Its CPU time says how fast the core is; a piece that is run
first and not measured brings back what others have pushed out of the near caches, which is no matter of speed. How late it wakes, less
the time that the sidecar itself ran meanwhile, says how long others kept the core.

Cost: about 0.5 % of one core. Wake-ups are spread at random, so that they keep no step with a load of a fixed rate.
"""
import json
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .packet_capture import summary

PERIOD_NS = 40_000_000
WAKES_FOR_A_PIECE = 4
# A nap before the wake-up that counts: the sidecar's CPU time is read at both ends of it.
NAP_NS = 300_000
# The timer's own inaccuracy, which is no wait.
SLACK_NS = 50_000
NUMBERS = 400
ARRAY_BYTES, PAGE_STEP = 8 << 20, 4099
MESSAGE = bytes(1024)


class Piece:
    """The fixed piece of work."""

    def __init__(self) -> None:
        self.array = bytearray(os.urandom(4096)) * (ARRAY_BYTES // 4096)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.sender = socket.create_connection(listener.getsockname())
            self.receiver, _ = listener.accept()

    def run(self) -> int:
        number = 1
        for _ in range(NUMBERS):
            number = (number * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        self.sender.sendall(MESSAGE)
        self.receiver.recv(len(MESSAGE), socket.MSG_WAITALL)
        return number + sum(self.array[::PAGE_STEP])

    def timed(self) -> tuple[float, float]:
        """CPU and wall time of a second run right after a first, in us."""
        self.run()
        wall, cpu = time.monotonic_ns(), time.thread_time_ns()
        self.run()
        return (time.thread_time_ns() - cpu) / 1e3, (time.monotonic_ns() - wall) / 1e3


def process_clock(pid: int) -> Callable[[], int]:
    """A clock of the CPU time of a process in ns, which reads 0 where there is no such process or it has ended."""
    def read() -> int:
        try:
            return time.clock_gettime_ns((~pid << 3) | 2)
        except OSError:
            return 0
    return read if pid else lambda: 0


class Control:
    """Owner: the thread that measures; begin() and end() are for another."""

    def __init__(self, pid: int) -> None:
        self.lock, self.others_clock, self.piece = threading.Lock(), process_clock(pid), Piece()
        self.begin()

    def begin(self) -> None:
        with self.lock:
            self.waits: list[float] = []
            self.pieces: list[tuple[float, float]] = []
            self.began, self.cpu = time.monotonic(), time.process_time()

    def measure(self) -> None:
        due = time.monotonic_ns()
        for turn in range(sys.maxsize):
            due += PERIOD_NS
            sleep_until(due + random.randrange(PERIOD_NS // 2))
            wait = self.wait()
            piece = self.piece.timed() if turn % WAKES_FOR_A_PIECE == 0 else None
            with self.lock:
                self.waits.append(wait)
                self.pieces += [piece] if piece else []
            due = max(due, time.monotonic_ns() - PERIOD_NS)  # what was slept through is not made up for

    def wait(self) -> float:
        """How long others kept the core from a thread that wanted it, in us."""
        ran, wanted = self.others_clock(), time.monotonic_ns() + NAP_NS
        sleep_until(wanted)
        late = time.monotonic_ns() - wanted
        return max(0, late - SLACK_NS - max(0, self.others_clock() - ran)) / 1e3

    def end(self) -> dict[str, object]:
        with self.lock:
            waits, pieces = sorted(self.waits), self.pieces
            seconds, cpu = time.monotonic() - self.began, time.process_time() - self.cpu
        return {"waits": summary(waits) if waits else None, "cpu_share": cpu / seconds,
                "cpu_us": [round(one, 2) for one, _ in pieces], "wall_us": [round(one, 2) for _, one in pieces]}


def sleep_until(wanted_ns: int) -> None:
    time.sleep(max(0, wanted_ns - time.monotonic_ns()) / 1e9)


def main(cores: str, pid: str) -> None:
    os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
    control = Control(int(pid))
    threading.Thread(target=control.measure, daemon=True).start()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "begin":
            control.begin()
        else:
            Path(words[1]).write_text(json.dumps(control.end()))
        print("ok 1", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Child processes with a bound: each is the leader of a process group, and one that does not end in time is killed with its group."""
import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from ..errors import DidNotEnd

# Time to end after SIGTERM, and to be reaped after SIGKILL.
TERM_S, KILL_S = 10.0, 10.0
# Bound of a short question to a program of the system.
QUESTION_S = 60.0
# Bound of a build, which may compile for the first time.
BUILD_S = 3600.0
PIECE = 65_536
# Stands for the end of a pipe: no line has it.
END = "\n"


def start(command: Sequence[str | Path], **more: Any) -> subprocess.Popen:
    """Starts a program in a session of its own: an interrupt at the terminal is for its parent, which ends it in order."""
    return subprocess.Popen(command, start_new_session=True, **more)


def run(command: Sequence[str | Path], seconds: float = QUESTION_S, what: str | None = None, check: bool = False, capture_output: bool = False,
        **more: Any) -> subprocess.CompletedProcess:
    """Runs a program to its end, as subprocess.run() does. Raises DidNotEnd, and kills the program with its group, after that time."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} if capture_output else {}
    process = start(command, **pipes, **more)
    out, err = finish(process, seconds, what or Path(command[0]).name)
    if check and process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command), out, err)
    return subprocess.CompletedProcess(list(command), process.returncode, out, err)


def finish(process: subprocess.Popen, seconds: float, what: str) -> tuple[Any, Any]:
    """What a program wrote until its end. Raises DidNotEnd, and kills the program with its group, after that time."""
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(process)
        raise DidNotEnd(what, seconds) from None
    except BaseException:
        kill(process)
        raise
    finally:
        for pipe in filter(None, (process.stdout, process.stderr)):
            pipe.close()


def stop(process: subprocess.Popen, seconds: float = TERM_S) -> None:
    """Ends a process in order, or with its group where that takes too long."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        kill(process)


def kill(process: subprocess.Popen) -> None:
    """Kills a process and all of its group. Raises DidNotEnd where the kernel does not end it, as in a file system that hangs."""
    signal_group(process, signal.SIGKILL)
    try:
        process.wait(KILL_S)
    except subprocess.TimeoutExpired:
        raise DidNotEnd(f"process {process.pid}, though killed,", KILL_S) from None


def signal_group(process: subprocess.Popen, number: signal.Signals) -> None:
    """Sends a signal to a process that was not waited for, and to its group where it leads one. Its number is its own until then."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if os.getpgid(process.pid) == process.pid else os.kill)(process.pid, number)


class Lines:
    """Reader of the lines of a pipe, each with a bound. Owner: one thread."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.pipe, self.rest = pipe, b""

    def next(self, seconds: float) -> str | None:
        """The next line without its end; END at the end of the pipe, None where no whole line came within that time."""
        until = time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not select.select([self.pipe], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            piece = os.read(self.pipe.fileno(), PIECE)
            if not piece:
                return END
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode(errors="replace")


class Output:
    """A program whose lines are read as they come; at the end of the context it has ended. Owner: one thread."""

    def __init__(self, command: Sequence[str | Path], seconds: float) -> None:
        self.what, self.seconds, self.until = Path(command[0]).name, seconds, time.monotonic() + seconds
        self.process = start(command, stdout=subprocess.PIPE)

    def __enter__(self) -> "Output":
        return self

    def __iter__(self) -> Iterator[str]:
        """Its lines without their ends, empty ones left out. Raises DidNotEnd."""
        assert self.process.stdout
        lines = Lines(self.process.stdout)
        while (line := lines.next(self.until - time.monotonic())) != END:
            if line is None:
                raise DidNotEnd(self.what, self.seconds)
            if line:
                yield line

    def __exit__(self, *why: object) -> None:
        try:
            if why[0]:
                kill(self.process)
            else:
                finish(self.process, max(1.0, self.until - time.monotonic()), self.what)
        finally:
            if self.process.stdout:
                self.process.stdout.close()

"""The Java programs of the load test, as processes."""
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from ..errors import DidNotEnd
from ..machine import children, processes
from ..machine.namespaces import Namespace
from ..repository import LOADTEST
from ..systems import admin_pages
from ..systems.certificates import MTLS, TLS, Tls
from ..systems.configurations import Ports

LOOPBACK = "127.0.0.1"
# Time for a start, which is slow next to a load on the same core.
START_S = 60
# Time for an answer beyond the duration of its command: the tools give up a request after 10 s, and what is owed at the end after 10 s more.
ANSWER_S = 45.0
# Bound for reading the logs of a long run.
READ_S = 600.0
PACKAGE = "io.remora.loadtest."
CORE_CONTROL = "remora_measure.load.core_control"
PACKAGES = (PACKAGE, CORE_CONTROL)
JAR = LOADTEST / "target/loadtest.jar"
CLASS_PATH = f"{JAR}:{LOADTEST}/target/lib/*"


def figures(text: str) -> dict[str, float]:
    """A line of names and numbers in turn, as the tools answer."""
    words = text.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


def java_words(tls: Tls | None) -> tuple[object, ...]:
    """TLS as the tools take it: whether clients show certificates, and where the certificates are."""
    return (MTLS if tls.is_mutual else TLS, tls.directory) if tls else ()


def require_built() -> None:
    if not JAR.exists():
        sys.exit("loadtest/target/loadtest.jar is missing: make loadtest/target/build.stamp builds it")


def java(java_home: str, name: str, *arguments: object, options: Sequence[str] = ("-Xmx64m", "-XX:+UseSerialGC")) -> list[str]:
    """The command that runs io.remora.loadtest.NAME."""
    return [f"{java_home}/bin/java", *options, "-cp", CLASS_PATH, PACKAGE + name, *map(str, arguments)]


class Tool:
    """A program that takes a command a line, and answers each by a line of names and figures. One that does not answer in time is killed, and started again
    by revive() or for the next command if it keeps nothing that others depend on. Owner: one thread."""

    can_restart = True

    def __init__(self, command: Sequence[str], log: BinaryIO) -> None:
        name = next(word for word in command if word.startswith(PACKAGES)).rpartition(".")[2]
        self.title = "the " + re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower().replace("_", " ")
        self.command, self.log = command, log
        self.preparations: list[Callable[[], object]] = []
        self.start()

    def start(self) -> None:
        self.process = children.start(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)
        assert self.process.stdin and self.process.stdout
        self.commands, self.answers = self.process.stdin, children.Lines(self.process.stdout)
        self.owed, self.was_killed = 0, False

    def prepare(self, action: Callable[[], object]) -> None:
        """Does what makes it ready to measure, such as a warm-up, and does the same after each later start."""
        self.preparations.append(action)
        action()

    def revive(self) -> None:
        """Starts it again if it was killed, as ready as it was at first. Raises DidNotEnd."""
        if self.was_killed and self.can_restart:
            self.start()
            for action in self.preparations:
                action()

    def tell(self, *words: object, lasts: float = 0) -> None:
        """Gives a command whose answer is due after so many seconds, and after the tool's own timeouts."""
        self.revive()
        self.owed += 1
        self.bound_s = lasts + ANSWER_S
        self.until = time.monotonic() + self.bound_s
        try:
            self.commands.write((" ".join(str(word) for word in words) + "\n").encode())
            self.commands.flush()
        except BrokenPipeError:
            self.has_ended()

    def answer(self) -> dict[str, float]:
        """The figures that answer the last command. Raises DidNotEnd."""
        line = self.answers.next(self.until - time.monotonic())
        if line is None:
            self.kill()
            raise DidNotEnd(self.waited_for(), self.bound_s)
        if line == children.END:
            self.has_ended()
        self.owed -= 1
        return figures(line)

    def waited_for(self) -> str:
        """What it is that did not end."""
        return self.title

    def kill(self) -> None:
        self.was_killed = True
        children.kill(self.process)
        with contextlib.suppress(BrokenPipeError):
            self.commands.close()
        self.answers.pipe.close()

    def has_ended(self) -> NoReturn:
        sys.exit(f"{self.title} has ended; its log says why")

    def ask(self, *words: object, lasts: float = 0) -> dict[str, float]:
        self.tell(*words, lasts=lasts)
        return self.answer()

    def close(self) -> None:
        if self.was_killed:
            return
        with contextlib.suppress(BrokenPipeError):
            self.commands.close()
        children.stop(self.process)
        self.answers.pipe.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LoadSession(Tool):
    """One JVM for every run, so that the load is as warm in the first as in the last."""

    def __init__(self, work: Path, java_home: str, log: BinaryIO, ports: Ports) -> None:
        super().__init__(java(java_home, "LoadSession"), log)
        self.log_file, self.ports = work / "latency.hlog", ports

    def waited_for(self) -> str:
        return "load"

    def revive(self) -> None:
        if self.owed and not self.was_killed:
            # of a run that was given up, whose answer would be taken for that of the next command
            self.kill()
        super().revive()

    def begin(self, rate: float, connections: int, warmup: float, seconds: float, port: int | None = None, tls: Tls | None = None) -> None:
        """Starts a load that lasts until warmup + seconds are over; answer() waits for that."""
        self.tell("load", port or self.ports.front, "/body", rate, connections, warmup, seconds, *java_words(tls), lasts=warmup + seconds)

    def begin_closed(self, connections: int, seconds: float, tls: Tls | None = None) -> None:
        """Starts a closed loop, each connection of which sends its next request when the last one is answered."""
        self.tell("closed", self.ports.front, "/body", connections, seconds, *java_words(tls), lasts=seconds)

    def begin_http2(self, rate: float, connections: int, streams: int, warmup: float, seconds: float, port: int | None = None,
                    kind: str = "h2", path: str = "/body", stall: str | None = None, tls: Tls | None = None) -> None:
        """The same as begin() over HTTP/2, with several streams on each connection. kind is h2 for GETs or grpc:BYTES for unary calls; stall is a
        path with a large body, which is asked for first on each connection and never read."""
        self.tell("h2", port or self.ports.front, path, kind, rate, connections, streams, warmup, seconds, *([stall] if stall else java_words(tls)),
                  lasts=warmup + seconds)

    def begin_recorded(self, file: Path, rate: float, connections: int, streams: int, warmup: float, seconds: float, port: int | None = None,
                       tls: Tls | None = None) -> None:
        """The same of the requests in a file, in turn; over HTTP/1.1, or over HTTP/2 with as many streams on each connection where there are any."""
        self.tell("recorded", port or self.ports.front, file, rate, connections, streams, warmup, seconds, *java_words(tls), lasts=warmup + seconds)

    def begin_herd(self, rate: float, warmup: float, seconds: float, ports: Iterable[int]) -> None:
        """Starts a load of that rate on each of several ports, over one connection each."""
        self.tell("herd", "/body", rate, warmup, seconds, *ports, lasts=warmup + seconds)

    def run(self, rate: float, connections: int, warmup: float, seconds: float, port: int | None = None) -> dict[str, float]:
        self.begin(rate, connections, warmup, seconds, port)
        return self.answer()

    def begin_interval(self) -> None:
        """Throws the sidecar's latencies so far away. The first question loads classes, hence the second."""
        admin_pages.fetch(self.ports.admin, "/latency.hlog")
        time.sleep(0.2)
        admin_pages.fetch(self.ports.admin, "/latency.hlog")

    def end_interval(self) -> None:
        self.log_file.write_text(admin_pages.fetch(self.ports.admin, "/latency.hlog"))

    def latencies(self, tag: str = "inbound.proxy") -> dict[str, float]:
        """Those of the last interval; while there is load, its answer comes first."""
        return self.ask("latency", self.log_file, tag)


class OpenLoad(Tool):
    """An open loop that keeps its rate while requests hang, and tells what became of each."""

    def __init__(self, java_home: str, log: BinaryIO) -> None:
        super().__init__(java(java_home, "OpenLoad"), log)

    def begin(self, port: int, rate: float, connections: int, most: int, file: Path) -> None:
        """Over as many connections, and more where none is free; until end()."""
        self.ask("begin", port, "/body", f"{rate:g}", connections, most, file)

    def end(self) -> dict[str, float]:
        return self.ask("end")


class HiccupMeter(Tool):
    """Measures how late the host lets a sleeper wake, in a process of its own: that delay is no fault of what is measured."""

    def __init__(self, java_home: str, log: BinaryIO) -> None:
        super().__init__(java(java_home, "HiccupMeter"), log)

    def begin(self) -> None:
        self.ask("begin")

    def end(self, file: Path) -> dict[str, float]:
        """Ends the interval: its histogram goes to a file, its percentiles are returned."""
        return self.ask("end", file)


class CoreControl(Tool):
    """Measures the speed of some cores for a process on them, next to the sidecar or the rig."""

    def __init__(self, log: BinaryIO, on_cores: Iterable[int], sidecar_pid: int = 0) -> None:
        super().__init__([sys.executable, "-m", CORE_CONTROL, ",".join(map(str, sorted(on_cores))), str(sidecar_pid)], log)

    def begin(self) -> None:
        self.ask("begin")

    def end(self, file: Path) -> dict[str, Any]:
        """Ends the interval: what it found, which is on file as well."""
        self.ask("end", file)
        return json.loads(file.read_text())


class Probe(Tool):
    """The precise client: one connection through the sidecar, one straight to the backend."""

    def __init__(self, java_home: str, log: BinaryIO, ports: Ports, rate: int, tls: Tls | None = None,
                 http2: str | None = None, path: str = "/body", backend: str | None = None) -> None:
        """http2 is h2, or grpc:BYTES; backend is a host with a port, where the application runs elsewhere."""
        super().__init__(java(java_home, "Probe", ports.front, backend or ports.backend, path, rate, *java_words(tls), *([http2] if http2 else ())), log)

    def end(self, file: Path) -> dict[str, float]:
        """Ends the interval: its histograms go to a file; its seconds, and requests, failures and percentiles of both arms, are returned."""
        return self.ask("end", file)


class Answers(NamedTuple):
    """How the fake application answers at first: with a 500 for that share, and with its own address where it is to be identified."""

    body_bytes: int
    delay_ms: float = 0
    error_share: float = 0
    identify: bool = False


class Place(NamedTuple):
    """Where a program listens: on the same port of each address, inside a namespace where there is one."""

    addresses: Sequence[str] = (LOOPBACK,)
    inside: Namespace | None = None


class Backend(Tool):
    """The fake application, which never is what limits."""

    can_restart = False

    def __init__(self, java_home: str, log: BinaryIO, port: int, answers: Answers, tls: Tls | None = None, place: Place = Place()) -> None:
        secured = [f"--{word}" if word in (TLS, MTLS) else word for word in java_words(tls)]
        command = java(java_home, "Backend", "--port", port, "--addresses", ",".join(place.addresses), "--body", answers.body_bytes, "--delay",
                       f"{answers.delay_ms:g}ms", "--error-share", answers.error_share, "--identify", str(answers.identify).lower(), *secured)
        super().__init__(place.inside.command(*command) if place.inside else command, log)
        self.port, self.host = port, place.addresses[0]
        try:
            processes.wait_for(port, START_S, self.process, self.host)
            self.answers.next(START_S)  # where it listens
        except BaseException:
            self.close()
            raise

    def delay(self, milliseconds: float) -> None:
        """Of its answers from now on."""
        self.ask("delay", f"{milliseconds:g}ms")

    def errors(self, share: float) -> None:
        """That share of its answers is a 500 from now on."""
        self.ask("error-share", share)

    def served(self) -> int:
        """Requests that it was sent, this one among them."""
        return admin_pages.served(self.port, host=self.host)


def histograms(java_home: str, files: Sequence[Path]) -> dict[str, Any]:
    """By tag: count, percentiles and curve over all intervals of HdrHistogram logs."""
    done = children.run(java(java_home, "Histograms", *files), READ_S, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)

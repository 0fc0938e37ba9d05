"""Many sidecars of one kind on this machine, each with ports and a configuration of its own, in front of one backend, in one memory cgroup."""
import contextlib
import http.client
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import CouldNotRun
from ..machine import cgroups, kernel, mappings, processes
from . import peers, sidecars
from .configurations import Ports, write_config

POLL_S = 0.01
# Starts one in a folder of its own.
Start = Callable[[Path, Ports, cgroups.OwnGroup | None], sidecars.Sidecar]


def of_image(image: str, java_home: str, java_options: str = "") -> Start:
    return lambda folder, ports, group: sidecars.start(image, write_config("herd.yaml", folder, ports), 1, java_home, folder / "log",
                                                       sidecars.Given(java_options, group=group))


def of_peer(peer: peers.Peer, program: str) -> Start:
    """Envoy or HAProxy, with its minimal configuration and one worker."""
    def start(folder: Path, ports: Ports, group: cgroups.OwnGroup | None) -> sidecars.Sidecar:
        write_config(peers.CONFIGURATIONS[peer.name], folder, ports)
        return sidecars.Process("command", peer.name, [*peer.command(program, folder, peers.OFF), *peer.many], folder / "log", None, group)
    return start


class Member(NamedTuple):
    sidecar: sidecars.Sidecar
    ports: Ports


class Herd:
    """Started at its creation, all at once; the caller stops it in any case. start_s: seconds to each one's first answer, in their order. group is None if this
    user may make no cgroup."""

    def __init__(self, start: Start, count: int, work: Path, backend_port: int) -> None:
        ports = processes.free_ports(2 * count)
        self.group = cgroups.own_if_allowed("remora-herd")
        self.members: list[Member] = []
        self.start_s: list[float] = []
        began = time.monotonic()
        try:
            for number in range(count):
                own = Ports(ports[2 * number], backend_port, ports[2 * number + 1])
                folder = work / f"sidecar-{number}"
                folder.mkdir(exist_ok=True)
                self.members.append(Member(start(folder, own, self.group), own))
            self.wait(began, 20 + count)
        except BaseException:
            self.stop()
            raise

    def wait(self, began: float, limit_s: float) -> None:
        waiting = list(self.members)
        while waiting:
            for member in list(waiting):
                if processes.answers(member.ports.front):
                    waiting.remove(member)
                    self.start_s.append(time.monotonic() - began)
                elif not member.sidecar.alive() or time.monotonic() - began > limit_s:
                    raise CouldNotRun(f"a sidecar of the herd has ended, or did not answer within {limit_s} s; it wrote: "
                                      + tail(member.sidecar.output))
            time.sleep(POLL_S)

    def fronts(self) -> list[int]:
        return [member.ports.front for member in self.members]

    @contextlib.contextmanager
    def connected(self) -> Iterator[None]:
        """One client's keep-alive connection to each, on which a request was answered, open meanwhile."""
        with contextlib.ExitStack() as opened:
            for port in self.fronts():
                connection = opened.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)))
                connection.request("GET", "/body")
                connection.getresponse().read()
            yield

    def cpu_seconds(self) -> list[float]:
        return [kernel.cpu_seconds(member.sidecar.pid) for member in self.members]

    def cpu_percents(self, seconds: float) -> list[float]:
        """CPU of each over that time, in per cent of one core."""
        before, began = self.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        after, spent = self.cpu_seconds(), time.monotonic() - began
        return [100 * (late - early) / spent for early, late in zip(before, after)]

    def memory(self) -> dict[str, object]:
        """Sums in MB, by kind of mapping, and of all; and the peak RSS of the one that had most."""
        pids = [member.sidecar.pid for member in self.members]
        return {"mappings": mappings.total([mappings.of(pid) for pid in pids]),
                "peak_rss_mb": max(kernel.status(pid, "VmHWM") for pid in pids)}

    def paid_mb(self) -> dict[str, float | None]:
        """Sums in MB: RSS, private memory, and the working set of their cgroup, which is charged once for a page that several map."""
        pids = [member.sidecar.pid for member in self.members]
        private = self.group.private() / 1e6 if self.group else sum(kernel.private(kernel.rollup(pid) or {}) for pid in pids)
        return {"rss_mb": sum(kernel.status(pid, "VmRSS") for pid in pids), "private_mb": private,
                "working_set_mb": self.group.used() / 1e6 if self.group else None}

    def version(self) -> int | None:
        """The version of their cgroup; None where they have none."""
        return self.group.version if self.group else None

    def starts(self) -> dict[str, float]:
        return {"first_s": self.start_s[0], "median_s": statistics.median(self.start_s), "all_s": self.start_s[-1]}

    def stop(self) -> None:
        """Ends all: told first and waited for then, so that it takes as long as the slowest."""
        for member in self.members:
            if isinstance(member.sidecar, sidecars.Process):
                member.sidecar.process.terminate()
        for member in self.members:
            member.sidecar.stop()
        if self.group:
            self.group.end()


def tail(file: Path, size: int = 300) -> str:
    return file.read_text(errors="replace")[-size:].strip() if file.exists() else ""

"""Many sidecars of one image on this machine, each with ports and a configuration of its own, in front of one backend."""
import contextlib
import http.client
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from . import kernel, mappings, processes, sidecars, systems
from .sidecars import CouldNotRun

POLL_S = 0.01


class Member(NamedTuple):
    sidecar: sidecars.Sidecar
    ports: systems.Ports


class Herd:
    """Started at its creation, all at once; to be stopped whatever happens. start_s: seconds to each one's first answer, in their order."""

    def __init__(self, image, count, bench, java_options=""):
        ports = processes.free_ports(2 * count)
        self.members, self.start_s, self.count = [], [], count
        began = time.monotonic()
        try:
            for number in range(count):
                own = systems.Ports(ports[2 * number], bench.ports.backend, ports[2 * number + 1])
                work = bench.work / f"sidecar-{number}"
                work.mkdir(exist_ok=True)
                config = systems.write_config("herd.yaml", work, own)
                self.members.append(Member(sidecars.start(image, config, 1, bench.java_home, work / "log", java_options), own))
            self.wait(began, 20 + count)
        except BaseException:
            self.stop()
            raise

    def wait(self, began, limit_s):
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

    def fronts(self):
        return [member.ports.front for member in self.members]

    @contextlib.contextmanager
    def connected(self):
        """One client's keep-alive connection to each, on which a request was answered, open meanwhile."""
        with contextlib.ExitStack() as opened:
            for port in self.fronts():
                connection = opened.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)))
                connection.request("GET", "/body")
                connection.getresponse().read()
            yield

    def cpu_seconds(self):
        return [kernel.cpu_seconds(member.sidecar.pid) for member in self.members]

    def cpu_percents(self, seconds):
        """CPU of each over that time, in per cent of one core."""
        before, began = self.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        after, spent = self.cpu_seconds(), time.monotonic() - began
        return [100 * (late - early) / spent for early, late in zip(before, after)]

    def memory(self):
        """Sums in MB, by kind of mapping, and of all; and the peak RSS of the one that had most."""
        pids = [member.sidecar.pid for member in self.members]
        return {"mappings": mappings.total([mappings.of(pid) for pid in pids]),
                "peak_rss_mb": max(kernel.status(pid, "VmHWM") for pid in pids)}

    def starts(self):
        return {"first_s": self.start_s[0], "median_s": statistics.median(self.start_s), "all_s": self.start_s[-1]}

    def stop(self):
        """Ends all: told first and waited for then, so that it takes as long as the slowest."""
        for member in self.members:
            if isinstance(member.sidecar, sidecars.Process):
                member.sidecar.process.terminate()
        for member in self.members:
            member.sidecar.stop()


def tail(file, size=300):
    return Path(file).read_text(errors="replace")[-size:].strip() if Path(file).exists() else ""

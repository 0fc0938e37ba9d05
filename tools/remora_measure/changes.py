"""Changes to a sidecar while it is under load: its configuration is reloaded, or another process takes over.

Nothing may be lost: neither on connections that stay, nor on new ones. What a change leaves behind would show in RSS, descriptors and threads, which are
sampled all along.
"""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import statistics
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .arms import Bench
from .conformance import growth, verdict
from .conformance.verdict import Row
from .errors import CouldNotRun
from .load import java_tools, newcomers, outcomes
from .machine import cores, kernel
from .systems import admin_pages, sidecars
from .systems.configurations import write_config

RELOAD, TAKEOVER = "reload", "takeover"
# Before the first change: what is compiled and loaded then is no change's. Less for a short run.
WARM_UP_S, WARM_UP_SHARE = 5.0, 0.25
# Time between the request for a load and its start.
LEAD_S = 0.1
RELOADS_A_MINUTE = 100
TAKEOVERS = 10
# One in so many reloads is of a configuration that must be refused.
BROKEN_EACH = 10
# A reload is in effect, a process has taken over and the one before it has ended, within these.
RELOAD_S, TAKEOVER_S = 10.0, 60.0
# A configuration of so many routes may take so long.
ROUTES, MOST_MS = 1000, 100
DONE_SHARE = 0.9
# A process is looked at over its last seconds, if it came to this share of the time between two takeovers.
AGES_S, OLD_SHARE = 3.0, 0.5
LEAST_DESCRIPTORS, LEAST_THREADS = 4, 1
MOST_REASONS = 10
POLL_S = 0.01


class Asked(NamedTuple):
    """A measurement: command, in which {config} stands for the configuration's path, takes the image's place. changes is how many there are to be; routes how many more
    than two a configuration has that is reloaded."""

    kind: str
    image: str
    seconds: float
    changes: int
    rate: float
    connections: int
    newcomers: float
    command: str | None = None
    routes: int = 0

    def period_s(self) -> float:
        return self.seconds / self.changes


class Failed(Exception):
    """A change that did not come about, and why."""


class Sampler(threading.Thread):
    """What the process that serves takes, each second, until over is set."""

    def __init__(self, changed: Changed) -> None:
        super().__init__(daemon=True)
        self.changed, self.samples, self.over = changed, list[dict[str, Any]](), threading.Event()

    def run(self) -> None:
        began = time.monotonic()
        while not self.over.wait(1):
            pid, now = self.changed.sidecar.pid, time.monotonic()
            with contextlib.suppress(OSError):  # it ends just now
                self.samples.append({"t_s": now - began, "pid": pid, "age_s": now - self.changed.born[pid], "rss_mb": kernel.status(pid, "VmRSS"),
                                     "descriptors": kernel.descriptors(pid), "threads": kernel.threads(pid)})


def by_process(samples: Sequence[Mapping[str, Any]], period_s: float, first: int) -> list[dict[str, Any]]:
    """A sample for each process but the first one, by its pid, which took over from nobody: what it took at the greatest age that all of them came to. One that was changed
    after less than half of its period is left out."""
    of_each: dict[int, list[Mapping[str, Any]]] = {}
    for one in samples:
        if one["pid"] != first:
            of_each.setdefault(one["pid"], []).append(one)
    old = {number: ones for number, ones in enumerate(of_each.values(), 1) if ones[-1]["age_s"] >= OLD_SHARE * period_s}
    age_s = min((ones[-1]["age_s"] for ones in old.values()), default=0.0)
    found = []
    for number, ones in old.items():
        there = [one for one in ones if age_s - AGES_S < one["age_s"] <= age_s]
        if there:
            found.append({"t_s": float(number), "age_s": age_s, **{key: statistics.median(one[key] for one in there) for key in ("rss_mb", "descriptors", "threads")}})
    return found


class Changed:
    """A sidecar that can be changed. Owner: one thread, but for sidecar, which is the one that serves."""

    def __init__(self, asked: Asked, bench: Bench, own_cores: set[int]) -> None:
        self.asked, self.bench, self.own_cores = asked, bench, own_cores
        self.config = bench.work / "sidecar.yaml"
        # of each that was made, in seconds; and when each process was started
        self.took, self.born = list[float](), dict[int, float]()
        self.number = 0

    def start(self, *words: str) -> sidecars.Sidecar:
        began = time.monotonic()
        with cores.kept_to(os.sched_getaffinity(0) | self.own_cores):
            sidecar = sidecars.start(self.asked.image, self.config, round(self.asked.rate), self.bench.java_home,
                                     self.bench.work / f"sidecar-{self.number}.log", sidecars.Given(words=words), self.asked.command)
        self.born[sidecar.pid] = began
        return sidecar

    def begin(self) -> None:
        self.publish()
        self.sidecar = self.start()
        sidecars.wait_until_it_answers(self.sidecar, self.bench.ports.front)
        self.place()

    def place(self) -> None:
        if self.own_cores:
            cores.move(self.sidecar.pid, self.own_cores)

    def publish(self) -> None:
        raise NotImplementedError

    def change(self) -> None:
        """Raises Failed."""
        raise NotImplementedError

    def growth_samples(self, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The samples that show whether something climbs."""
        return samples

    def end(self) -> None:
        self.sidecar.stop()


class Reloaded(Changed):
    """Two configurations in turn, by the admin listener and by a signal in turn; now and then one that must be refused."""

    def __init__(self, asked: Asked, bench: Bench, own_cores: set[int], spare: int) -> None:
        super().__init__(asked, bench, own_cores)
        routes = "\n".join(f"      - {{ match: {{ prefix: /route-{number} }}, cluster: app }}" for number in range(asked.routes))
        self.good = [write_config(f"reload/{name}.yaml", bench.work, bench.ports, spare=spare, routes=routes) for name in ("first", "second")]
        self.broken = write_config("reload/broken.yaml", bench.work, bench.ports)

    def publish(self, broken: bool = False) -> None:
        new = self.config.with_suffix(".new")
        shutil.copy(self.broken if broken else self.good[self.number % 2], new)
        os.replace(new, self.config)

    def change(self) -> None:
        self.number += 1
        began, before = time.monotonic(), generation(self.bench.ports.admin)
        if self.number % BROKEN_EACH == 0:
            self.publish(broken=True)
            if (status := post_reload(self.bench.ports.admin)) < 400:
                raise Failed(f"a configuration that is wrong was answered with {status}")
            if generation(self.bench.ports.admin) != before:
                raise Failed("a configuration that is wrong made another generation")
            return
        self.publish()
        if self.number % 4 < 2:
            os.kill(self.sidecar.pid, signal.SIGHUP)
        elif (status := post_reload(self.bench.ports.admin)) != 200:
            raise Failed(f"POST /reload was answered with {status}")
        while generation(self.bench.ports.admin) <= before:
            if time.monotonic() - began > RELOAD_S or not self.sidecar.alive():
                raise Failed(f"no new generation within {RELOAD_S:g} s")
            time.sleep(POLL_S)
        self.took.append(time.monotonic() - began)


class TakenOver(Changed):
    """One process takes over from another, again and again, each by the same configuration."""

    def publish(self) -> None:
        write_config("reload/takeover.yaml", self.bench.work, self.bench.ports).replace(self.config)

    def change(self) -> None:
        self.number += 1
        began, before, successor = time.monotonic(), self.sidecar, self.start("--takeover")
        while before.alive():
            if not successor.alive():
                raise Failed("the successor has ended: " + " ".join(successor.written().split())[-sidecars.LAST_WORDS:])
            if time.monotonic() - began > TAKEOVER_S:
                successor.stop()
                raise Failed(f"the one before it did not end within {TAKEOVER_S:g} s")
            time.sleep(POLL_S)
        self.sidecar = successor
        self.place()
        before.stop()
        self.took.append(time.monotonic() - began)

    def growth_samples(self, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return by_process(samples, self.asked.period_s(), next(iter(self.born)))


def generation(admin: int) -> int:
    """Of the configuration that is in effect."""
    found = re.search(r"generation\D{1,8}(\d+)", admin_pages.fetch(admin, "/config"))
    if not found:
        raise CouldNotRun("GET /config tells of no generation: this sidecar is not reloaded")
    return int(found.group(1))


def post_reload(admin: int) -> int:
    """The status. Raises Failed where there is none."""
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{admin}/reload", method="POST"), timeout=RELOAD_S) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code
    except OSError as why:
        raise Failed(f"POST /reload: {why!r}") from why


@contextlib.contextmanager
def under_load(asked: Asked, bench: Bench, result: dict[str, Any]) -> Iterator[None]:
    """Requests on connections that stay, and new connections with a request each; what became of them is in the result afterwards."""
    file = bench.work / "outcomes"
    with java_tools.OpenLoad(bench.java_home, bench.log) as load:
        load.begin(bench.ports.front, asked.rate, asked.connections, 4 * asked.connections, file)
        coming, began = newcomers.Newcomers(bench.ports.front, None, asked.newcomers), time.monotonic()
        try:
            yield
        finally:
            seconds = time.monotonic() - began - LEAD_S
            coming.end()
            load.end()
        found = outcomes.read(file)
        lost = [one for one in found if not one.is_good]
        result.update(seconds=seconds, requests=len(found), lost=len(lost), came=coming.served + coming.failed, came_lost=coming.failed,
                      reasons=[*(f"{time.strftime('%H:%M:%S', time.localtime(one.due))} {one.outcome}" for one in lost[:MOST_REASONS]), *coming.reasons])


def run(asked: Asked, bench: Bench, own_cores: set[int], spare: int) -> dict[str, Any]:
    """What was found. Raises CouldNotRun where the sidecar does not start, or cannot be changed at all."""
    changed = Reloaded(asked, bench, own_cores, spare) if asked.kind == RELOAD else TakenOver(asked, bench, own_cores)
    result: dict[str, Any] = {"failures": []}
    changed.begin()
    try:
        if asked.kind == RELOAD:
            generation(bench.ports.admin)
        sampler = Sampler(changed)
        with under_load(asked, bench, result):
            time.sleep(min(WARM_UP_S, WARM_UP_SHARE * asked.seconds))
            sampler.start()
            changes(changed, result["failures"])
            sampler.over.set()
        result.update(took_s=changed.took, samples=sampler.samples, growth_samples=changed.growth_samples(sampler.samples), alive=changed.sidecar.alive())
    finally:
        changed.end()
    return result


def changes(changed: Changed, failures: list[str]) -> None:
    """All of them, each at its time, or as soon as the one before it is over; a sidecar that has ended is changed no more."""
    began = time.monotonic()
    for number in range(changed.asked.changes):
        time.sleep(max(0.0, began + number * changed.asked.period_s() - time.monotonic()))
        if time.monotonic() - began > 2 * changed.asked.seconds + TAKEOVER_S or not changed.sidecar.alive():
            return
        try:
            changed.change()
        except (Failed, OSError) as why:
            failures.append(f"{time.strftime('%H:%M:%S')} {why}")
    time.sleep(max(0.0, began + changed.asked.seconds - time.monotonic()))


def judge(asked: Asked, found: Mapping[str, Any]) -> list[Row]:
    """Requests that were lost and changes that did not come about fail it, as does what climbs; a rate that was not kept is the host's."""
    took, samples = found["took_s"], found["growth_samples"]
    growth_row = growth.growth_row if asked.kind == RELOAD else growth.between_row
    wanted = asked.changes - (asked.changes // BROKEN_EACH if asked.kind == RELOAD else 0)
    answered = found["requests"] / found["seconds"]
    kept = answered >= asked.rate * (1 - verdict.RATE_DEVIATION)
    enough = len(took) >= DONE_SHARE * wanted
    rows = [
        # not the rate sent, whose name would excuse what a sidecar that hangs has lost
        Row("rate answered", answered, "rps", asked.rate, ">=", verdict.PASS if kept else verdict.INCONCLUSIVE, "within 1 %"),
        verdict.at_most("requests lost", found["lost"], "", 0, f"of {found['requests']:,} on connections that stay"),
        verdict.at_most("requests of newcomers lost", found["came_lost"], "", 0, f"of {found['came']:,}, each on a connection of its own"),
        verdict.at_most(f"{asked.kind}s that failed", len(found["failures"]), "", 0, "; ".join(found["failures"][:3])),
        Row(f"{asked.kind}s", len(took), "", wanted, ">=", verdict.PASS if enough else verdict.INCONCLUSIVE, "nine in ten at the least"),
        verdict.at_most(f"{asked.kind}, median", 1e3 * statistics.median(took) if took else None, "ms", MOST_MS if asked.routes >= ROUTES else None, "as whoever asks sees it"),
        verdict.at_most(f"slowest {asked.kind}", 1e3 * max(took) if took else None, "ms", None, "the same"),
        growth.rss_growth_row(samples) if asked.kind == RELOAD else growth.between_row("RSS growth", samples, "rss_mb", "MB", growth.RSS_GROWTH_MB),
        growth_row("growth of descriptors", samples, "descriptors", "", LEAST_DESCRIPTORS),
        growth_row("growth of threads", samples, "threads", "", LEAST_THREADS),
    ]
    return rows if found["alive"] else [*verdict.fault_rows("it has ended"), *rows]

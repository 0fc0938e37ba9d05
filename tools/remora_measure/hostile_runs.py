"""A sidecar under the smallest memory limit of a JVM profile that meets one kind of hostile peers, while a canary of another address asks it for
something."""
from __future__ import annotations

import json
import string
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import storms
from .errors import CouldNotRun, DidNotEnd
from .load.hostile_kinds import KINDS, Kind
from .machine import children, kernel, processes
from .profiles.flag_files import data_lines
from .repository import JVM_PROFILES
from .systems import admin_pages, certificates
from .systems.configurations import Ports, write_config

TABLE = JVM_PROFILES / "table"
PAGE_BYTES = 4096
CANARY_ADDRESS = "127.0.0.2"
CANARIES_A_SECOND = 20
# Where hosts have clusters of their own, canaries name another one each second, again from the first after so many.
CANARY_HOSTS = 10
WARM_REQUESTS = 100
POLL_S = 0.05
RECOVERY_S = 30.0
TALLY_S = 5.0
# Age in seconds, and more, from which memory held by one client makes room for others.
AGE_S = 2.0
MOST_ENDPOINTS, ENDPOINTS_S = 7_000, 30.0
REFUSALS = ("remora_memory_refused_total", "remora_memory_cut_total", "remora_memory_yielded_total", "remora_memory_connections_shed_total",
            "remora_memory_handshakes_cut_total")


class Profile(NamedTuple):
    """A JVM profile on an image, with the rate by which a launcher picks it and the least memory under which it starts."""

    image: str
    name: str
    rps: int
    limit: int


def profiles(image: str, table: Path = TABLE) -> list[Profile]:
    """The measured profiles of an image. Raises CouldNotRun where there are none."""
    rows = (line.split(maxsplit=5)[:5] for line in data_lines(table))
    found = [Profile(image, name, int(rps), -(-int(needed) // PAGE_BYTES) * PAGE_BYTES)
             for of, name, rps, _, needed in rows if of == image and name != "-" and int(needed)]
    if not found:
        raise CouldNotRun(f"no profile was measured on image {image}")
    return found


class Places(NamedTuple):
    """Where everything of a run listens, and where its files are."""

    ports: Ports
    hostile: int
    dns: int
    work: Path


def places(work: Path) -> Places:
    front, backend, admin, hostile, dns = processes.free_ports(5)
    return Places(Ports(front, backend, admin), hostile, dns, work)


def configure(kind: Kind, at: Places) -> certificates.Tls | None:
    """Writes the files that a sidecar needs for a kind, and returns the certificates that the canary needs, if any."""
    lines = {key: filled(getattr(kind, key), at) for key in ("listener", "route", "app")}
    write_config("hostile/remora.yaml", at.work, at.ports, **lines)
    list_endpoints(at.work, MOST_ENDPOINTS)
    return certificates.make(certificates.TLS, at.work) if kind.tls else None


def list_endpoints(work: Path, count: int) -> None:
    text = "".join(f"- 127.1.{number // 250}.{1 + number % 250}:80\n" for number in range(count))
    # at once, as it is read at any moment
    (work / "endpoints.new").write_text(text)
    (work / "endpoints.new").rename(work / "endpoints.yaml")


def fit_endpoints(proxy: storms.Process, at: Places) -> int:
    """The number of endpoints that a sidecar takes, which refuses those that its heap has no room for; 0 where it takes none, or has ended."""
    count, began = MOST_ENDPOINTS, time.monotonic()
    while time.monotonic() - began < ENDPOINTS_S and proxy.alive():
        lines = "\n".join(line for line in page(at.ports.admin, "/clusters").splitlines() if line.startswith("app "))
        if f" known={count} " in lines and "problem=" not in lines:
            return count
        if f"no room for {count} endpoints" in lines:
            count //= 2
            list_endpoints(at.work, count)
        time.sleep(POLL_S)
    return 0


def page(admin: int, path: str) -> str:
    """Empty where the sidecar does not answer."""
    try:
        return admin_pages.fetch(admin, path)
    except OSError:
        return ""


def filled(line: str, at: Places) -> str:
    return string.Template(line).substitute(at.ports._asdict(), hostile=at.hostile, dns=at.dns, work=at.work)


def measure(name: str, profile: Profile, seconds: float, work: Path) -> dict[str, Any]:
    """A row of figures: a sidecar that is started for it, the attack, and what is left afterwards. work/proxy.log has what the sidecar wrote."""
    kind, at = KINDS[name], places(work)
    tls = configure(kind, at)
    backend = storms.crowd("backend", 0, at.ports.backend)
    try:
        processes.wait_for(at.ports.backend, process=backend)
        try:
            proxy = started(profile, at)
        except storms.DidNotStart as failed:
            return judged(kind, {"started": False, "exit_status": failed.status, "why": str(failed)})
        try:
            found = attacked(name, proxy, at, tls, seconds)
        finally:
            proxy.end()
        # of one that has survived, what it said to SIGTERM
        return judged(kind, {**found, "limit": proxy.group.limit, "exit_status": proxy.process.returncode})
    finally:
        storms.stop_all([backend])


def started(profile: Profile, at: Places) -> storms.Process:
    """A sidecar under the least limit at which it takes this configuration, which may ask for more than the profile does. Raises DidNotStart."""
    for limit in range(profile.limit, profile.limit + storms.MOST_MORE_BYTES, storms.MORE_BYTES):
        try:
            return storms.Process(profile.image, limit, at.work, at.ports, variables={"REMORA_RPS": str(profile.rps)})
        except storms.DidNotStart as failed:
            if failed.status != storms.UNFIT:
                raise
            last = failed
    raise last


def canary_of(kind: Kind, at: Places, tls: certificates.Tls | None) -> storms.Canary:
    template = kind.canary_host and filled(kind.canary_host, at)
    hosts = [template.replace("%d", str(number)) for number in range(CANARY_HOSTS) for _ in range(CANARIES_A_SECOND)] if template else []
    return storms.Canary(at.ports.front, storms.Front(tls), CANARY_ADDRESS, CANARIES_A_SECOND, path_of(kind), hosts)


def path_of(kind: Kind) -> str:
    """A canary's path: that of the route for canaries, unless their hosts choose the cluster."""
    return "/body" if kind.canary_host else "/canary"


def attacked(name: str, proxy: storms.Process, at: Places, tls: certificates.Tls | None, seconds: float) -> dict[str, Any]:
    kind, pid = KINDS[name], proxy.pid()
    endpoints = fit_endpoints(proxy, at) if kind.to_admin else 0
    warm = storms.Canary(at.ports.front, storms.Front(tls), CANARY_ADDRESS, path=path_of(kind), hosts=[f"canary.test:{at.ports.backend}"])
    for _ in range(WARM_REQUESTS):
        warm.ask()
    canary = canary_of(kind, at, tls)
    target = at.ports.admin if kind.to_admin else at.ports.front
    command = [sys.executable, "-m", "remora_measure.load.hostile", name, str(target), str(at.hostile), str(at.dns)]
    attack = children.start(command, stdout=subprocess.PIPE, text=True)
    rss = 0.0
    try:
        processes.wait_for(at.hostile, process=attack)
        canary.start()
        began = time.monotonic()
        while time.monotonic() - began < seconds and proxy.alive():
            rss = max(rss, peak_rss(pid))
            time.sleep(POLL_S)
    finally:
        tally = ended(attack)
    over = time.monotonic()
    recovered = recovery(proxy, canary, over)
    canary.over.set()
    time.sleep(storms.CANARY_S + 0.1)
    during = [(at_, status) for at_, status in canary.results if at_ < over]
    return {"started": True, "survived": proxy.alive(), "killed": proxy.group.kills() > 0, "out_of_memory": "OutOfMemory" in proxy.written(),
            "recovered_s": recovered, "rss_mb": max(rss, peak_rss(pid)), **told([status for _, status in during], canary.took),
            "settled_ok_percent": share([status for at_, status in during if at_ - began > AGE_S], (200,)),
            "refused": refused(at.ports.admin) if proxy.alive() else None, "attack": {**tally, "endpoints": endpoints}}


def ended(attack: subprocess.Popen) -> dict[str, int]:
    """The count that the attackers keep of what they did; empty where they do not print it."""
    attack.terminate()
    try:
        return json.loads(children.finish(attack, TALLY_S, "attack")[0])
    except (DidNotEnd, ValueError):
        return {}


def recovery(proxy: storms.Process, canary: storms.Canary, over: float) -> float | None:
    """Seconds until a canary is served again; None where none is in time."""
    while time.monotonic() - over < RECOVERY_S and proxy.alive():
        if canary.ask() == 200:
            return time.monotonic() - over
        time.sleep(POLL_S)
    return None


def peak_rss(pid: int) -> float:
    """The peak RSS in MB; 0 where the process has ended."""
    try:
        return kernel.status(pid, "VmHWM")
    except OSError:
        return 0.0


def refused(admin: int) -> dict[str, float] | None:
    """Counts of what a sidecar has refused or cut, by metric; None where it does not answer."""
    text = page(admin, "/metrics")
    return {name: admin_pages.total(text, name) or 0.0 for name in REFUSALS} if text else None


def told(statuses: Sequence[int], took: Sequence[float]) -> dict[str, Any]:
    """Counts of the canaries that were served, refused and neither, and the p99 of those that were answered."""
    ok, busy = (statuses.count(status) for status in (200, 503))
    p99 = sorted(took)[-(-99 * len(took) // 100) - 1] * 1e3 if took else None
    return {"ok": ok, "busy": busy, "failed": len(statuses) - ok - busy, "p99_ms": p99, "answered_percent": share(statuses, (200, 503))}


def share(statuses: Sequence[int], good: Sequence[int]) -> float:
    return 100 * sum(status in good for status in statuses) / max(1, len(statuses))


def judged(kind: Kind, row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "broken": list(broken(kind, row)), "late": list(late(row))}


def broken(kind: Kind, row: dict[str, Any]) -> Iterator[str]:
    """The bars that a sidecar has missed by ending, by never serving again, or by serving nobody else; no other work on the machine excuses that."""
    if not row["started"]:
        yield row["why"]
        return
    if not row["survived"]:
        yield "ended"
    if row["killed"]:
        yield "killed by the kernel"
    if row["out_of_memory"]:
        yield "OutOfMemoryError"
    if row["survived"] and row["exit_status"]:
        yield f"status {row['exit_status']} on SIGTERM"
    if row["survived"] and row["recovered_s"] is None:
        yield f"no 200 within {RECOVERY_S:.0f} s of its end"
    if row["survived"] and not came_through(kind, row):
        yield "nothing of the attack came through"
    if kind.others_served and row["settled_ok_percent"] < storms.ANSWERED_PERCENT:
        yield f"{row['settled_ok_percent']:.0f} % of the canaries served"


def came_through(kind: Kind, row: dict[str, Any]) -> bool:
    needed = ["connections"] + ["asked"] * kind.passes + ["endpoints"] * kind.to_admin
    return all(row["attack"].get(key) for key in needed)


def late(row: dict[str, Any]) -> Iterator[str]:
    """The bars of time, which other work on the machine can have it miss."""
    if not row["started"] or not row["survived"]:
        return
    if row["answered_percent"] < storms.ANSWERED_PERCENT:
        yield f"{row['answered_percent']:.0f} % of the canaries answered"
    if (row["recovered_s"] or 0) > storms.RECOVERY_S:
        yield f"200 again after {row['recovered_s']:.1f} s"

"""Observers of a sidecar that is measured: a viewer of the dashboard, profiles, and flight recordings.

An observer is a context: it has begun when the context is entered, and ends with it. It raises RequestsFailed if the sidecar did not serve it.
"""
import contextlib
import functools
import http.client
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import RequestsFailed
from ..machine import children, processes
from . import flight_settings

SETTINGS = ("remora", "default", "profile")
# Its arguments are a sidecar, and the seconds that the observer has to last at least.
Observer = Callable[..., contextlib.AbstractContextManager[None]]


class Observed(NamedTuple):
    """A sidecar: the port of its admin listener, its process, and a folder for what an observer writes."""

    admin: int
    pid: int
    work: Path


@contextlib.contextmanager
def nothing(_sidecar: Observed, _seconds: float) -> Iterator[None]:
    yield


@contextlib.contextmanager
def dashboard(sidecar: Observed, _seconds: float) -> Iterator[None]:
    """One viewer, whose events have to come."""
    with curl(sidecar.work, "--max-time", "600", f"http://127.0.0.1:{sidecar.admin}/dashboard/events") as viewer:
        yield
        if viewer.poll() is not None:
            raise RequestsFailed(f"the dashboard ended with status {viewer.returncode}")


def answered(path: str, unit: str = "s", expected: str = "") -> Observer:
    """An observer by a response that lasts for longer than the window, and has to come to its end. The path ends before the number of its duration."""
    page = path.partition("?")[0]

    @contextlib.contextmanager
    def observed(sidecar: Observed, seconds: float) -> Iterator[None]:
        with curl(sidecar.work, "--request", "POST", f"http://127.0.0.1:{sidecar.admin}{path}{int(seconds) + 1}{unit}") as response:
            yield
            children.finish(response, seconds, page)
            body = (sidecar.work / "observed").read_bytes()
            if response.returncode or not body or expected.encode() not in body:
                raise RequestsFailed(f"{page} ended with status {response.returncode}")

    return observed


@contextlib.contextmanager
def curl(work: Path, *words: str) -> Iterator[Any]:
    process = children.start(["curl", "--silent", "--fail", "--no-buffer", "--output", work / "observed", *words])
    try:
        yield process
    finally:
        children.kill(process)


def recording(settings: str) -> Observer:
    @contextlib.contextmanager
    def recorded(sidecar: Observed, _seconds: float) -> Iterator[None]:
        post(sidecar.admin, f"/recording/start?settings={settings}")
        yield
        post(sidecar.admin, "/recording/discard")

    return recorded


def post(admin: int, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=30)
    with contextlib.closing(connection):
        connection.request("POST", path)
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    if response.status != 200:
        raise RequestsFailed(f"{path}: {response.status} {text.strip()}")


def recording_of(make: Callable[[], str]) -> Observer:
    """An observer that records with the settings of a file. Only the JVM's own commands take one."""
    @contextlib.contextmanager
    def recorded(sidecar: Observed, _seconds: float) -> Iterator[None]:
        settings = sidecar.work / "observed.jfc"
        settings.write_text(make())
        jcmd("Started recording", sidecar.pid, "JFR.start", "name=observed", f"settings={settings}")
        yield
        jcmd("Stopped recording", sidecar.pid, "JFR.stop", "name=observed")

    return recorded


def jcmd(expected: str, pid: int, *words: str) -> None:
    """Has the JVM run a command, whose exit status is 0 even if the JVM refuses it."""
    done = children.run([Path(processes.default_java_home()) / "bin/jcmd", str(pid), *words], 30, capture_output=True, text=True)
    if done.returncode or expected not in done.stdout:
        raise RequestsFailed(f"{words[0]}: {(done.stderr or done.stdout).strip()}")


OBSERVERS: Mapping[str, Observer] = {
    "nothing": nothing, "dashboard": dashboard, "profile": answered("/profile?seconds=", unit=""),
    "profile-kernel": answered("/profile?kind=kernel&seconds=", unit="", expected=";[kernel]_[k];"),
    "long-turns": answered("/long-turns?duration=", expected=" of 50ms or more in "), "recording-stream": answered("/recording/stream?duration="),
    **{f"recording-{name}": recording(name) for name in SETTINGS},
    **{f"recording-{group}": recording_of(functools.partial(flight_settings.of_group, group)) for group in flight_settings.GROUPS},
    **{f"allocations-{rate}": recording_of(functools.partial(flight_settings.of_allocations, rate)) for rate in flight_settings.RATES},
    "allocations-tlab": recording_of(flight_settings.of_tlabs)}

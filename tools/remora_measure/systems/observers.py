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


@contextlib.contextmanager
def profile(sidecar: Observed, seconds: float) -> Iterator[None]:
    """A CPU profile that is longer than the window, and has to be whole."""
    with curl(sidecar.work, "--request", "POST", f"http://127.0.0.1:{sidecar.admin}/profile?seconds={int(seconds) + 1}") as taken:
        yield
        children.finish(taken, seconds, "profile")
        if taken.returncode or not (sidecar.work / "observed").stat().st_size:
            raise RequestsFailed(f"the profile ended with status {taken.returncode}")


@contextlib.contextmanager
def long_turns(sidecar: Observed, seconds: float) -> Iterator[None]:
    """A watch of the event loops that is longer than the window, and has to come to its end."""
    with curl(sidecar.work, "--request", "POST", f"http://127.0.0.1:{sidecar.admin}/long-turns?duration={int(seconds) + 1}s") as watched:
        yield
        children.finish(watched, seconds, "long-turns")
        if watched.returncode or " of 50ms or more in " not in (sidecar.work / "observed").read_text():
            raise RequestsFailed(f"the watch of long turns ended with status {watched.returncode}")


@contextlib.contextmanager
def recording_stream(sidecar: Observed, seconds: float) -> Iterator[None]:
    """A live stream of the flight recorder's events that is longer than the window, and has to come to its end."""
    with curl(sidecar.work, "--request", "POST", f"http://127.0.0.1:{sidecar.admin}/recording/stream?duration={int(seconds) + 1}s") as streamed:
        yield
        children.finish(streamed, seconds, "recording-stream")
        if streamed.returncode or not (sidecar.work / "observed").stat().st_size:
            raise RequestsFailed(f"the stream of events ended with status {streamed.returncode}")


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
    "nothing": nothing, "dashboard": dashboard, "profile": profile, "long-turns": long_turns, "recording-stream": recording_stream,
    **{f"recording-{name}": recording(name) for name in SETTINGS},
    **{f"recording-{group}": recording_of(functools.partial(flight_settings.of_group, group)) for group in flight_settings.GROUPS},
    **{f"allocations-{rate}": recording_of(functools.partial(flight_settings.of_allocations, rate)) for rate in flight_settings.RATES},
    "allocations-tlab": recording_of(flight_settings.of_tlabs)}

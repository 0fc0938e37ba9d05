"""Packet captures of the loopback interface, and the time in a proxy as the wire saw it.

An exchange is found by its X-Probe field. Its time in the proxy is request packet in to request packet out, plus first
response packet in to first response packet out, so that kernel queues, collections and a busy loop all count.
"""
import math
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..machine import children
from ..systems.configurations import Ports

# A capture of more exchanges would fill the disk and take long to read.
MOST_EXCHANGES = 100_000
# tcpdump drops packets in stalls, so a capture with gaps flatters.
LEAST_CAPTURED = 0.95
# Time in which it says that it listens, or why it does not.
START_S = 20.0
SYN, SYN_AND_ACK = 0x02, 0x12
SHARES = {"p50_us": 0.5, "p90_us": 0.9, "p99_us": 0.99, "p999_us": 0.999}


def start(target: Path, log: BinaryIO, ports: Ports) -> subprocess.Popen | None:
    """A capture of both sides of the proxy that has begun; None where there is no tcpdump, or it may not."""
    return capture(target, log, "lo", f"tcp and (port {ports.front} or port {ports.backend})")


def capture(target: Path, log: BinaryIO, interface: str, expression: str) -> subprocess.Popen | None:
    """The first 400 bytes of each such packet."""
    if not shutil.which("tcpdump"):
        return None
    try:
        process = children.start(["tcpdump", "-i", interface, "-s", "400", "-B", "16384", "-w", target, "-Z", "root", expression], stderr=subprocess.PIPE)
    except PermissionError as refused:  # its file has a capability that this container may not have
        log.write(f"{refused}\n".encode())
        return None
    assert process.stderr
    try:
        lines = children.Lines(process.stderr)
        while (line := lines.next(START_S)) not in (None, children.END):
            log.write(f"{line}\n".encode())
            if "listening on" in line:
                return process
    except BaseException:
        children.stop(process)
        raise
    children.stop(process)
    return None


class Segment(NamedTuple):
    """A TCP segment. at is in seconds since 1970; the payload may be cut, has_payload is not."""

    at: float
    source: int
    destination: int
    number: int
    opens: bool
    has_payload: bool
    payload: bytes


def packets(path: Path) -> Iterator[tuple[float, int, int, bytes]]:
    """Yields (time in s, source port, destination port, payload) of each TCP segment with a payload."""
    return ((one.at, one.source, one.destination, one.payload) for one in segments(path) if one.has_payload)


def segments(path: Path) -> Iterator[Segment]:
    with open(path, "rb") as capture:
        header = capture.read(24)
        magic = struct.unpack("<I", header[:4])[0]
        scale = 1e-9 if magic == 0xA1B23C4D else 1e-6
        link = struct.unpack("<I", header[20:24])[0]
        offset = {1: 14, 113: 16, 276: 20}[link]
        while True:
            record = capture.read(16)
            if len(record) < 16:
                return
            seconds, fraction, captured, _ = struct.unpack("<IIII", record)
            frame = capture.read(captured)[offset:]
            if not frame or frame[0] >> 4 != 4 or frame[9] != 6:
                continue
            tcp = frame[(frame[0] & 15) * 4 :]
            total = struct.unpack(">H", frame[2:4])[0]
            length = total - (frame[0] & 15) * 4 - (tcp[12] >> 4) * 4
            source, destination, number = struct.unpack(">HHI", tcp[:8])
            opens = tcp[13] & SYN_AND_ACK == SYN
            yield Segment(seconds + fraction * scale, source, destination, number, opens, length > 0, tcp[(tcp[12] >> 4) * 4 :])


def probe_id(payload: bytes) -> bytes | None:
    """The value of the X-Probe field; None where there is none, or it is cut."""
    at = payload.lower().find(b"x-probe: ")
    end = payload.find(b"\r", at)
    return None if at < 0 or end < 0 else payload[at + 9 : end]


def times(path: Path, proxy: int, backend: int) -> list[float]:
    """The times in the proxy in us, sorted; proxy and backend are ports."""
    arrived: dict[bytes, tuple[float, int]] = {}
    waiting_backend: dict[int, tuple[float, int]] = {}
    waiting_client: dict[int, tuple[float, float]] = {}
    done = []
    for at, source, destination, payload in packets(path):
        if destination == proxy:
            name = probe_id(payload)
            if name:
                arrived[name] = (at, source)
        elif destination == backend:
            name = probe_id(payload)
            if name and name in arrived:
                came, client = arrived.pop(name)
                waiting_backend[source] = (at - came, client)
        elif source == backend and destination in waiting_backend:
            spent, client = waiting_backend.pop(destination)
            waiting_client[client] = (spent, at)
        elif source == proxy and destination in waiting_client:
            spent, came = waiting_client.pop(destination)
            done.append((spent + at - came) * 1e6)
    return sorted(done)


def read(path: Path, ports: Ports, expected: float) -> tuple[dict[str, Any] | None, int]:
    """(the summary of a capture, how many exchanges it has); the summary is None where it has too few of those that were expected."""
    values = times(path, ports.front, ports.backend)
    return summary(values) if values and len(values) >= LEAST_CAPTURED * expected else None, len(values)


def percentile(values: Sequence[float], share: float) -> float:
    """Of sorted values."""
    return values[max(0, math.ceil(round(share * len(values), 6)) - 1)]


def summary(values: Sequence[float]) -> dict[str, Any]:
    """Count, percentiles and curve of sorted values in us, in the shape that the histograms have."""
    shares, left = [0.0], 1.0
    while left * len(values) >= 1:
        shares += [1 - left * step for step in (1, 0.9, 0.8, 0.7, 0.6)]
        left /= 2
    curve = [[100 * share, percentile(values, share)] for share in sorted(set(shares))] + [[100.0, values[-1]]]
    named = {name: percentile(values, share) for name, share in SHARES.items()}
    return {"count": len(values), **named, "max_us": values[-1], "curve": curve}


def difference(through: dict[str, Any], direct: dict[str, Any]) -> dict[str, Any]:
    """Percentile by percentile, what one of two such summaries has more."""
    def at(percentile: float) -> float:
        before, after = [0.0, 0.0], [100.0, direct["max_us"]]
        for point in direct["curve"]:
            if point[0] <= percentile:
                before = point
            else:
                after = point
                break
        span = after[0] - before[0]
        return before[1] + (after[1] - before[1]) * ((percentile - before[0]) / span if span > 0 and percentile < 100 else 0.0)

    curve = [[percentile, value - at(percentile)] for percentile, value in through["curve"]]
    return {"count": through["count"], **{key: through[key] - direct[key] for key in (*SHARES, "max_us")}, "curve": curve}

"""What a proxy sends to each of its endpoints, as a packet capture on this machine sees it: also what no endpoint gets, because it is gone.

An attempt is a request's first segment, or a connection that was begun and never carried a request. A segment that is sent again, because
nobody acknowledged it, is no other attempt; neither are requests for other paths, such as those of health checks.
"""
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import CouldNotRun
from . import packet_capture

GET = 0x47455420
PATH = b"GET /body "


class Attempt(NamedTuple):
    """at is in seconds since 1970. Without a request it is a connection only."""

    at: float
    port: int
    is_request: bool


def start(target: Path, log: BinaryIO, ports: Iterable[int]) -> subprocess.Popen:
    """A capture of the packets to these ports, by any device. Raises CouldNotRun."""
    to_them = " or ".join(f"dst port {port}" for port in ports)
    process = packet_capture.capture(target, log, "any", f"tcp and ({to_them}) and "
                                     f"(tcp[tcpflags] & tcp-syn != 0 or tcp[((tcp[12:1] & 0xf0) >> 2):4] = {GET:#x})")
    if process is None:
        raise CouldNotRun("no capture of packets: apt-get install tcpdump, and be root")
    return process


def read(path: Path, ports: Collection[int]) -> list[Attempt]:
    """In the order of time."""
    return sorted(attempts(packet_capture.segments(path), ports))


def attempts(segments: Iterable[packet_capture.Segment], ports: Collection[int]) -> list[Attempt]:
    found: list[Attempt] = []
    # by both ports: the numbers of what was opened, and of the last request
    opening: dict[tuple[int, int], tuple[int, float]] = {}
    requested: dict[tuple[int, int], int] = {}
    for one in segments:
        if one.destination not in ports:
            continue
        ends = (one.source, one.destination)
        if one.opens:
            number, at = opening.get(ends, (None, 0.0))
            if number is None or number != one.number:
                if number is not None:  # the port was taken again
                    found.append(Attempt(at, one.destination, False))
                opening[ends] = (one.number, one.at)
                requested.pop(ends, None)
        elif one.has_payload and requested.get(ends) != one.number:
            requested[ends] = one.number
            opening.pop(ends, None)
            if one.payload.startswith(PATH):
                found.append(Attempt(one.at, one.destination, True))
    return found + [Attempt(at, port, False) for (_, port), (_, at) in opening.items()]

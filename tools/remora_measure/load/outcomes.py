"""What became of each request of an open loop, as its client wrote it down."""
from pathlib import Path
from typing import NamedTuple


class Request(NamedTuple):
    """due is in seconds since 1970, the others are in seconds; server is the one that answered, "-" for none."""

    due: float
    late: float
    latency: float
    outcome: str
    server: str

    @property
    def is_good(self) -> bool:
        return self.outcome.startswith("2")


def read(file: Path) -> list[Request]:
    """In the order in which they were due."""
    found = []
    for line in file.read_text().splitlines():
        due, late, latency, outcome, server = line.split(" ")
        found.append(Request(int(due) / 1e6, int(late) / 1e6, int(latency) / 1e6, outcome, server))
    return sorted(found)

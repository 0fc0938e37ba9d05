"""Writes the measured peaks of memory into the file by which profiles are offered and memory limits are judged."""
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..profiles.flag_files import flavours
from ..repository import JVM_PROFILES
from .effects import Record
from .runner import on_file

TARGET = JVM_PROFILES / "peaks"
HEADER = """# The most memory (peak RSS, bytes) that each profile was seen to take on an image at its rate. A profile without a row is not offered.
# image profile rps peak-bytes
"""
STEP_BYTES = 100_000


def rate_of(profile: str) -> int:
    """1,000 for rps-1000 and finagle-rps-1000."""
    return int(profile.rpartition("-")[2])


def measured(records: Iterable[Record]) -> dict[tuple[str, str], int]:
    """The highest peak of each profile as it is, scrapes included, by image and profile."""
    found: dict[tuple[str, str], int] = {}
    for record in records:
        image, profile, rate = record["identity"][0], record["identity"][1], record["identity"][3]
        own_rate = rate in (0, rate_of(profile)) if profile else False
        if not record["against"] and own_rate and "rss_scraped_mb" in record and image in flavours():
            peak = math.ceil(record["rss_scraped_mb"] * 1e6 / STEP_BYTES) * STEP_BYTES
            found[image, profile] = max(peak, found.get((image, profile), 0))
    return found


def merged(text: str, found: Mapping[tuple[str, str], int]) -> tuple[str, list[str]]:
    """The rows of the file as it is, with what was measured; rows without a measurement stay, and are returned apart."""
    rows: dict[tuple[str, str], int] = {}
    stale = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            image, profile, _, peak = line.split()
            rows[image, profile] = int(peak)
    for key in rows:
        if key not in found:
            stale.append(" ".join(key))
    rows.update(found)
    order = list(flavours())
    lines = [f"{image} {profile} {rate_of(profile)} {rows[image, profile]}"
             for image, profile in sorted(rows, key=lambda key: (order.index(key[0]), rate_of(key[1])))]
    return HEADER + "\n".join(lines) + "\n", stale


def write(results: Path) -> None:
    """Writes the file again from the results on file."""
    records = [record for path in sorted(results.glob("*.jsonl")) for record in on_file(path.stem, results)]
    text, stale = merged(TARGET.read_text(), measured(records))
    TARGET.write_text(text)
    print(f"wrote {TARGET}")
    for row in stale:
        print(f"not measured, left as it was: {row}")

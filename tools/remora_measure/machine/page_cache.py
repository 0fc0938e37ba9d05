"""The kernel's cache of files."""
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

DROP = Path("/proc/sys/vm/drop_caches")
# The kernel's word for dropping pages, names and inodes.
ALL = "3"


def evict(place: Path) -> bool:
    """Drops a file, or all files below a folder, from it, so that the next process that reads them is charged for them. A page that a process maps stays. Returns
    false where a file or a folder is not there or may not be read by this user, which leaves it out."""
    refused: list[OSError] = []
    for file in files_below(place, refused):
        try:
            descriptor = os.open(file, os.O_RDONLY)
        except OSError as why:
            refused.append(why)
            continue
        try:
            # a dirty page would stay
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
    return not refused


def files_below(place: Path, refused: list[OSError]) -> Iterator[Path]:
    """The regular files below a folder without its links, or the one file that a path leads to. refused receives why a folder cannot be read."""
    if not place.is_dir():
        yield place.resolve()
        return
    for folder, _, names in os.walk(place, onerror=refused.append):
        yield from (file for name in names if not (file := Path(folder, name)).is_symlink() and file.is_file())


def evict_each(places: Sequence[Path]) -> bool:
    """Evicts several; true where there are any and nothing was left out."""
    return bool(places) and all([evict(place) for place in places])


def drop_all() -> bool:
    """Drops all files of the machine from it, and returns true; false where this user is not root. A page that a process maps stays."""
    if not os.access(DROP, os.W_OK):
        return False
    os.sync()
    try:
        DROP.write_text(ALL)
    except OSError:
        return False
    return True

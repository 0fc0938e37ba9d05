"""The kernel's cache of files."""
import os
from pathlib import Path

DROP = Path("/proc/sys/vm/drop_caches")
# Of pages, and of names and inodes.
ALL = "3"


def evict(place: Path) -> None:
    """Drops a file, or all files below a folder, from it, so that the next process that reads them is charged for them. A page that a process maps stays."""
    for file in place.rglob("*") if place.is_dir() else (place.resolve(),):
        if file.is_file() and not file.is_symlink():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                # a dirty page would stay
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def drop_all() -> bool:
    """Drops all files of the machine from it, and returns true; false where this user is not root. A page that a process maps stays."""
    os.sync()
    try:
        DROP.write_text(ALL)
    except OSError:
        return False
    return True

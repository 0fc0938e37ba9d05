"""The kernel's cache of files."""
import os
from pathlib import Path


def evict(folder: Path) -> None:
    """Drops all files below a folder from it, so that the next process that reads them is charged for them. A page that a process maps stays."""
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                # a dirty page would stay
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)

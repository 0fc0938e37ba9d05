"""A planted fault: a sidecar that keeps its RSS low by inflating its working set.

    python inflating_sidecar.py FILE COMMAND...

It maps a file of its own part by part, reads each page and unmaps it. The pages stay active in the kernel's cache, charged to its cgroup and mapped by no
process. Then it becomes the command.
"""
import mmap
import os
import sys
from pathlib import Path

PROGRAM = Path(__file__)
INFLATED_BYTES = 96 << 20
PART_BYTES = 1 << 20
# A page that is accessed once is still inactive.
TIMES = 3


def inflate(file):
    with open(file, "wb") as written:
        for _ in range(INFLATED_BYTES // PART_BYTES):
            written.write(b"x" * PART_BYTES)
        written.flush()
        # a dirty page would be private
        os.fsync(written.fileno())
        # the multi-generational LRU takes a page for active that a fault has read
        os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with open(file, "rb") as read:
        for _ in range(TIMES):
            for begin in range(0, INFLATED_BYTES, PART_BYTES):
                with mmap.mmap(read.fileno(), PART_BYTES, prot=mmap.PROT_READ, offset=begin) as part:
                    for page in range(0, PART_BYTES, mmap.PAGESIZE):
                        part[page]


if __name__ == "__main__":
    inflate(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])

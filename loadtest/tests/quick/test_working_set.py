"""The working set of a cgroup, and the private memory of a process, as the kernel's files have them."""
import contextlib
import mmap
import os
import resource
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from remora_measure.errors import CouldNotRun
from remora_measure.machine import cgroups, mappings, page_cache
from remora_measure.programs import working_set
from .test_density import SMAPS

# of version 1 the lines without "total_" leave out what is below
FIRST = """cache 1
rss 1
active_file 1
inactive_file 1
total_cache 23003136
total_rss 15065088
total_inactive_anon 15060992
total_inactive_file 8052736
total_active_file 14700544
"""
SECOND = """anon 15065088
file 23003136
kernel 1601536
inactive_anon 15060992
inactive_file 8052736
active_file 14700544
pgmajfault 7
"""
FILES = {True: {"memory.usage_in_bytes": "38752736\n", "memory.stat": FIRST}, False: {"memory.current": "38752736\n", "memory.stat": SECOND}}


class WorkingSet(unittest.TestCase):
    def test_is_what_is_charged_less_inactive_file_pages(self):
        for first, files in FILES.items():
            with self.subTest(first=first), tempfile.TemporaryDirectory() as directory:
                for name, text in files.items():
                    (Path(directory) / name).write_text(text)
                self.assertEqual(cgroups.Group(Path(directory), first, 1 << 30).parts(),
                                 {"working_set_mb": 30.7, "group_anon_mb": 15.065088, "active_file_mb": 14.700544})

    def test_needs_root(self):
        with unittest.mock.patch("os.geteuid", return_value=1000), self.assertRaisesRegex(CouldNotRun, "memory cgroup"):
            working_set.run(working_set.read_arguments([]))

    def test_the_table_has_medians_and_ranges(self):
        rows = [{"cgroup": 2, **{figure.key: value for figure in working_set.FIGURES}} for value in (16.0, 16.1, 30.7)]
        table = working_set.table({"amd64-c1": rows, "i386-client": []})
        self.assertIn("| amd64-c1 | 16.1 (16.0 .. 30.7) |", table)
        self.assertIn("Memory cgroup of version 2", table)


class Private(unittest.TestCase):
    def test_is_what_is_anonymous_and_what_was_written_to(self):
        self.assertAlmostEqual((100 + 2000 + 4000 + 10) * 1024 / 1e6, mappings.parse_private(SMAPS))
        dirty = SMAPS + "d0000000-d0001000 rw-s 00000000 fe:00 125   /tmp/shared\nRss:  8 kB\nPrivate_Dirty:  8 kB\nAnonymous:  0 kB\n"
        self.assertAlmostEqual((6110 + 8) * 1024 / 1e6, mappings.parse_private(dirty))

    def test_grows_with_what_this_process_writes(self):
        before = mappings.private_mb(os.getpid())
        with mmap.mmap(-1, 16 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as written:
            written.write(b"x" * len(written))
            self.assertAlmostEqual(mappings.private_mb(os.getpid()) - before, (16 << 20) / 1e6, delta=1)


class Cache(unittest.TestCase):
    def test_what_is_evicted_is_read_again(self):
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
            file = Path(directory) / "written"
            file.write_bytes(b"x" * (4 << 20))
            before = input_blocks()
            file.read_bytes()
            self.assertEqual(input_blocks(), before)
            self.assertTrue(page_cache.evict(Path(directory)))
            file.read_bytes()
            self.assertGreaterEqual(input_blocks() - before, (4 << 20) // 512)


    def test_what_may_not_be_read_is_left_out_and_told(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory)
            folder.chmod(0o755)
            for name in ("1", "2", "3"):
                (folder / name).write_bytes(b"x")
            with unprivileged():
                self.assertTrue(page_cache.evict(folder))
            (folder / "2").chmod(0)
            (folder / "closed").mkdir()
            with unprivileged():
                self.assertFalse(page_cache.evict(folder))
                self.assertTrue(page_cache.evict(folder / "1"))
                self.assertFalse(page_cache.evict(folder / "2"))
            (folder / "2").chmod(0o644)
            (folder / "closed").chmod(0)
            with unprivileged():
                self.assertFalse(page_cache.evict(folder))

    def test_what_is_not_there_was_not_evicted(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertFalse(page_cache.evict(Path(directory, "none")))
            self.assertTrue(page_cache.evict_each([Path(directory)]))
            self.assertFalse(page_cache.evict_each([Path(directory), Path(directory, "none")]))
        self.assertFalse(page_cache.evict_each([]))


@contextlib.contextmanager
def unprivileged():
    """Root is nobody meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def input_blocks():
    """Blocks that were read from a disk for this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock


if __name__ == "__main__":
    unittest.main()

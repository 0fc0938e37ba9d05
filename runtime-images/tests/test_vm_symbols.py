"""Names of a library's functions for profiles, and where they are in it."""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "vm-symbols"
SOURCE = """
namespace one { int inner(int x) { return x + 1; } namespace { int hidden(int x) { return x * 3; } }
struct Call { int operator()(int x) { return hidden(x); } void *operator new(unsigned long); }; int use(int x) { return Call()(x) + inner(x); } }
extern "C" int plain(int x) { return one::use(x); }
extern "C" int plain_too(int) __attribute__((alias("plain")));
int data = 7;
"""


class VmSymbolsTest(unittest.TestCase):
    def symbols(self, library):
        done = subprocess.run([SCRIPT, library], capture_output=True, text=True, check=True)
        first, *lines = done.stdout.splitlines()
        notes = subprocess.run(["readelf", "--notes", library], capture_output=True, text=True, check=True).stdout
        self.assertEqual("0 build-id " + re.search(r"Build ID: (\w+)", notes).group(1), first)
        return [line.split(" ", 1) for line in lines]

    def test_lists_functions_by_offset(self):
        with tempfile.TemporaryDirectory() as work:
            library = Path(work) / "libx.so"
            subprocess.run(["g++", "-shared", "-fPIC", "-O0", "-Wl,--build-id", "-x", "c++", "-", "-o", library], input=SOURCE, text=True, check=True)
            found = self.symbols(library)
            offsets = [int(offset, 16) for offset, _ in found]
            self.assertEqual(sorted(set(offsets)), offsets, "each once, in order")
            names = [name for _, name in found]
            for name in ("one::inner", "one::{anonymous}::hidden", "one::Call::operator{}", "one::use"):
                self.assertIn(name, names)
            # one of two names for a place
            self.assertEqual(1, len({"plain", "plain_too"} & set(names)))
            self.assertFalse([name for name in names if "(" in name or name == "data"])
            table = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True, check=True).stdout
            place = next(int(line.split()[0], 16) for line in table.splitlines() if line.endswith("T plain"))
            self.assertIn(place, offsets)

    def test_refuses_what_is_no_library(self):
        for words in ([], ["/nonexistent"], [SCRIPT, SCRIPT]):
            done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
            self.assertEqual(64, done.returncode)
            self.assertIn("usage:", done.stderr)


if __name__ == "__main__":
    unittest.main()

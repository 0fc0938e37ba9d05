"""The table of a JVM's flags, against what the host's JVM prints and warns of."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent
JAVA = f"{os.environ['JAVA_HOME']}/bin/java" if os.environ.get("JAVA_HOME") else "java"
ROW = re.compile(r"(\w+) (\S+) (\S+) (\d+|-) (.*)")


def run(*arguments, **variables):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          env={**os.environ, **variables})


def table(*arguments, **variables):
    process = run(PROFILES / "vm-flags", *arguments, **variables)
    rows = [ROW.fullmatch(line) for line in process.stdout.splitlines()]
    assert process.returncode == 0 and all(rows), process.stdout
    return {row.group(1): row.groups()[1:] for row in rows}


class VmFlagsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # neither these flags nor a machine with one processor may show
        cls.table = table(JAVA, JDK_JAVA_OPTIONS="-Xmx9m", JAVA_TOOL_OPTIONS="-XX:MinHeapFreeRatio=7")

    def test_has_each_flag_of_the_jvm(self):
        printed = run(JAVA, "-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:+PrintFlagsFinal", "-version")
        names = re.findall(r"^ +\w+ (\w+) +:?= ", printed.stdout, re.M)
        self.assertGreater(len(names), 400)
        self.assertLessEqual(set(names), set(self.table))

    def test_a_default_is_what_a_jvm_without_flags_begins_with(self):
        printed = run(JAVA, "-XX:+PrintFlagsInitial").stdout
        initial = dict(re.findall(r"^ +\w+ (\w+) +:?= (\S*) +\{", printed, re.M))
        defaults = {name: row[3] for name, row in self.table.items() if row[3] != "?" and name in initial}
        self.assertGreater(len(defaults), 200)
        self.assertEqual(defaults, {name: initial[name] for name in defaults})
        self.assertEqual(self.table["MinHeapFreeRatio"][3], initial["MinHeapFreeRatio"])

    def test_what_the_machine_decides_has_no_default(self):
        for name in ("MaxHeapSize", "InitialHeapSize"):
            self.assertEqual(self.table[name][3], "?")

    def test_a_deprecated_flag_is_what_the_jvm_warns_of(self):
        deprecated = {name: row for name, row in self.table.items() if row[2] != "-"}
        self.assertTrue(deprecated)
        for name, (kind, _, release, _) in deprecated.items():
            flag = f"-XX:+{name}" if kind == "bool" or name == "CreateMinidumpOnCrash" else f"-XX:{name}=1"
            out = run(JAVA, "-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions", flag, "-version").stdout
            self.assertRegex(out, rf"Option {name} was deprecated in version {release}(\.0)? ", name)

    def test_each_flag_that_the_jvm_warns_of_is_deprecated(self):
        """Those of the alphabet's end as well, behind flags whose default the JVM refuses."""
        for flag in ("-XX:+UseBiasedLocking", "-XX:MaxRAMFraction=3", "-XX:MinRAMFraction=3", "-XX:+TLABStats", "-XX:+UseSharedSpaces"):
            name = re.match(r"-XX:\+?(\w+)", flag).group(1)
            warning = re.search(rf"Option {name} was deprecated in version (\d+)", run(JAVA, flag, "-version").stdout)
            if name in self.table:
                self.assertEqual(self.table[name][2], warning.group(1) if warning else "-", name)

    def test_a_flag_without_a_warning_is_not_deprecated(self):
        self.assertNotIn("deprecated", run(JAVA, "-XX:MinHeapFreeRatio=7", "-version").stdout)
        self.assertEqual(self.table["MinHeapFreeRatio"][2], "-")

    def test_prints_the_flags_that_options_name(self):
        few = table(JAVA, "-Xmx9m '-XX:MinHeapFreeRatio=7' \"-XX:+UseSerialGC\" -XX:-NoSuchFlag @file\t-XX:StringTableSize=9\n")
        self.assertLessEqual({"MaxHeapSize", "MinHeapFreeRatio", "UseSerialGC", "StringTableSize"}, set(few))
        self.assertLess(len(few), 12)
        self.assertEqual(few, {name: self.table[name] for name in few})

    def test_prints_nothing_without_a_jvm(self):
        with tempfile.TemporaryDirectory() as scratch:
            for program in ("/bin/false", f"{scratch}/none"):
                process = run(PROFILES / "vm-flags", program)
                self.assertEqual((process.returncode, process.stdout), (0, ""), program)

    def test_does_not_wait_for_a_jvm_that_hangs(self):
        with tempfile.TemporaryDirectory() as scratch:
            java = Path(scratch) / "java"
            java.write_text("#!/bin/sh\nexec sleep 50\n")
            java.chmod(0o755)
            self.assertEqual(run(PROFILES / "vm-flags", java, "-Xmx9m").stdout, "")

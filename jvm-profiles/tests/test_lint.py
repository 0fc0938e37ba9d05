"""The lint on the profiles as they are, and on copies with one fault planted; the JVM is the host's."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent
LINT = [PROFILES.parent / "scripts/python", "-m", "remora_measure", "lint-profiles"]
JAVA = f"{os.environ['JAVA_HOME']}/bin/java" if os.environ.get("JAVA_HOME") else "java"
# Which flag a JVM holds obsolete depends on its release: the first of these that the host's calls so is planted.
OBSOLETE = ["-XX:+AssertOnSuspendWaitFailure", "-XX:+EnableWaitForParallelLoad", "-XX:G1ConcRefinementGreenZone=1", "-XX:-ZGenerational"]


class LintTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.profiles = Path(scratch.name)
        for path in PROFILES.iterdir():
            if path.is_file():
                shutil.copy(path, self.profiles)
        names = [line.split()[-1] for path in self.profiles.glob("[cr]*") for line in path.read_text().splitlines()
                 if line.startswith("# evidence:")]
        self.write_evidence(names)

    def write_evidence(self, names):
        rows = [f"| `{name}` | kept |" for name in names]
        (self.profiles / "EVIDENCE.md").write_text("\n".join(["| flag | verdict |", "|---|---|", *rows]) + "\n")

    def lint(self):
        process = subprocess.run(
            [*LINT, "--profiles", self.profiles, "--image", "host"], stdout=subprocess.PIPE, text=True)
        return process.returncode, process.stdout

    def plant(self, text, file="rps-1000"):
        """Adds a flag that has all it needs in the files, so that only the JVM can object."""
        name = re.match(r"-(?:XX:[+-]?|D)?([\w.]+)", text).group(1)
        with (self.profiles / file).open("a") as out:
            out.write(f"\n# A reason.\n# evidence: {name}\n{text}\n")
        with (self.profiles / "EVIDENCE.md").open("a") as out:
            out.write(f"| `{name}` | kept |\n")

    def replace(self, old, new, file="rps-1000"):
        path = self.profiles / file
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))

    def assert_finds(self, *parts):
        status, out = self.lint()
        findings = [line for line in out.splitlines() if all(part in line for part in parts)]
        self.assertTrue(findings, f"no finding with {parts} in:\n{out}")
        self.assertEqual(status, 1)

    def test_passes_what_is_there(self):
        self.assertEqual(self.lint(), (0, "0 findings\n"))

    def test_finds_unknown_flags(self):
        for flag in ("-XX:+AggressiveOpts", "-XX:MaxPermSize=64m"):
            with self.subTest(flag):
                self.plant(flag)
                self.assert_finds("host rps-1000", "Unrecognized VM option", flag.strip("-X:+"))
                self.setUp()

    def test_finds_an_obsolete_flag(self):
        for flag in OBSOLETE:
            told = subprocess.run([JAVA, flag, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
            if "Ignoring option" in told:
                self.plant(flag)
                self.assert_finds("host rps-1000", "Ignoring option", "support was removed")
                return
        self.fail(f"the host's JVM calls none of {OBSOLETE} obsolete: add one that it does")

    def test_finds_a_deprecated_flag(self):
        self.plant("-XX:+AllowRedefinitionToAddDeleteMethods")
        self.assert_finds("host rps-1000", "AllowRedefinitionToAddDeleteMethods was deprecated")

    def test_finds_a_repeated_default(self):
        self.plant("-XX:MaxHeapFreeRatio=70")
        self.assert_finds("host rps-1000", "-XX:MaxHeapFreeRatio=70 is this JVM's default")

    def test_finds_a_default_that_is_experimental(self):
        self.replace("StringTableSize=2048", "StringTableSize=65536", "common")
        self.assert_finds("-XX:StringTableSize=65536 is this JVM's default")

    def test_finds_a_value_that_is_not_taken_as_asked(self):
        self.replace("-Xmn512k", "-Xmn999k")
        self.assert_finds("-Xmn999k is in effect as NewSize=983040")

    def test_finds_a_flag_set_twice(self):
        self.plant("-XX:-UsePerfData")
        self.assert_finds("host rps-1000", "UsePerfData is set in common:", "and in rps-1000:")

    def test_finds_a_flag_that_overrides_another_file(self):
        self.plant("-XX:ReservedCodeCacheSize=9m")
        self.assert_finds("host rps-1000", "ReservedCodeCacheSize is set in common.c1:")

    def test_finds_a_missing_reason(self):
        self.replace("# Most objects live for one exchange", "", "rps-1000")
        path = self.profiles / "rps-1000"
        path.write_text(re.sub(r"\n[^\n]*\n# evidence: Xmn", "\n# evidence: Xmn", path.read_text()))
        self.assert_finds("rps-1000:", "Xmn has no reason")

    def test_finds_a_missing_pointer(self):
        self.replace("# evidence: Xmn\n", "")
        self.assert_finds("rps-1000:", "Xmn has no line '# evidence: Xmn'")

    def test_finds_a_missing_row(self):
        self.write_evidence(["Xms"])
        self.assert_finds("rps-1000:", "Xmn has no row in EVIDENCE.md")

    def test_finds_missing_evidence(self):
        (self.profiles / "EVIDENCE.md").unlink()
        self.assert_finds("EVIDENCE.md: is not there")

    def test_finds_two_flags_on_a_line(self):
        self.replace("-Xmn512k", "-Xmn512k -Xss256k")
        self.assert_finds("rps-1000:", "one flag a line")

    def test_finds_a_property_that_nothing_reads(self):
        self.plant("-Dio.netty.leakDetektion=none")
        self.assert_finds("nothing of the proxy reads the property io.netty.leakDetektion")

    def test_finds_a_flag_whose_effect_it_cannot_see(self):
        self.plant("-Xint")
        self.assert_finds("rps-1000:", "-Xint: its effect cannot be checked")

    def test_finds_an_image_without_profiles(self):
        path = self.profiles / "peaks"
        path.write_text("\n".join(line for line in path.read_text().splitlines() if not line.startswith("host ")))
        self.assert_finds("host: has no row in peaks")


if __name__ == "__main__":
    unittest.main()

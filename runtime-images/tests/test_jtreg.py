"""A whole JDK around a VM of ours, and the JDK's own tests on it."""
import unittest
from pathlib import Path

from test_runtimes import IMAGES, run

VM = ("c1", "--platform", "linux/386")


class JdkTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = run(IMAGES / "test-jdk", *VM)
        if made.returncode != 0:
            raise AssertionError(made.stdout)
        cls.home = Path(made.stdout.splitlines()[-1])

    def test_runs_our_vm_with_an_archive_of_classes(self):
        told = run(self.home / "bin/java", "-Xshare:on", "-version")
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertRegex(told.stdout, r"VM \(build \S+-remora, .*sharing\)")

    def test_starts_processes(self):
        """By a program of the platform's own, for which the host may have no loader."""
        told = run(self.home / "bin/java", IMAGES / "tests/Child.java")
        self.assertEqual(told.stdout, "ended with 3\n")

    def test_is_made_once(self):
        made = self.home / "inputs"
        before = made.stat().st_mtime_ns
        self.assertEqual(run(IMAGES / "test-jdk", *VM).returncode, 0)
        self.assertEqual(made.stat().st_mtime_ns, before)


class JtregTest(unittest.TestCase):
    def test_runs_a_test_with_a_native_library(self):
        ran = run(IMAGES / "jtreg", *VM, "hotspot/jtreg/serviceability/jvmti/VMEvent")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertRegex(ran.stdout, r"serviceability/jvmti/VMEvent: passed: [1-9]\d*(;|\n)")

    def test_a_failure_is_told_and_fails(self):
        """The harness believes that there is a Serviceability Agent wherever the platform has one, and the VM has none."""
        ran = run(IMAGES / "jtreg", *VM, "jdk/sun/tools/jhsdb/BasicLauncherTest.java")
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        self.assertRegex(ran.stdout, r"sun/tools/jhsdb/BasicLauncherTest.java +Failed\.")

    def test_refuses_a_test_that_is_not_there(self):
        ran = run(IMAGES / "jtreg", *VM, "hotspot/jtreg/gc/absent")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("gc/absent is not among the tests", ran.stdout)

    def test_every_exclusion_has_a_place_and_a_reason(self):
        for line in (IMAGES / "jtreg.exclude").read_text().splitlines():
            if line and not line.startswith("#"):
                self.assertRegex(line, r"^(hotspot/jtreg|jdk)/\S+ (all|linux/386|linux/amd64|release|fastdebug)  [A-Z].{20,}\.$")


if __name__ == "__main__":
    unittest.main()

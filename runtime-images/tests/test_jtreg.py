"""A whole JDK around a VM of ours, threads of a native program in it, and the JDK's own tests on it."""
import tempfile
import unittest
from pathlib import Path

from test_runtimes import IMAGES, run

VM = ("c1", "--platform", "linux/386")
PACKAGES = IMAGES / "target/work/17-i386"
LIBRARIES = f"{PACKAGES}/lib/i386-linux-gnu:{PACKAGES}/usr/lib/i386-linux-gnu"
COMPILER = IMAGES / "target/work/toolchain-bin/i686-linux-gnu-gcc"


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


class NativeThreadsTest(unittest.TestCase):
    """Generated code finds the current thread by an offset from the thread pointer, in every thread of a process and in every process."""

    @classmethod
    def setUpClass(cls):
        made = run(IMAGES / "test-jdk", *VM)
        if made.returncode != 0:
            raise AssertionError(made.stdout)
        cls.home = Path(made.stdout.splitlines()[-1])
        if not COMPILER.exists():
            # a cache may have kept the VM only
            run(IMAGES / "build-vm", *VM, "--output", IMAGES / "target/work/again")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.succeed(cls.home / "bin/javac", "-d", cls.scratch, IMAGES / "tests/threads/NativeThreads.java")

    @staticmethod
    def succeed(*command):
        done = run(*command)
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        return done.stdout

    def compiled(self, name, *options):
        headers = self.home / "include"
        words = ("-std=gnu11", "-O1", "-Wall", "-Werror", f"-I{headers}", f"-I{headers}/linux", *options, "-lpthread", "-ldl")
        self.succeed(COMPILER, *words, "-o", self.scratch / name)
        return self.scratch / name

    def run_native(self, program, *words):
        return run("timeout", "300", PACKAGES / "lib/ld-linux.so.2", "--library-path", LIBRARIES, program, *words)

    def assert_threads_differ(self, program, *options):
        told = self.run_native(program, self.home / "lib/client/libjvm.so", f"-Djava.class.path={self.scratch}", *options)
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertRegex(told.stdout, r"(?m)^[1-9]\d+ signals compared$")

    def test_threads_of_a_native_program(self):
        program = self.compiled("threads", IMAGES / "tests/threads/threads.c")
        self.assert_threads_differ(program)
        self.assert_threads_differ(program, "-Xcomp")

    def test_another_offset_than_that_of_the_process_that_dumped_the_archive(self):
        program = self.compiled("moved", "-DPAD=4096", IMAGES / "tests/threads/threads.c")
        self.assert_threads_differ(program, "-Xshare:on")

    def test_a_library_that_finds_no_room_for_its_threads_is_not_loaded(self):
        """Rather than a VM whose generated code reads the memory of something else."""
        room = self.compiled("libroom.so", "-shared", "-fPIC", "-ftls-model=initial-exec", IMAGES / "tests/threads/room.c")
        program = self.compiled("load", IMAGES / "tests/threads/load.c")
        told = self.run_native(program, room, self.home / "lib/client/libjvm.so")
        self.assertEqual(told.returncode, 1, told.stdout)
        self.assertRegex(told.stdout, r"^loaded \S+libroom.so\n\S+libjvm.so: cannot allocate memory in static TLS block\n$")


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

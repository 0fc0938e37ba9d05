"""What select tells and refuses, with /proc and /sys as trees of files."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROFILES = Path(__file__).resolve().parent.parent
MIB = 1024 * 1024
PEAKS = """# image profile rps peak-bytes
host-finagle finagle-rps-1000 1000 95000000
host rps-10000 10000 60000000
host rps-1000 1000 50000000
host rps-100 100 40000000
amd64-tiered rps-40000 40000 90000000
"""


class SelectTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name) / "a root"
        self.profiles = Path(scratch.name) / "an image" / "jvm-profiles"
        self.profiles.mkdir(parents=True)
        for path in PROFILES.iterdir():
            if path.is_file():
                shutil.copy(path, self.profiles)
        self.flatten(PEAKS)
        self.write("proc/self/cgroup", "0::/\n")

    def flatten(self, peaks):
        """Makes the table again, as a build does."""
        (self.profiles / "peaks").write_text(peaks)
        table = subprocess.run([self.profiles / "flatten"], check=True, stdout=subprocess.PIPE, text=True).stdout
        (self.profiles / "table").write_text(table)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def select(self, *arguments):
        return subprocess.run([self.profiles / "select", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "REMORA_SYSTEM_ROOT": str(self.root)})

    def told(self, *arguments):
        """What it tells, as a mapping of the first word of a line to the rest; the last one of lines without one."""
        process = self.select(*arguments)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        return dict(line.split(None, 1) for line in process.stdout.splitlines() if not line.startswith(" "))

    def refused(self, status, message, *arguments):
        process = self.select(*arguments)
        self.assertEqual((process.returncode, process.stdout), (status, ""))
        self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
        self.assertIn(message, process.stderr)

    def test_ends_its_help_when_nobody_reads_it(self):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as output:
            process = subprocess.run([self.profiles / "select", "--help"], stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.DEVNULL, timeout=60)
        self.assertNotEqual(process.returncode, 0)

    def limit(self):
        return self.told("--rps", "100")["limit"]

    def test_an_engine_has_profiles_of_its_own(self):
        self.assertEqual(self.select("--image", "host-finagle", "--list").stdout.split(), ["finagle-rps-1000"])
        told = self.told("--image", "host-finagle", "--rps", "7")
        self.assertIn("finagle-rps-1000,", told["profile"])
        self.assertIn("common+common.finagle+common.c1+common.host+finagle-rps-1000", told["options"])
        self.refused(64, "1001 requests a second are more than image host-finagle has a profile for (1000 at most); no image has more",
                     "--image", "host-finagle", "--rps", "1001")
        self.refused(64, "no profile rps-1000", "--image", "host-finagle", "--profile", "rps-1000")

    def test_takes_the_smallest_profile_that_covers_the_rate(self):
        for rps, profile in (("1", "rps-100"), ("100", "rps-100"), ("101", "rps-1000"), ("08", "rps-100"), ("1001", "rps-10000")):
            with self.subTest(rps):
                self.assertIn(profile + ",", self.told("--rps", rps)["profile"])
        self.assertIn("rps-1000,", self.told()["profile"])

    def test_tells_peak_limit_and_options(self):
        process = self.select("--rps", "70", "--memory", "64m")
        self.assertIn("image    host\n", process.stdout)
        self.assertIn("peak     40000000\n", process.stdout)
        self.assertIn("limit    67108864 bytes, from --memory\n", process.stdout)
        self.assertIn("options  from common+common.netty+common.c1+common.host+rps-100\n", process.stdout)
        self.assertIn("         -XX:TieredStopAtLevel=1\n", process.stdout)

    def test_refuses_what_there_is_not(self):
        self.refused(64, "no image arm; there are host, i386-client, amd64-c1", "--image", "arm")
        self.refused(64, "no profile rps-7", "--profile", "rps-7")
        self.refused(64, "no profile rps-1000/../peaks", "--profile", "rps-1000/../peaks")
        self.refused(64, "(10000 at most); amd64-tiered has a profile for 40000", "--rps", "10001")
        self.refused(64, "(10000 at most); no image has more", "--rps", "123456789012345678901234567890")
        self.refused(64, "image compact3-386 has no profile that was measured", "--image", "compact3-386")
        for rps in ("0", "-1", "1k", "1.5", "0x10"):
            self.refused(64, f"--rps {rps}: a whole number above 0", "--rps", rps)
        for size in ("big", "1t", "0", "-5m", "m", "1.5g"):
            self.refused(64, f"--memory {size}: a size such as 64m", "--memory", size)
        self.refused(64, "--rps needs a value", "--rps")
        self.refused(64, "--memory needs a value", "--memory", "")
        self.refused(64, "--fast: not known", "--fast")

    def test_refuses_a_limit_below_the_peak_and_a_tenth(self):
        self.refused(78, "rps-1000 on image host needs 55000000 bytes", "--memory", "54999999")
        self.assertEqual(self.told("--memory", "55000000")["limit"], "55000000 bytes, from --memory")
        self.assertIn("rps-100,", self.told("--rps", "100", "--memory", "44000000")["profile"])

    def test_reads_sizes(self):
        for size, size_bytes in (("64m", 64 * MIB), ("64M", 64 * MIB), ("64Mi", 64 * MIB), ("64MiB", 64 * MIB),
                                 ("65536k", 64 * MIB), ("1g", 1024 * MIB), ("2Gi", 2048 * MIB), ("67108864", 64 * MIB)):
            self.assertEqual(self.told("--memory", size)["limit"], f"{size_bytes} bytes, from --memory")

    def test_without_a_limit(self):
        self.assertEqual(self.limit(), "none")
        (self.root / "proc/self/cgroup").unlink()
        self.assertEqual(self.limit(), "none")

    def test_version_2_in_a_container(self):
        self.write("sys/fs/cgroup/memory.max", "67108864\n")
        self.assertEqual(self.limit(), f"67108864 bytes, from {self.root}/sys/fs/cgroup/memory.max")

    def test_version_2_without_a_limit(self):
        self.write("sys/fs/cgroup/memory.max", "max\n")
        self.assertEqual(self.limit(), "none")

    def test_version_2_takes_the_least_on_the_way_up(self):
        self.write("proc/self/cgroup", "0::/pods.slice/pod 1/remora\n")
        self.write("sys/fs/cgroup/pods.slice/pod 1/remora/memory.max", "max\n")
        self.write("sys/fs/cgroup/pods.slice/pod 1/memory.max", "80000000\n")
        self.write("sys/fs/cgroup/pods.slice/memory.max", "90000000\n")
        self.assertIn("80000000 bytes, from", self.limit())

    def test_a_path_of_the_host_that_the_container_does_not_see(self):
        self.write("proc/self/cgroup", "0::/docker/0123456789\n")
        self.write("sys/fs/cgroup/memory.max", "70000000\n")
        self.assertIn("70000000 bytes, from", self.limit())

    def test_version_1(self):
        self.write("proc/self/cgroup", "9:name=systemd:/x\n5:cpu,cpuacct:/y\n4:memory:/kube/pod\n0::/z\n")
        self.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        self.write("sys/fs/cgroup/memory/kube/memory.limit_in_bytes", "80000000\n")
        self.write("sys/fs/cgroup/memory/kube/pod/memory.limit_in_bytes", "9223372036854771712\n")
        self.write("sys/fs/cgroup/cpu/y/memory.limit_in_bytes", "1\n")
        self.assertIn("80000000 bytes, from", self.limit())

    def test_version_1_without_a_limit(self):
        self.write("proc/self/cgroup", "4:memory:/\n")
        self.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        self.assertEqual(self.limit(), "none")

    def test_the_lesser_of_the_argument_and_the_group(self):
        self.write("sys/fs/cgroup/memory.max", "67108864\n")
        self.assertIn("60000000 bytes, from --memory", self.told("--memory", "60000000")["limit"])
        self.assertIn("67108864 bytes, from /", self.told("--memory", "1g")["limit"])

    def test_options_are_an_argument_file(self):
        lines = self.select("--options").stdout.splitlines()
        self.assertEqual(lines[:3], ["# rps 1000", "# peak-bytes 50000000", "# from common+common.netty+common.c1+common.host+rps-1000"])
        self.assertIn("-XX:TieredStopAtLevel=1", lines)
        self.assertEqual(lines[-2:], ["-Dremora.image=host", "-Dremora.peak=50000000"])
        self.assertTrue(all(line.startswith("-") for line in lines[3:]), lines)

    def test_heap_and_buffers_fit_the_limit(self):
        lines = self.select("--memory", "64m", "--options").stdout.splitlines()
        # 64 MiB less 6 % and the peak leave 13,082,164 bytes: three eighths, to the nearest 2 MiB, for the heap beyond its start, the rest for buffers
        self.assertEqual(lines[-4:], ["-Dremora.limit=67108864", "-Xmx12582912", "-XX:MaxDirectMemorySize=8847360",
                                      "-Dremora.limit.from=--memory"])
        for size, options in (
            # hardly more than the least that it starts under: the bound for buffers stays above what a start takes
            ("55000000", ["-Dremora.limit=55000000", "-Xmx8388608", "-XX:MaxDirectMemorySize=4194304"]),
            # the heap is the profile's own, and the buffers' bound too where there is enough
            ("1g", ["-Dremora.limit=1073741824"]),
        ):
            with self.subTest(size):
                lines = self.select("--memory", size, "--options").stdout.splitlines()
                at = lines.index(options[0])
                self.assertEqual(lines[at:], [*options, "-Dremora.limit.from=--memory"])
        self.assertNotIn("-Dremora.limit", self.select("--options").stdout)

    def test_a_named_profile_needs_no_measurement(self):
        lines = self.select("--image", "i386-client", "--profile", "rps-40000", "--options").stdout.splitlines()
        self.assertEqual(lines[0], "# rps 40000")
        self.assertNotIn("# peak-bytes", lines[1])
        self.assertNotIn("-XX:+UseSerialGC", lines)

    def test_lists_what_an_image_offers(self):
        self.assertEqual(self.select("--list").stdout.split(), ["rps-100", "rps-1000", "rps-10000"])

    def test_files_of_a_flavour_or_an_image_join_in(self):
        (self.profiles / "rps-100.c1").write_text("# A reason.\n-Xss256k\n")
        (self.profiles / "common.amd64-c1").write_text("-Xmx48m\n")
        self.flatten(PEAKS)
        self.assertIn("common+common.netty+common.c1+common.host+rps-100+rps-100.c1", self.told("--rps", "100")["options"])
        options = self.select("--image", "amd64-c1", "--profile", "rps-100", "--options").stdout.splitlines()
        self.assertEqual(options[1], "# from common+common.netty+common.c1+common.amd64-c1+rps-100+rps-100.c1")
        self.assertIn("-Xss256k", options)
        self.assertIn("-Xmx48m", options)

    def test_flatten_refuses_what_it_cannot_put_into_a_row(self):
        for file, text, message in (
            ("rps-100", "-Xms8m -Xmx64m\n", "flatten: rps-100:1: one flag a line, without blanks"),
            ("peaks", "arm rps-100 100 1\n", "flatten: peaks:1: no image arm in images"),
            ("peaks", "host rps-100 200 1\n", "flatten: peaks:1: the rate of rps-100 is not 200"),
        ):
            with self.subTest(message):
                kept = (self.profiles / file).read_text()
                (self.profiles / file).write_text(text)
                process = subprocess.run([self.profiles / "flatten"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                (self.profiles / file).write_text(kept)
                self.assertEqual((process.returncode, process.stderr), (1, message + "\n"))

    def test_its_image_is_the_one_it_lies_in(self):
        (self.profiles.parent / "image").write_text("name=amd64-tiered\nplatform=linux/amd64\n")
        told = self.told("--rps", "40000")
        self.assertEqual((told["image"], told["options"]), ("amd64-tiered", "from common+common.netty+common.tiered+common.amd64-tiered+rps-40000"))

    def test_another_jdk_goes_by_the_figures_of_the_default_until_it_has_its_own(self):
        self.assertIn("90000000", self.told("--image", "amd64-tiered-jdk21", "--rps", "40000")["peak"])
        self.flatten(PEAKS + "amd64-tiered-jdk21 rps-40000 40000 95000000\n")
        self.assertIn("95000000", self.told("--image", "amd64-tiered-jdk21", "--rps", "40000")["peak"])


if __name__ == "__main__":
    unittest.main()

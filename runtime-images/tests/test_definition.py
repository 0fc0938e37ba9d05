"""The names that images go by, as the scripts read them."""
import unittest

from test_runtimes import IMAGES, run

READ = '. "$0"; read_definition "$1" "$2" "$3"; printf "%s\\n" "$image" "$platform" "$hotspot" "$profile_image" "$vm_suffix"'


def read(name, platform="", vm=""):
    # which a caller may have set
    return run("bash", "-euc", READ, IMAGES / "common.sh", name, platform, vm, engine="", tls="", jdk="")


class Definition(unittest.TestCase):
    def assert_read(self, name, expected, **asked):
        done = read(name, **asked)
        self.assertEqual((done.returncode, tuple(done.stdout.split("\n")[:-1])), (0, expected))

    def test_an_image_by_its_name(self):
        self.assert_read("i386-client", ("i386-client", "linux/386", "c1", "i386-client", ""))

    def test_a_name_that_ends_like_that_of_a_vm(self):
        self.assert_read("amd64-c1", ("amd64-c1", "linux/amd64", "c1", "amd64-c1", ""))
        self.assert_read("amd64-tiered", ("amd64-tiered", "linux/amd64", "tiered", "amd64-tiered", ""))

    def test_a_vm_behind_the_name(self):
        self.assert_read("i386-client-debian", ("i386-client", "linux/386", "debian", "i386-client-debian", ""))
        self.assert_read("amd64-c1-debian", ("amd64-c1", "linux/amd64", "debian", "amd64-c1-debian", ""))

    def test_another_vm_of_ours_has_the_profiles_of_the_image(self):
        self.assert_read("i386-client-tiered", ("i386-client", "linux/386", "tiered", "i386-client", "-tiered"))
        self.assert_read("amd64-c1", ("amd64-c1", "linux/amd64", "tiered", "amd64-c1", "-tiered"), vm="tiered")

    def test_a_platform_behind_the_name(self):
        self.assert_read("compact3-386", ("compact3", "linux/386", "c1", "compact3-386", ""))
        self.assert_read("compact3", ("compact3", "linux/amd64", "c1", "compact3-amd64", ""), platform="linux/amd64")
        self.assert_read("compact3-amd64-debian", ("compact3", "linux/amd64", "debian", "compact3-amd64-debian", ""))

    def test_an_engine_behind_the_name(self):
        self.assert_read("compact3-amd64-finagle", ("compact3", "linux/amd64", "c1", "compact3-amd64-finagle", ""))

    def test_the_flight_recorder_behind_the_name(self):
        self.assert_read("amd64-c1-jfr", ("amd64-c1", "linux/amd64", "jfr", "amd64-c1", "-jfr"))
        self.assert_read("i386-client", ("i386-client", "linux/386", "jfr", "i386-client", "-jfr"), vm="jfr")

    def test_only_the_variant_with_the_recorder_has_what_it_needs(self):
        words = '. "$0"; read_definition "$1"; image_modules; left_out; excluded_resources; echo "$options"'
        for image, has in (("amd64-c1-jfr", True), ("amd64-c1", False), ("amd64-c1-debian", False)):
            with self.subTest(image):
                done = run("bash", "-euc", words, IMAGES / "common.sh", image, engine="", tls="", jdk="")
                lines = done.stdout.split("\n")
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual("jdk.jfr" in lines, has)
                self.assertEqual("io/remora/recorder/" in lines, not has)
                self.assertEqual(any("objectweb/asm/tree/" in line for line in lines), not has)
                self.assertEqual("-Dremora.recorder=true" in done.stdout, has)

    def test_what_is_not_there(self):
        for asked, told in (
            (("i386-server",), "runtime-images: i386-server: no such image; there are "),
            (("i386-client", "linux/amd64"), "runtime-images: i386-client is not defined for linux/amd64"),
            (("i386-client", "", "c2"), "runtime-images: c2: no such VM; there are "),
            (("amd64-tiered-jfr",), "runtime-images: amd64-tiered is not built with the flight recorder"),
            (("i386-client-finagle",), "runtime-images: i386-client is not built with the engine finagle"),
        ):
            with self.subTest(asked):
                done = read(*asked)
                self.assertEqual(done.returncode, 1)
                self.assertIn(told, done.stdout)


if __name__ == "__main__":
    unittest.main()

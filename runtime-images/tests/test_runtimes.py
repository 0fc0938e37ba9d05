"""Builds the smallest runtime image and damages it: each damage is to fail the check that it is for."""
import os
import shutil
import subprocess
import tempfile
import unittest
from contextlib import contextmanager
from pathlib import Path

IMAGES = Path(__file__).resolve().parent.parent
IMAGE = None


def setUpModule():
    global IMAGE, scratch
    scratch = tempfile.TemporaryDirectory()
    IMAGE = Path(scratch.name) / "image"
    built = build()
    if built.returncode != 0:
        scratch.cleanup()
        raise AssertionError(built.stdout)


def tearDownModule():
    scratch.cleanup()


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})


def build():
    return run(IMAGES / "build", "i386-client", "--output", IMAGE)


@contextmanager
def restored(path):
    """Lets a file of the image be damaged, and puts it back."""
    kept = Path(scratch.name) / "kept"
    os.rename(path, kept)
    shutil.copy2(kept, path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.rename(kept, path)


class WholeImage(unittest.TestCase):
    def test_the_same_inputs_give_the_same_files_of_the_same_sizes(self):
        before = (IMAGE / "manifest").read_text()
        (IMAGE / "inputs").unlink()
        built = build()
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertIn("ok      answers", built.stdout)
        self.assertEqual((IMAGE / "manifest").read_text(), before)

    def test_is_not_built_again_when_nothing_changed(self):
        built = build()
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertEqual(built.stdout, f"runtime-images: {IMAGE} is up to date\n")

    def test_its_launcher_starts_its_own_java_or_another(self):
        other = Path(scratch.name) / "java"
        other.write_text('#!/bin/sh\nif [ "$1" = -version ]; then echo \'openjdk version "17"\'; else printf "%s\\n" "$@"; fi\n')
        other.chmod(0o755)
        own = run(IMAGE / "bin/remora", "version", REMORA_JAVA_OPTS="-showversion")
        self.assertEqual(own.returncode, 0, own.stdout)
        self.assertIn("Client VM", own.stdout)
        told = run(IMAGE / "bin/remora", "version", REMORA_JAVA=str(other))
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("\n-Dremora.profile=rps-1000\n-Dremora.image=host\n", told.stdout)

    def test_has_the_modules_that_jdeps_asks_for(self):
        checked = run(IMAGES / "modules/check")
        self.assertEqual(checked.returncode, 0, checked.stdout)


class DamagedImage(unittest.TestCase):
    def assert_fails(self, check, message, **environment):
        verified = run(IMAGES / "verify", IMAGE, check, **environment)
        self.assertEqual(verified.returncode, 1, verified.stdout)
        self.assertRegex(verified.stdout, rf"(?m)^  FAILED  {check} .*{message}")

    def test_other_modules_than_the_definition_has(self):
        with restored(IMAGE / "image") as image:
            image.write_text(image.read_text().replace("definition=i386-client", "definition=compact3"))
            self.assert_fails("modules", "not the modules of modules/compact3: < java.compiler")

    def test_a_second_vm(self):
        second = IMAGE / "runtime/lib/server"
        second.mkdir()
        try:
            (second / "libjvm.so").touch()
            self.assert_fails("vm", "the VM is client/libjvm.so server/libjvm.so, not client")
        finally:
            shutil.rmtree(second)

    def test_more_than_the_budget(self):
        filler = IMAGE / "runtime/lib/filler"
        try:
            with open(filler, "wb") as file:
                file.truncate(20_000_000)
            self.assert_fails("size", r"bytes, its budget is 45000000")
        finally:
            filler.unlink()

    def test_half_an_archive(self):
        with restored(IMAGE / "runtime/lib/client/classes.jsa") as archive:
            os.truncate(archive, archive.stat().st_size // 2)
            self.assert_fails("archive", "the archive does not map")

    def test_a_jar_that_is_not_the_one_in_the_archive(self):
        with restored(IMAGE / "lib/remora/remora.jar") as jar:
            os.utime(jar)
            self.assert_fails("archive", "the archive does not map")

    def test_a_missing_jar(self):
        with restored(next((IMAGE / "lib/remora/lib").glob("snakeyaml*.jar"))) as jar:
            jar.unlink()
            self.assert_fails("answers", ".")

    def test_no_elliptic_curves(self):
        self.assert_fails(
            "tls", "no TLS by the JDK's provider", JDK_JAVA_OPTIONS="--limit-modules=java.base,java.management,jdk.unsupported")

    def test_a_library_with_text_relocations(self):
        with restored(IMAGE / "runtime/lib/client/libjvm.so") as library:
            content = library.read_bytes()
            ignored, text_relocations = (tag.to_bytes(4, "little") + bytes(4) for tag in (0x6000000D, 22))
            self.assertEqual(content.count(ignored), 1)
            library.write_bytes(content.replace(ignored, text_relocations))
            self.assert_fails("text_relocations", "runtime/lib/client/libjvm.so has text relocations")

    def test_a_missing_library(self):
        with restored(next((IMAGE / "sysroot/lib").glob("*/libz.so.1"))) as library:
            library.unlink()
            self.assert_fails("libraries", "needs libz.so.1, which is missing")

    def test_a_missing_licence(self):
        for name, path in (("java.base", "runtime/legal/java.base/LICENSE"), ("libc6", "sysroot/usr/share/doc/libc6/copyright")):
            with self.subTest(name), restored(IMAGE / path) as licence:
                licence.unlink()
                self.assert_fails("legal", f"no licence of {name}")


class FixedAddress(unittest.TestCase):
    def test_one_line_where_the_address_is_taken(self):
        libraries = IMAGE / "runtime/lib/client/libjvm.so"
        program = f". {IMAGES}/common.sh; find_packages linux/386 17; unpack_packages; cd {scratch.name}; "
        program += "unpacked jmod extract --dir jmod $jdk_home/jmods/java.base.jmod; tool FixedAddress jmod/lib/client/libjvm.so 0xf7800000"
        fixed = run("bash", "-ec", program)
        self.assertEqual(fixed.returncode, 0, fixed.stdout)
        with restored(libraries) as library:
            # where Linux puts the C library
            shutil.copy(Path(scratch.name) / "jmod/lib/client/libjvm.so", library)
            started = run(IMAGE / "bin/java", "-Xshare:off", "-version")
            self.assertEqual((started.returncode, started.stdout), (71, "libjvm.so: its address 0xf7800000 is taken\n"))


class Lock(unittest.TestCase):
    def test_a_package_that_is_gone(self):
        with tempfile.TemporaryDirectory() as other:
            copy = Path(other) / "runtime-images"
            shutil.copytree(IMAGES, copy, ignore=shutil.ignore_patterns("target"))
            for name in ("proxy", "jvm-profiles"):
                (Path(other) / name).symlink_to(IMAGES.parent / name)
            lock = copy / "locks/17-i386.lock"
            lock.write_text(lock.read_text().replace("/zlib1g_", "/zlib1g_gone_"))
            cache = Path(other) / "cache"
            cache.mkdir()
            for package in lock.read_text().splitlines():
                if not package.startswith(("#", "zlib1g ")):
                    (cache / f"{package.split()[2]}.deb").touch()
            built = run(copy / "build", "i386-client", IMAGE_CACHE=str(cache))
            self.assertEqual(built.returncode, 1)
            self.assertRegex(built.stdout, "(?m)^runtime-images: zlib1g .* is not in the archive any more.*: runtime-images/lock writes a new one$")


if __name__ == "__main__":
    unittest.main()

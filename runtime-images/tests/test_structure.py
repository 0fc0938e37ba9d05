"""What a container image holds, and what it does not: nothing is run."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from containers import HOME, REPOSITORY, for_each_image

# Everything there may be; {lib} is the folder of the platform's libraries.
ALLOWED = [
    r"/lib(64)?/ld-linux\S*\.so\.2", r"/lib/{lib}/[^/]+\.so(\.\d+)*", r"/etc/(passwd|group|nsswitch\.conf)",
    r"/usr/lib/locale/C\.utf8/LC_CTYPE", r"/etc/ssl/certs/ca-certificates\.crt", r"/etc/remora/(remora|capture)\.yaml", r"/usr/share/doc/[a-z0-9+-]+/copyright", HOME + r"/(image|LICENSE)", HOME + r"/bin/remora",
    HOME + r"/lib/remora/(remora|lib/[^/]+)\.jar", HOME + r"/jvm-profiles/((vm-flags\.)?table|([a-z]+-)?rps-\d+)", HOME + r"/runtime/bin/java",
    HOME + r"/runtime/(release|conf/.+|legal/.+)", HOME + r"/runtime/lib/(modules|jvm\.cfg|tzdb\.dat|[^/]+\.so|\S+\.properties)",
    HOME + r"/runtime/lib/security/[^/]+", HOME + r"/runtime/lib/(client|server)/(libjvm\.so|libjsig\.so|classes\.jsa)",
]
LIBRARIES = {"linux/386": "i386-linux-gnu", "linux/amd64": "x86_64-linux-gnu"}
PROGRAMS = {HOME + "/bin/remora", HOME + "/runtime/bin/java"}
# Bytes: all files of an image, and its layers as they travel.
UNPACKED_MOST = {"remora:i386": 40_000_000, "remora:compact3": 51_000_000,
                 "remora:i386-openssl": 48_000_000, "remora:compact3-openssl": 60_000_000}
COMPRESSED_MOST = {"remora:i386": 20_000_000, "remora:compact3": 25_000_000,
                   "remora:i386-openssl": 20_000_000, "remora:compact3-openssl": 25_000_000}
BINDING = HOME + "/runtime/lib/libremora_tls.so"
OPENSSL = ("/lib/{lib}/libssl.so.3", "/lib/{lib}/libcrypto.so.3", "/usr/share/doc/libssl3/copyright")
AWSLC = (HOME + "/runtime/legal/awslc/LICENSE", HOME + "/runtime/legal/awslc/release")
SYMBOLS = (HOME + r"\.symbols",)
FINAGLE = (HOME + r"/lib/remora/finagle/(remora-finagle|lib/[^/]+)\.jar",)
LABELS = {"title", "description", "source", "licenses", "version", "revision"}


def has_symbols(image):
    return "-symbols" in image.name


class StructureTest(unittest.TestCase):
    maxDiff = None
    image = None

    @classmethod
    def setUpClass(cls):
        cls.elves = {path: content for path, content in cls.image.contents.items() if content[:4] == b"\x7fELF"}
        cls.work = Path(tempfile.mkdtemp(prefix="structure."))
        cls.addClassCleanup(shutil.rmtree, cls.work)
        cls.told = {}
        for number, (path, content) in enumerate(cls.elves.items()):
            copy = cls.work / str(number)
            copy.write_bytes(content)
            cls.told[path] = subprocess.run(["readelf", "-dlW", copy], check=True, capture_output=True, text=True).stdout

    def test_holds_nothing_else(self):
        engine = FINAGLE if self.image.definition.get("engine") == "finagle" else ()
        symbols = SYMBOLS if has_symbols(self.image) else ()
        allowed = re.compile("|".join([*ALLOWED, *engine, *symbols]).replace("{lib}", LIBRARIES[self.image.platform]))
        others = [path for path, entry in self.image.files.items() if not entry.isdir() and not allowed.fullmatch(path)]
        self.assertEqual(others, [])

    def test_has_the_configurations(self):
        for name in ("remora", "capture"):
            self.assertEqual(self.image.contents[f"/etc/remora/{name}.yaml"], (REPOSITORY / f"runtime-images/container/{name}.yaml").read_bytes())

    def test_has_the_library_for_tls_that_it_says(self):
        said = self.image.definition["tls"]
        self.assertIn(BINDING, self.image.files)
        self.assertEqual(said, "openssl" if self.image.name.endswith("-openssl") else "awslc")
        for name, paths in (("openssl", OPENSSL), ("awslc", AWSLC)):
            for path in paths:
                self.assertEqual(path.replace("{lib}", LIBRARIES[self.image.platform]) in self.image.files, said == name, path)

    def test_runs_only_the_launcher_and_java(self):
        with_interpreter = {path for path, told in self.told.items() if re.search(r"^ +INTERP", told, re.M)}
        # some libraries can be started to tell their version
        libraries = {path for path in with_interpreter if ".so" in path.rpartition("/")[2]}
        self.assertEqual(with_interpreter - libraries, PROGRAMS)
        self.assertEqual([path for path, content in self.image.contents.items() if content[:2] == b"#!"], [], "no scripts")
        executable = {path for path, entry in self.image.files.items() if entry.isfile() and entry.mode & 0o111}
        self.assertEqual({path for path in executable - PROGRAMS if ".so" not in path}, set())

    def test_belongs_to_root_and_nobody_else_writes(self):
        for path, entry in self.image.files.items():
            with self.subTest(path=path):
                self.assertEqual((entry.uid, entry.gid), (0, 0))
                self.assertEqual(entry.mode & 0o6000, 0, "set-user-id")
                if path == "/tmp":
                    self.assertEqual(entry.mode & 0o7777, 0o1777)
                elif not entry.issym():
                    self.assertEqual(entry.mode & 0o022, 0, "writable")
                    self.assertEqual(entry.mode & 0o444, 0o444, "readable")

    def test_says_how_it_is_run(self):
        config = self.image.config["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["StopSignal"], "SIGTERM")
        self.assertEqual(config["Entrypoint"], [HOME + "/bin/remora"])
        self.assertEqual(config["Cmd"], ["run", "--config", "/etc/remora/remora.yaml"])
        self.assertEqual(list(config["ExposedPorts"]), ["8080/tcp"])
        self.assertFalse(config.get("Volumes"))
        self.assertFalse(config.get("Healthcheck"))
        self.assertIn("remora:x:65532:65532:", self.image.contents["/etc/passwd"].decode())

    def test_is_labelled(self):
        labels = self.image.config["config"]["Labels"]
        prefix = "org.opencontainers.image."
        for name in LABELS:
            self.assertTrue(labels.get(prefix + name), name)
        created = {prefix + "created"} if os.environ.get("CREATED") else set()
        self.assertEqual(set(labels), {prefix + name for name in LABELS} | created)
        self.assertRegex(labels[prefix + "revision"], r"\A([0-9a-f]{40}|unknown)\Z")

    def test_keeps_to_its_size(self):
        runtime = sum(len(content) for path, content in self.image.contents.items() if path.startswith(HOME + "/runtime/"))
        self.assertLessEqual(runtime, int(self.image.definition["budget_bytes"]))
        self.assertLessEqual(self.image.unpacked_bytes, UNPACKED_MOST.get(self.image.name, float("inf")))
        self.assertLessEqual(self.image.compressed_bytes, COMPRESSED_MOST.get(self.image.name, float("inf")))

    def test_changes_apart(self):
        """The runtime's layer has nothing of the proxy's, so that a new proxy leaves it alone."""
        self.assertEqual(len(self.image.layers), 4 if has_symbols(self.image) else 3)
        last_layers = {path for path, entry in self.image.files.items() if path.endswith((".jar", "classes.jsa", "remora.yaml", "capture.yaml"))}
        self.assertTrue(last_layers)
        self.assertEqual({self.image.layer_of[path] for path in last_layers}, {2})
        self.assertEqual({self.image.layer_of[HOME + "/runtime/lib/modules"], self.image.layer_of[HOME + "/runtime/bin/java"]}, {1})

    def test_has_the_names_of_the_functions_of_its_own_vm_if_it_says_so(self):
        path = HOME + ".symbols"
        if not has_symbols(self.image):
            return self.assertNotIn(path, self.image.files)
        self.assertEqual(self.image.layer_of[path], 3)
        first, _, rest = self.image.contents[path].decode().partition("\n")
        vm = self.work / "libjvm.so"
        vm.write_bytes(next(content for name, content in self.elves.items() if name.endswith("/libjvm.so")))
        notes = subprocess.run(["readelf", "--notes", vm], check=True, capture_output=True, text=True).stdout
        self.assertEqual(first, "0 build-id " + re.search(r"Build ID: (\w+)", notes).group(1))
        self.assertRegex(rest, r"(?m)^[0-9a-f]+ CompileBroker::compiler_thread_loop$")

    def test_has_no_text_relocations(self):
        """A host that enforces SELinux refuses them, and an executable stack."""
        for path, told in self.told.items():
            self.assertIn("Dynamic section", told, path)
        self.assertEqual([path for path, told in self.told.items() if "TEXTREL" in told], [])
        self.assertEqual([path for path, told in self.told.items() if re.search(r"GNU_STACK .* RWE ", told)], [])

    def test_finds_every_library_inside(self):
        loader = f"/lib/{LIBRARIES[self.image.platform]}"
        self.assertTrue(self.told)
        for path, told in self.told.items():
            folders = [loader, HOME + "/runtime/lib"]
            # libjvm.so is there before any library that names it: the java launcher loads it by its path
            folders += [folder.rpartition("/")[0] for folder in self.elves if folder.endswith("/libjvm.so")]
            for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", told):
                with self.subTest(path=path, needed=needed):
                    self.assertTrue(any(f"{folder}/{needed}" in self.elves for folder in folders))
            for interpreter in re.findall(r"program interpreter: (\S+)\]", told):
                with self.subTest(path=path, interpreter=interpreter):
                    self.assertIn(interpreter, self.image.files)

    def test_trusts_the_common_authorities(self):
        self.assertGreater(self.image.contents["/etc/ssl/certs/ca-certificates.crt"].count(b"BEGIN CERTIFICATE"), 100)
        store = self.work / "cacerts"
        store.write_bytes(self.image.contents[HOME + "/runtime/lib/security/cacerts"])
        told = subprocess.run(["keytool", "-list", "-keystore", store, "-storepass", "changeit"], check=True, capture_output=True, text=True)
        self.assertGreater(told.stdout.count("trustedCertEntry"), 100)



load_tests = for_each_image(StructureTest)

if __name__ == "__main__":
    unittest.main()

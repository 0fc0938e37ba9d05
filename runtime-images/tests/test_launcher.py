"""Cases for both launchers, and for the select of each: what they read is one table, and what they say and how they end is the same.

Both run in copies of one image's folder, in front of a program that prints its arguments instead of java. The launcher is also
built with the sanitizers, which end it with a status of their own.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROFILES = REPOSITORY / "jvm-profiles"
LAUNCHER = REPOSITORY / "runtime-images/launcher"
JAVA = """#!/bin/sh
printf '%s\\n' "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX" "$@"
exit 7
"""
FINAGLE = "compact3-amd64-finagle"
IMAGES = ("i386-client", "amd64-tiered", "compact3-386", "compact3-amd64", "compact3-amd64-jdk21", "compact3-amd64-jdk25", FINAGLE)

# Files below /proc and /sys.
UNLIMITED = {}
V2 = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}
V2_NESTED = {
    "proc/self/cgroup": "0::/a/b/c\n",
    "sys/fs/cgroup/a/b/memory.max": "70000000\n",
    "sys/fs/cgroup/a/memory.max": "80000000\n",
    "sys/fs/cgroup/a/b/c/memory.max": "max\n",
}
V2_SMALL = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "25165824\n"}
V1 = {
    "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/docker/1:2/x/\n3:memoryless:/\n0::/\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728",
    "sys/fs/cgroup/memory/docker/1:2/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory.max": "268435456\n",
}
V1_SMALL = {"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1\n"}
# A sidecar runs in these, and a command that asks it is started next to it.
V2_ROOM = {"proc/self/cgroup": "0::/\n", "proc/self/oom_score_adj": "0\n", "sys/fs/cgroup/memory.max": "67108864\n",
           "sys/fs/cgroup/memory.current": "40000000\n", "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 6445568\nactive_file 9\n"}
V2_FULL = {**V2_ROOM, "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 6445567\n"}
V2_TERSE = {**V2_ROOM, "sys/fs/cgroup/memory.current": "33554433", "sys/fs/cgroup/memory.stat": ""}
V1_ROOM = {"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864\n",
           "sys/fs/cgroup/memory/memory.usage_in_bytes": "67108864\n",
           "sys/fs/cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 33554432\n"}
V1_FULL = {**V1_ROOM, "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 33554431\n"}
STRANGE = {"proc/self/cgroup": "\n::\n0\n4:memory\n0::/x\n" + "7:" * 5000 + "\n", "sys/fs/cgroup/x/memory.max": "12 34\n",
           "sys/fs/cgroup/memory.max": ""}
SYSTEMS = {"none": UNLIMITED, "v2": V2, "v2 nested": V2_NESTED, "v2 small": V2_SMALL, "v1": V1, "v1 small": V1_SMALL,
           "strange": STRANGE, "v2 room": V2_ROOM, "v2 full": V2_FULL, "v2 terse": V2_TERSE, "v1 room": V1_ROOM, "v1 full": V1_FULL}

RATES = ("1", "100", "101", "0100", "1000", "5000", "10000", "10001", "40000", "40001", "0", "000", "-1", "1e3", "many", "1 0", "",
         "999999999", "99999999999999999999999")
SIZES = ("64m", "64M", "64MiB", "64Mi", "67108864", "65536k", "1g", "1GiB", "58300000", "58299999", "8t", "plenty", "064m", "m", "64mb",
         "64 m", "0", "-5m", "9999999999999g", "9999999999999", "99999999999999", "64mi", "64ii", "")

SELECTIONS = [
    *(["--rps", rate] for rate in RATES),
    *(["--memory", size] for size in SIZES),
    [], ["--rps"], ["--memory"], ["--rps", "100", "--rps", "10000"], ["--memory", "1g", "--rps", "10"], ["--nothing"], ["x", "y"],
    ["--rps", "100", "--memory", "20m"], ["--rps", "many", "--memory", "many"],
]

# Arguments and variables.
STARTS = [
    *((["run", "--rps", rate, "--config", "x"], {}) for rate in RATES),
    *((["run", "--config", "x"], {"REMORA_RPS": rate}) for rate in RATES),
    *((["run"], {"JVM_HEAP_MAX": size}) for size in SIZES),
    *((["run"], {"JVM_HEAP_MIN": size}) for size in SIZES),
    ([], {}),
    (["run"], {}),
    (["run", "--config", "x", "--rps"], {}),
    (["run", "--config", "x", "--rps", "100"], {"REMORA_RPS": "10000"}),
    (["run", "--rps", "100", "--config", "", "--rps", "7", "a b", "*"], {}),
    (["check", "--rps", "7", "x"], {"REMORA_RPS": "no number"}),
    (["version"], {"JVM_HEAP_MAX": "1m"}),
    (["inject", "--undo", "-"], {"REMORA_RPS": "10000"}),
    (["injector", "--config", "x"], {"REMORA_RPS": "10000"}),
    (["compile-log", "--json", "x"], {"REMORA_RPS": "10000"}),
    (["run"], {"JVM_HEAP_MIN": "9m", "JVM_HEAP_MAX": "8m"}),
    (["run"], {"JVM_HEAP_MIN": "9m", "JVM_HEAP_MAX": "90m"}),
    (["run"], {"JVM_HEAP_MIN": "1g"}),
    (["run"], {"JVM_HEAP_MAX": "4096k"}),
    (["run"], {"REMORA_JAVA_OPTS": " -Xint\t-Dx=*  \n -Dy "}),
    (["run"], {"REMORA_JAVA_OPTS": ""}),
    (["run"], {"REMORA_JAVA_OPTS": " "}),
    (["run"], {"REMORA_JAVA_OPTS": "-D" + "x" * 70000}),
    (["run"], {"MALLOC_ARENA_MAX": "3"}),
    (["run"], {"MALLOC_ARENA_MAX": ""}),
    (["run", "--rps", "x"], {"JDK_JAVA_OPTIONS": "@mine", "JVM_HEAP_MAX": "9m"}),
    (["run", "--rps", "x"], {"JDK_JAVA_OPTIONS": "-Xint\t@mine"}),
    (["run", "--rps", "100"], {"JDK_JAVA_OPTIONS": "-Dmail=a@b"}),
    (["run", "--rps", "x"], {"REMORA_JVM_FILE": "/dev/null"}),
    (["run"], {"REMORA_JVM_FILE": "/nowhere/options"}),
]


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def run(command, root, variables):
    environment = {"PATH": os.environ["PATH"], "REMORA_SYSTEM_ROOT": str(root), **variables}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class LauncherTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="launcher."))
        cls.addClassCleanup(shutil.rmtree, cls.work)
        for name, flags in (("plain", []), ("sanitized", ["-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                                          "-U_FORTIFY_SOURCE"])):
            subprocess.run([LAUNCHER / "build", cls.work / name, *flags], check=True)
        for name, files in SYSTEMS.items():
            for path, text in files.items():
                write(cls.work / "system" / name / path, text)
        cls.table = subprocess.run([PROFILES / "flatten"], check=True, capture_output=True, text=True).stdout
        for image in IMAGES:
            cls.make_homes(image)

    @classmethod
    def make_homes(cls, image):
        """One home with the launcher written in sh, and one with each build of the other; all have the same table."""
        for kind in ("sh", "plain", "sanitized"):
            home = cls.work / "home" / image / kind
            profiles = home / "jvm-profiles"
            write(home / "image", f"name={image}\njdk={image.partition('-jdk')[2] or 17}\n")
            if image == FINAGLE:
                (home / "image").write_text(f"name={image}\nengine=finagle\njdk=17\n")
                write(home / "lib/remora/finagle/remora-finagle.jar", "")
            write(home / "runtime/bin/java", JAVA, 0o755)
            write(home / "lib/remora/remora.jar", "")
            write(profiles / "table", cls.table)
            (home / "bin").mkdir()
            if kind != "sh":
                shutil.copy(cls.work / kind, home / "bin/remora")
                continue
            shutil.copy(REPOSITORY / "proxy/bin/remora", home / "bin/remora")
            for name in ("select", "selection.sh"):
                shutil.copy(PROFILES / name, profiles)

    def homes(self, image):
        return [self.work / "home" / image / kind for kind in ("sh", "plain", "sanitized")]

    def compare(self, image, system, from_sh, from_c, variables):
        root = self.work / "system" / system
        sh, *others = self.homes(image)
        status, out, err = run([sh / from_sh[0], *from_sh[1:]], root, variables)
        out = out.splitlines()
        for home in others:
            with self.subTest(image=image, system=system, command=from_c, variables=variables, build=home.name):
                its_status, its_out, its_err = run([home / from_c[0], *from_c[1:]], root, variables)
                self.assertEqual((status, err.replace(str(sh), "HOME")), (its_status, its_err.replace(str(home), "HOME")))
                self.assertEqual([line.replace(str(sh), "HOME") for line in out],
                                 [line.replace(str(home), "HOME") for line in its_out.splitlines()])
        return status, out, err

    def test_select_says_what_the_host_says(self):
        seen = set()
        for arguments in SELECTIONS:
            seen.add(self.compare("compact3-amd64", "v2", ["jvm-profiles/select", *arguments], ["bin/remora", "select", *arguments],
                                  {})[0])
        for image in IMAGES:
            for system in SYSTEMS:
                arguments = ["--rps", "40000"] if image == "amd64-tiered" else []
                seen.add(self.compare(image, system, ["jvm-profiles/select", *arguments], ["bin/remora", "select", *arguments],
                                      {})[0])
        self.assertEqual(seen, {0, 64, 78}, "the cases reach every end")

    def test_starts_what_the_host_starts(self):
        seen = set()
        for arguments, variables in STARTS:
            seen.add(self.compare("compact3-386", "v2", ["bin/remora", *arguments], ["bin/remora", *arguments], variables)[0])
        for image in IMAGES:
            for system in SYSTEMS:
                seen.add(self.compare(image, system, ["bin/remora", "run"], ["bin/remora", "run"], {})[0])
        self.assertEqual(seen, {7, 64, 69, 78}, "the cases reach every end")

    def test_starts_an_engine_of_its_own_by_its_class_path(self):
        status, out, err = self.compare(FINAGLE, "none", ["bin/remora", "run"], ["bin/remora", "run"], {})
        home = self.homes(FINAGLE)[0]
        self.assertEqual((status, err), (7, ""))
        self.assertEqual(["-cp", f"{home}/lib/remora/remora.jar:{home}/lib/remora/finagle/remora-finagle.jar", "io.remora.Main", "run"],
                         out[-4:])
        self.assertIn("-Dremora.profile=finagle-rps-1000", out)

    def test_a_command_next_to_a_sidecar_needs_room(self):
        left = {"none": None, "v2": None, "v2 nested": None, "v2 room": None, "v1 room": None, "strange": None,
                "v2 full": 33554431, "v2 terse": 33554431, "v1 full": 33554431}
        for system, bytes_left in left.items():
            for word in ("bundle", "advise"):
                arguments = ["bin/remora", word, "127.0.0.1:1", "--list"]
                status, out, err = self.compare("i386-client", system, arguments, arguments, {"REMORA_RPS": "10000"})
                if bytes_left is None:
                    self.assertEqual((status, err), (7, ""), system)
                    self.assertIn("-Dremora.profile=rps-100", out)
                    self.assertEqual(out[-3:], arguments[1:])
                else:
                    self.assertEqual((status, out), (78, []), system)
                    self.assertRegex(err, rf"\Aremora: {word} needs 33554432 bytes next to the sidecar, and .*/sys/fs/cgroup/\S+ leaves "
                                          rf"{bytes_left}; run it outside of the container, such as by kubectl port-forward\n\Z")
        score = self.work / "system/v2 room/proc/self/oom_score_adj"
        for home in self.homes("i386-client"):
            score.write_text("0\n")
            run([home / "bin/remora", "bundle"], self.work / "system/v2 room", {})
            self.assertEqual(score.read_text(), "1000\n", home.name)

    def test_starts_nothing_where_the_peak_does_not_fit(self):
        status, out, err = self.compare("i386-client", "v2 small", ["bin/remora", "run"], ["bin/remora", "run"], {})
        self.assertEqual((status, out), (78, []))
        self.assertRegex(err, r"\Aremora: rps-1000 on image i386-client needs \d+ bytes \(measured peak and 10 %\); "
                              r".+/sys/fs/cgroup/memory.max allows 25165824\n\Z")

    def test_tells_what_is_missing_in_one_line(self):
        home = self.homes("amd64-tiered")[2]
        for name, status in (("runtime/bin/java", 69), ("jvm-profiles/table", 69), ("image", 69)):
            with self.subTest(name=name):
                hidden = home / (name + ".hidden")
                (home / name).rename(hidden)
                try:
                    its_status, out, err = run([home / "bin/remora", "run"], self.work, {"JVM_HEAP_MAX": "16m"})
                finally:
                    hidden.rename(home / name)
                self.assertEqual((its_status, out), (status, ""))
                self.assertRegex(err, rf"\Aremora: {re.escape(str(home / name))}: [^\n]+\n\Z")

    def test_program_is_hardened(self):
        told = subprocess.run(["readelf", "-hdlW", self.work / "plain"], check=True, capture_output=True, text=True).stdout
        self.assertRegex(told, r"Type: +DYN \(Position-Independent")
        self.assertNotIn("TEXTREL", told)
        self.assertRegex(told, r"FLAGS_1\) +Flags: NOW PIE")
        self.assertRegex(told, r"GNU_RELRO")
        self.assertRegex(told, r"GNU_STACK .* RW +0x")
        self.assertEqual(re.findall(r"NEEDED\).*\[(.*)\]", told), ["libc.so.6"])


if __name__ == "__main__":
    unittest.main()

"""Builds the smallest runtime image and damages it: each damage is to fail the check that it is for."""
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import zipfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from endpoint import slow_endpoint
from profiles import SECONDS, profile_until, profile_where, samples

IMAGES = Path(__file__).resolve().parent.parent
IMAGE = VM = TOLD = None
NEWEST_OPENSSL = "9.9.9-1"


def setUpModule():
    global IMAGE, VM, TOLD, scratch
    scratch = tempfile.TemporaryDirectory()
    IMAGE = Path(scratch.name) / "image"
    VM = IMAGE / "runtime/lib/client/libjvm.so"
    built = build()
    if built.returncode != 0:
        scratch.cleanup()
        raise AssertionError(built.stdout)
    TOLD = built.stdout


def tearDownModule():
    scratch.cleanup()


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **{name: str(value) for name, value in environment.items()}})


def build(image=None, *flags):
    return run(IMAGES / "build", "i386-client", *flags, "--output", image or IMAGE)


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


@contextmanager
def moved_debian_vm(address):
    """Debian's VM, moved to an address, instead of ours, with libgcc_s and the C++ runtime, which it needs."""
    program = f". {IMAGES}/common.sh; find_packages linux/386 17 debian; unpack_packages; cd {scratch.name}; rm -rf jmod; "
    program += f"unpacked jmod extract --dir jmod $jdk_home/jmods/java.base.jmod; tool FixedAddress jmod/lib/client/libjvm.so {address:#x}; "
    program += "find $packages -name libstdc++.so.6; find $packages -name libgcc_s.so.1"
    moved = run("bash", "-ec", program)
    if moved.returncode != 0:
        raise AssertionError(moved.stdout)
    libraries = [Path(path) for path in moved.stdout.splitlines()[-2:]]
    needed = [IMAGE / "sysroot/lib/i386-linux-gnu" / library.name for library in libraries]
    for library, copy in zip(libraries, needed):
        shutil.copy(library, copy)
    try:
        with restored(VM) as library:
            shutil.copy(Path(scratch.name) / "jmod/lib/client/libjvm.so", library)
            yield
    finally:
        for copy in needed:
            copy.unlink()


class MemoryGroup:
    """A memory cgroup of its own, of version 1 or 2, whose end kills what is left in it. Raises OSError where none can be made."""

    def __init__(self):
        root = Path("/sys/fs/cgroup")
        self.first = (root / "memory/memory.stat").exists()
        if not self.first and "memory" not in (root / "cgroup.subtree_control").read_text().split():
            raise OSError("no controller of memory")
        self.path = (root / "memory" if self.first else root) / f"remora-test-{os.getpid()}"
        self.path.mkdir()

    def bytes(self, key):
        return int(re.search(rf"(?m)^{key} (\d+)$", (self.path / "memory.stat").read_text()).group(1))

    def active_file(self):
        return self.bytes("total_active_file" if self.first else "active_file")

    def file(self):
        return self.bytes("total_cache" if self.first else "file")

    def used(self):
        used = int((self.path / ("memory.usage_in_bytes" if self.first else "memory.current")).read_text())
        return used - self.bytes("total_inactive_file" if self.first else "inactive_file")

    def make_active(self, file):
        """Pages that a process of the cgroup reads twice are active."""
        subprocess.run(["sh", "-c", 'echo $$ >"$0" && cat "$1" "$1" "$1" >/dev/null', self.path / "cgroup.procs", file], check=True)

    def end(self):
        """Until the kernel has let its last process go."""
        deadline = time.monotonic() + 20
        while True:
            for pid in (self.path / "cgroup.procs").read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            try:
                return self.path.rmdir()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


def evict(folder):
    """Drops files from the kernel's cache, so that the cgroup of the process that reads them next is charged for them."""
    for file in folder.rglob("*"):
        if file.is_file():
            with open(file, "rb") as opened:
                os.fsync(opened.fileno())
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def mapped(pid, field, *parts):
    """The words of a field of smaps, for each mapping of a file with some of its rights, as (file, rights)."""
    found, counted = [], False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0]:
            counted = any(line.endswith(f"/{file}") and rights in words[1] for file, rights in parts)
        elif counted and words[0] == field:
            found.append(words[1:])
    return found


def resident_kb(pid, *parts):
    return sum(int(words[0]) for words in mapped(pid, "Rss:", *parts))


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

    def test_what_it_was_made_from_keeps_its_own_time(self):
        """A container's build takes a file for the one that it has by size and time, and two builds may be of the same size."""
        made = IMAGES / "target/vms"
        [first] = {os.stat(path).st_mtime for path in IMAGE.rglob("libjvm.so")}
        for path in (made / "c1-17-i386/libjvm.so", made / "c1-17-i386/release", made / "native-i386-awslc/libremora.so"):
            self.assertGreater(os.stat(path).st_mtime, first, path)

    def test_its_jars_store_what_it_loads_without_the_names_of_local_variables(self):
        for jar in (IMAGE / "lib/remora").rglob("*.jar"):
            with zipfile.ZipFile(jar) as entries:
                compressed = [entry.filename for entry in entries.infolist() if entry.compress_type != zipfile.ZIP_STORED]
                # the schema is read by 'remora schema' alone, the injection, its webhook and the commands by no sidecar, the rest by few
                unread = ("io/remora/inject/", "io/remora/webhook/", "io/remora/adminclient/", "io/remora/advise/", "io/remora/bundle/",
                          "io/remora/compilelog/", "io/remora/probes/", "io/remora/vmflags/", "io/remora/dashboard/", "io/remora/admin/dashboard",
                          "io/remora/profile/", "io/remora/flame/")
                self.assertEqual([name for name in compressed if not name.endswith(".json") and not name.startswith(unread)], [], jar)
                self.assertEqual([name for name in entries.namelist() if re.search("META-INF/(maven/|native-image/|INDEX)|/svm/", name)], [], jar)
        for jar, name, has_lines in (("remora.jar", "io.remora.Main", True), ("lib/netty-common-*.jar", "io.netty.util.AsciiString", False)):
            [found] = (IMAGE / "lib/remora").glob(jar)
            told = run("javap", "-l", "-p", "-cp", found, name)
            self.assertEqual(told.returncode, 0, told.stdout)
            self.assertEqual("LineNumberTable" in told.stdout, has_lines, name)
            self.assertNotIn("LocalVariable", told.stdout)

    def test_its_libraries_have_lost_the_methods_that_nothing_calls_and_no_field(self):
        [found] = (IMAGE / "lib/remora").glob("lib/netty-buffer-*.jar")
        [whole] = (IMAGES.parent / "proxy/core/target").glob("lib/netty-buffer-*.jar")
        before, after = (self.members(jar, "io.netty.buffer.UnpooledByteBufAllocator") for jar in (whole, found))
        self.assertIn("metric()", before)
        self.assertNotIn("metric()", after)
        self.assertIn("newDirectBuffer", after)
        self.assertEqual(re.findall(r"(?m)^ .*[^)];$", before), re.findall(r"(?m)^ .*[^)];$", after))

    @staticmethod
    def members(jar, name):
        told = run("javap", "-p", "-cp", jar, name)
        if told.returncode != 0:
            raise AssertionError(told.stdout)
        return told.stdout

    def test_its_launcher_starts_its_own_java_or_another(self):
        other = Path(scratch.name) / "java"
        other.write_text('#!/bin/sh\nif [ "$1" = -version ]; then echo \'openjdk version "17"\'; else printf "%s\\n" "$@"; fi\n')
        other.chmod(0o755)
        own = run(IMAGE / "bin/remora", "version", REMORA_JAVA_OPTS="-showversion")
        self.assertEqual(own.returncode, 0, own.stdout)
        self.assertIn("Custom VM", own.stdout)
        told = run(IMAGE / "bin/remora", "version", REMORA_JAVA=str(other))
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("\n-Dremora.profile=rps-1000\n-Dremora.image=host\n", told.stdout)

    def test_has_the_modules_that_jdeps_asks_for(self):
        checked = run(IMAGES / "modules/check")
        self.assertEqual(checked.returncode, 0, checked.stdout)


def unpacked(program, *arguments):
    """A program of the JDK that the image's modules come from."""
    return run("bash", "-ec", f'. {IMAGES}/common.sh; find_packages linux/386 17; unpacked "$@"', "unpacked", program, *arguments)


class VirtualMachine(unittest.TestCase):
    """What its features are there for."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = Path(directory.name)

    def sidecar(self, backend=1, group=None, admin="", **environment):
        """A running one, in the work directory, and in a cgroup if there is one; start is what it said until it was ready.
        admin is more of its configuration."""
        config = self.work / "remora.yaml"
        config.write_text('# A comment\n'
                          f'admin: {{ address: "127.0.0.1:0" {admin} }}\n'
                          'listeners: [ { address: "127.0.0.1:0", cluster: app } ]\n'
                          f'clusters: {{ app: {{ endpoints: ["127.0.0.1:{backend}"] }} }}\n')
        joining = ["sh", "-c", 'echo $$ >"$0" && exec "$@"', group.path / "cgroup.procs"] if group else []
        process = subprocess.Popen([*joining, IMAGE / "bin/remora", "run", "--config", config], cwd=self.work, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, env={**os.environ, **{name: str(value) for name, value in environment.items()}})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.start = self.said(process, " ready; ")
        return process

    @staticmethod
    def addresses(process):
        """The port of its listener, and the address of its admin listener."""
        [port] = re.findall(r" listener \S+ on \S+:(\d+)", process.start)
        [admin] = re.findall(r" ready; admin on (\S+:\d+)", process.start)
        return port, admin

    @staticmethod
    def said(process, words):
        """The next lines up to one with some words in it, which it has to say within a minute."""
        lines = []
        too_long = threading.Timer(60, process.kill)
        too_long.start()
        try:
            for line in process.stdout:
                lines.append(line)
                if words in line:
                    return "".join(lines)
        finally:
            too_long.cancel()
        raise AssertionError(f"it never said {words!r}")

    def test_commands_reach_it_by_attaching(self):
        process = self.sidecar()
        self.assertIn("OpenJDK Custom VM version", unpacked("jcmd", process.pid, "VM.version").stdout)
        dump = self.work / "heap.hprof"
        self.assertIn("Heap dump file created", unpacked("jcmd", process.pid, "GC.heap_dump", dump).stdout)
        self.assertEqual(b"JAVA PROFILE", dump.read_bytes()[:12])

    def test_profiles_name_functions_of_the_vm_by_the_file_next_to_the_image(self):
        symbols = IMAGE.with_name("image.symbols")
        self.assertNotIn("symbols", (IMAGE / "manifest").read_text())
        process = self.sidecar(admin=", profile: true")
        port, admin = self.addresses(process)

        def profile(words):
            return profile_until(words, admin, lambda: self.status(port))

        named = profile("CompileBroker::compiler_thread_loop_[v]")
        self.assertRegex(named, r"(?m)^\[C1 [^;]+\];.*CompileBroker::compiler_thread_loop_\[v\];CompileBroker::\w+_\[v\]")
        self.assertNotIn(str(symbols), Path(f"/proc/{process.pid}/maps").read_text())
        with restored(symbols) as file:
            file.unlink()
            self.assertNotIn("CompileBroker", profile("[libjvm.so]_[v]"))
            # with these names, each function would have another one's
            symbols.write_text("0 build-id 00\n1 CompileBroker::compiler_thread_loop\n")
            self.assertNotIn("CompileBroker", profile("[libjvm.so]_[v]"))
            self.said(process, f"profile: {symbols} belongs to another build of {VM}; ")

    def first_profile(self, holds, what, options):
        """A profile for which something holds, of a sidecar that has just started. Where a busy machine lets one start too slowly, the next has
        its turn."""
        deadline = time.monotonic() + SECONDS
        while True:
            process = self.sidecar(admin=", profile: true", REMORA_JAVA_OPTS=options)
            port, admin = self.addresses(process)
            try:
                # the compiler has to have more to do than the event loop
                return profile_where(holds, what, admin, lambda: (self.status(port), time.sleep(0.05)), 6)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            finally:
                process.kill()
                process.wait()

    def test_a_profile_shows_a_compile_storm_as_the_compiler(self):
        """A storm in which the compiler has more CPU time than the event loops, as in the flame graph of an article."""
        found = self.first_profile(lambda found: samples(found, ";CompileBroker::") > samples(found, "[remora-loop") > 0, "of a storm", "-Xcomp")
        self.assertRegex(found, r"(?m)^\[C1 [^;]+\];.*CompileBroker::invoke_compiler_on_method\(?.*_\[v\]")

    def test_a_profile_shows_a_code_cache_that_is_nearly_full_as_its_sweeper(self):
        found = self.first_profile(lambda found: samples(found, ";NMethodSweeper::") > 0, "of a sweeper",
                                   "-Xcomp -XX:ReservedCodeCacheSize=4m")
        self.assertRegex(found, r"(?m)^\[Sweeper thread\];.*NMethodSweeper::\w+")

    def test_a_profile_shows_nothing_of_an_endpoint_that_is_slow(self):
        with slow_endpoint(0.2) as endpoint:
            process = self.sidecar(backend=endpoint, admin=", profile: true")
            port, admin = self.addresses(process)
            statuses = []
            # ten requests in two seconds; a thread that is busy has hundreds of samples
            profile_where(lambda found: 0 < samples(found) < 20 and not samples(found, "CompileBroker::") and not samples(found, "NMethodSweeper::"),
                          "of an idle sidecar", admin, lambda: statuses.append(self.status(port)))
            self.assertEqual({b"200"}, set(statuses))

    def test_its_jars_stay_closed(self):
        """All classes come from the archive. An open jar keeps its directory in the heap."""
        pid = self.sidecar().pid
        opened = []
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since
                opened.append(os.readlink(link))
        self.assertGreater(len(opened), 3)
        self.assertEqual([path for path in opened if path.endswith(".jar")], [])

    def test_pages_that_only_the_start_has_read_are_released(self):
        def resident(pid):
            return resident_kb(pid, ("classes.jsa", "r--p"), ("libjvm.so", "r-xp"))

        with restored(IMAGE / "runtime/lib/libremora.so") as library:
            library.unlink()
            without = resident(self.sidecar().pid)
        pid = self.sidecar().pid
        # it says that it is ready, and then lets go
        deadline = time.monotonic() + 20
        while resident(pid) >= without - 1_000 and time.monotonic() < deadline:
            time.sleep(0.02)
        with_it = resident(pid)
        self.assertGreater(with_it, 0)
        self.assertLess(with_it, without - 1_000)

    def test_two_in_five_writable_pages_of_the_archive_stay_clean(self):
        """HotSpot's own linking of classes leaves one in ten."""
        pid = self.sidecar().pid
        self.wait_until_it_waits(pid)
        size, written = (sum(int(words[0]) for words in mapped(pid, field, ("classes.jsa", "rw-p"))) for field in ("Size:", "Anonymous:"))
        self.assertLess(written, size * 0.6)

    def test_an_archive_at_another_address_works(self):
        options = "-Xshare:on -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=1"
        process = self.sidecar(REMORA_JAVA_OPTS=options)
        self.assertTrue(mapped(process.pid, "Size:", ("classes.jsa", "r-xp")))
        [port] = re.findall(r" listener \S+ on \S+:(\d+)", process.start)
        self.assertEqual(b"502", self.status(port))

    def test_checks_the_flags_of_the_user_by_the_table_of_the_image(self):
        # a deprecated flag at the alphabet's end, as the JVM complains of flags in their order
        old = "-XX:+UseBiasedLocking" if "jdk=17\n" in (IMAGE / "image").read_text() else ""
        process = self.sidecar(REMORA_JAVA_OPTS=f"-XX:MaxHeapFreeRatio=70 -XX:MinHeapFreeRatio=30 -Xmx24m -Xmx24m {old}",
                               JDK_JAVA_OPTIONS="-XX:+UsePerfData")
        found = [line[line.index("java options: "):] for line in process.start.splitlines() if "java options: " in line]
        self.assertEqual(found, [
            "java options: -XX:+UsePerfData in JDK_JAVA_OPTIONS is overridden by -XX:-UsePerfData, which comes later; it does nothing",
            "java options: -XX:MaxHeapFreeRatio=70 in REMORA_JAVA_OPTS is the default of this JVM; it changes nothing",
            "java options: -Xmx24m in REMORA_JAVA_OPTS repeats -Xmx24m before it; it changes nothing",
            *([f"java options: {old} in REMORA_JAVA_OPTS is deprecated since Java 15; a later release may refuse it"] if old else [])])

    def test_code_in_the_archive_is_not_written_to(self):
        pid = self.sidecar().pid
        self.wait_until_it_waits(pid)
        self.assertEqual(["0"], [words[0] for words in mapped(pid, "Anonymous:", ("classes.jsa", "r-xp"))])
        self.assertEqual([], mapped(pid, "Size:", ("classes.jsa", "wxp")))

    def test_what_it_writes_to_in_the_archive_is_listed(self):
        checked = run(IMAGES / "order-archive", "--check", IMAGE)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_released_pages_are_no_part_of_the_working_set(self):
        """A kubelet takes inactive file pages off what a cgroup is charged, and no active ones."""
        try:
            group = MemoryGroup()
        except OSError as refused:
            self.skipTest(f"no memory cgroup can be made here: {refused}")
        self.addCleanup(group.end)
        evict(IMAGE)
        pid = self.sidecar(group=group).pid
        # the second time is after it has said that it is ready
        self.wait_until_it_waits(pid)
        self.assertGreater(group.file(), 10_000_000)
        self.assertLess(group.active_file(), 1_000_000)

    def test_active_pages_of_its_code_are_deactivated_where_memory_is_short(self):
        try:
            group = MemoryGroup()
        except OSError as refused:
            self.skipTest(f"no memory cgroup can be made here: {refused}")
        self.addCleanup(group.end)
        limit = 60 << 20
        name = "memory.limit_in_bytes" if group.first else "memory.max"
        evict(IMAGE)
        process = self.sidecar(group=group, REMORA_JAVA_OPTS=f"-Xmx8m -Dremora.limit={limit} -Dremora.limit.from={group.path / name}")
        self.wait_until_it_waits(process.pid)
        [port] = re.findall(r" listener \S+ on \S+:(\d+)", process.start)
        unpacked("jcmd", process.pid, "Thread.print")
        group.make_active(VM)
        # REFUSE begins at 96 % of the usable memory, which is 94 % of the limit
        padding = self.work / "padding"
        padding.touch()
        os.truncate(padding, limit * 94 // 100 * 98 // 100 - group.used())
        group.make_active(padding)
        before, deadline = group.active_file(), time.monotonic() + 20
        self.assertGreater(before, os.stat(padding).st_size)
        while group.active_file() > before - 1_000_000:
            self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.status(port), b"502")

    @staticmethod
    def status(port):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client.makefile("rb").readline().split()[1]

    def test_pages_read_in_the_minute_after_a_burst_are_released(self):
        with ExitStack() as opened:
            backend = opened.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1000))
            process = self.sidecar(backend.getsockname()[1], REMORA_JAVA_OPTS=f"-Xmx8m -Dremora.limit={40 << 20}")
            [port] = re.findall(r" listener \S+ on \S+:(\d+)", process.start)
            [exchanges] = re.findall(r" and (\d+) exchanges at once", process.start)
            for _ in range(int(exchanges)):
                client = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
                # an end by RST
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            self.said(process, "memory pressure: ")
        self.said(process, "memory pressure: CALM")
        # the burst's own end is the first
        for _ in range(3):
            code = ("libjvm.so", "r-xp")
            unpacked("jcmd", process.pid, "Thread.print")
            more, deadline = resident_kb(process.pid, code), time.monotonic() + 20
            while resident_kb(process.pid, code) >= more - 500:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
        # and is read one by one again, as the low limit asks for
        deadline = time.monotonic() + 20
        while not all("rr" in words for words in mapped(process.pid, "VmFlags:", ("classes.jsa", ""), code)):
            self.assertLess(time.monotonic(), deadline)

    def wait_until_it_waits(self, pid):
        """Nothing else is left to be done at the start then."""
        deadline = time.monotonic() + 20
        while "awaitShutdown" not in unpacked("jcmd", pid, "Thread.print").stdout:
            self.assertLess(time.monotonic(), deadline)

    def test_pages_of_files_are_read_one_by_one_under_a_low_limit(self):
        """Else what the kernel reads ahead pushes out of the limit what is in use."""
        for limit, singly in ((64 << 20, True), (65 << 20, False)):
            pid = self.sidecar(REMORA_JAVA_OPTS=f"-Xmx16m -Dremora.limit={limit}").pid
            self.wait_until_it_waits(pid)
            flags = mapped(pid, "VmFlags:", ("classes.jsa", ""), ("libjvm.so", "r-xp"))
            self.assertEqual({singly}, {"rr" in words for words in flags}, limit)

    def test_a_heap_dump_that_cannot_be_written_is_told(self):
        nowhere = self.work / "nowhere/heap.hprof"
        told = f"Unable to create {nowhere}: No such file or directory"
        self.assertIn(told, unpacked("jcmd", self.sidecar().pid, "GC.heap_dump", nowhere).stdout)
        (self.work / "Full.java").write_text("class Full { public static void main(String[] none) { byte[][] all = new byte[64][]; "
                                             "for (int i = 0; i < 64; i++) all[i] = new byte[1 << 20]; System.out.print(all.length); } }")
        compiled = unpacked("javac", "-d", self.work, self.work / "Full.java")
        self.assertEqual(0, compiled.returncode, compiled.stdout)
        full = run(IMAGE / "bin/java", "-Xmx16m", "-XX:+ExitOnOutOfMemoryError", "-XX:+HeapDumpOnOutOfMemoryError",
                   f"-XX:HeapDumpPath={nowhere}", "-cp", self.work, "Full")
        self.assertEqual(3, full.returncode)
        self.assertIn(told, full.stdout)

    def test_a_crash_leaves_a_report_and_its_status(self):
        process = self.sidecar()
        process.send_signal(signal.SIGSEGV)
        self.assertEqual(-signal.SIGABRT, process.wait(60))
        report = (self.work / f"hs_err_pid{process.pid}.log").read_text()
        self.assertIn("SIGSEGV", report)
        self.assertRegex(report, r"Java VM: OpenJDK Custom VM \(\S+-remora, ")


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
            self.assert_fails("size", r"bytes, its budget is 31000000")
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

    def assert_fails_with(self, check, message, old, new, count=1):
        """Where octets of the VM's library are others."""
        with restored(VM) as library:
            content = library.read_bytes()
            self.assertEqual(content.count(old), count)
            library.write_bytes(content.replace(old, new))
            self.assert_fails(check, message)

    def test_a_vm_of_another_version_than_its_modules(self):
        version = re.search(rb"17\.0\.\d+\+\d+-[^\0]*-remora", VM.read_bytes()).group()
        other = version.replace(b"17.0.", b"17.9.")
        with restored(VM) as library:
            library.write_bytes(library.read_bytes().replace(version, other))
            self.assert_fails("version", r"the modules are of version 17\.0\.\S+, the VM is of 17\.9\.")

    def test_a_library_with_text_relocations(self):
        told = subprocess.run(["readelf", "-dW", VM], check=True, capture_output=True, text=True).stdout
        self.assertRegex(told, r"\(FLAGS\) +BIND_NOW STATIC_TLS")
        bound, with_text_relocations = (b"\x1e\0\0\0" + flags.to_bytes(4, "little") for flags in (0x18, 0x1C))
        self.assert_fails_with("text_relocations", "runtime/lib/client/libjvm.so has text relocations", bound, with_text_relocations)

    def test_a_library_that_is_relocated_while_it_runs(self):
        # the flags of both tags that say so
        with restored(VM) as library:
            content = library.read_bytes()
            for tag, flags in ((0x1E, 0x18), (0x6FFFFFFB, 1)):
                entry = struct.pack("<II", tag, flags)
                self.assertEqual(content.count(entry), 1)
                content = content.replace(entry, struct.pack("<II", tag, 0x10 if tag == 0x1E else 0))
            library.write_bytes(content)
            self.assert_fails("hardening", "runtime/lib/client/libjvm.so is relocated while it runs")

    def test_an_executable_stack(self):
        with restored(VM) as library:
            content = bytearray(library.read_bytes())
            # of a program header: type, offset, addresses, sizes, flags
            header = content.index(struct.pack("<IIIIII", 0x6474E551, 0, 0, 0, 0, 0))
            content[header + 24] |= 1
            library.write_bytes(content)
            self.assert_fails("hardening", "runtime/lib/client/libjvm.so has an executable stack")

    def test_a_vm_that_is_always_at_one_address(self):
        with moved_debian_vm(0x70000000):
            self.assert_fails("addresses", "the VM was at 0x70000000 in three processes")

    def test_a_missing_library(self):
        with restored(next((IMAGE / "sysroot/lib").glob("*/libz.so.1"))) as library:
            library.unlink()
            self.assert_fails("libraries", "needs libz.so.1, which is missing")

    def test_a_library_that_ends_threads_by_libgcc_s(self):
        before, after = b"\0pthread_once\0", b"\0pthread_exit\0"
        self.assert_fails_with("libraries", "runtime/lib/client/libjvm.so ends threads by libgcc_s, which is missing", before, after)

    def test_a_missing_licence(self):
        for told, path in (("no licence of java.base", "runtime/legal/java.base/LICENSE"),
                           ("no licence of libgcc and libstdc++", "runtime/legal/java.base/gcc.md"),
                           ("no licence of libc6", "sysroot/usr/share/doc/libc6/copyright"),
                           ("no SOURCE of the VM", "runtime/legal/remora-vm/SOURCE"),
                           ("no no-desktop-libraries.patch of the VM", "runtime/legal/remora-vm/no-desktop-libraries.patch")):
            with self.subTest(told), restored(IMAGE / path) as licence:
                licence.unlink()
                self.assert_fails("legal", told)


class WithOpenSsl(unittest.TestCase):
    """The same image with OpenSSL, whole and damaged."""

    @classmethod
    def setUpClass(cls):
        cls.image = Path(scratch.name) / "image-openssl"
        cls.library = cls.image / "sysroot/lib/i386-linux-gnu"
        built = build(cls.image, "--tls", "openssl")
        if built.returncode != 0:
            raise AssertionError(built.stdout)
        cls.told = built.stdout

    def verify(self, check, status, message):
        verified = run(IMAGES / "verify", self.image, check)
        self.assertEqual(verified.returncode, status, verified.stdout)
        self.assertRegex(verified.stdout, rf"(?m)^  {'FAILED ' if status else 'ok     '} {check} .*{message}")

    def test_proves_that_it_speaks_tls_by_it(self):
        self.assertRegex(self.told, r"(?m)^  ok      openssl .*OpenSSL 3\.0\.\d+, TLS 1\.2 and 1\.3 with the host's openssl, OPENSSL_CONF ignored")
        self.assertRegex(self.told, r"(?m)^  ok      advisories .*OpenSSL 3\.0\.")

    def test_differs_from_the_default_by_what_tls_needs(self):
        plain, other = ({line.split()[2] for line in (image / "manifest").read_text().splitlines()} for image in (IMAGE, self.image))
        legal = "runtime/legal/awslc"
        self.assertEqual(plain - other, {legal, *(f"{legal}/{name}" for name in ("LICENSE", "LICENSE.openssl", "hidden.patch", "p256-x86.patch", "release"))})
        self.assertEqual(other - plain, {"sysroot/lib/i386-linux-gnu/libcrypto.so.3", "sysroot/lib/i386-linux-gnu/libssl.so.3",
                                         "sysroot/usr/share/doc/libssl3", "sysroot/usr/share/doc/libssl3/copyright"})

    def test_a_missing_library(self):
        for name, check, message in (("libssl.so.3", "libraries", "needs libssl.so.3, which is missing"),
                                     ("libcrypto.so.3", "openssl", "not by OpenSSL: .*libcrypto.so.3")):
            with self.subTest(name), restored(self.library / name) as file:
                file.unlink()
                self.verify(check, 1, message)

    def test_no_binding(self):
        with restored(self.image / "runtime/lib/libremora_tls.so") as file:
            file.unlink()
            self.verify("libraries", 1, "the library for TLS by openssl is missing")
            self.verify("openssl", 1, "not by OpenSSL: .*no remora_tls in java.library.path")

    def test_a_missing_licence(self):
        with restored(self.image / "sysroot/usr/share/doc/libssl3/copyright") as file:
            file.unlink()
            self.verify("legal", 1, "no licence of libssl3")

    def test_names_what_debian_has_fixed_since(self):
        fixed = [line for line in (IMAGES / "locks/openssl.advisories").read_text().splitlines() if not line.startswith("#")]
        with restored(self.image / "image") as image:
            said = image.read_text()
            for version, message in ((NEWEST_OPENSSL, "nothing known"), ("3.0.0-1", "OPEN, as fixed by Debian since then: CVE-" if fixed else "nothing")):
                with self.subTest(version):
                    image.write_text(re.sub(r"(?m)^openssl=.*$", f"openssl={version}", said))
                    self.verify("advisories", 0, message)
            image.write_text(re.sub(r"(?m)^openssl=.*\n", "", said))
            self.verify("advisories", 1, "does not say which OpenSSL")


class WithAwsLc(unittest.TestCase):
    """The library for TLS, whole and damaged."""

    def verify(self, check, status, message):
        verified = run(IMAGES / "verify", IMAGE, check)
        self.assertEqual(verified.returncode, status, verified.stdout)
        self.assertRegex(verified.stdout, rf"(?m)^  {'FAILED ' if status else 'ok     '} {check} .*{message}")

    def test_proves_that_it_speaks_tls_by_it(self):
        self.assertRegex(TOLD, r"(?m)^  ok      awslc .*AWS-LC \d+\.\d+\.\d+, TLS 1\.2 and 1\.3 with the host's openssl")
        self.assertRegex(TOLD, r"(?m)^  ok      advisories .*AWS-LC \d+\.\d+\.\d+, aws-lc-sys \d")

    def test_no_library(self):
        with restored(IMAGE / "runtime/lib/libremora_tls.so") as file:
            file.unlink()
            self.verify("libraries", 1, "the library for TLS by awslc is missing")
            self.verify("awslc", 1, "not by AWS-LC: .*no remora_tls in java.library.path")

    def test_a_library_that_is_there_without_tls(self):
        told = run(IMAGES / "verify", IMAGE, "awslc", LD_PRELOAD=IMAGE / "runtime/lib/libremora_tls.so").stdout
        self.assertRegex(told, "(?ms)^  FAILED  awslc .*a sidecar without TLS maps the library for it")

    def test_another_version_than_it_says(self):
        with restored(IMAGE / "image") as image:
            image.write_text(re.sub(r"(?m)^awslc=.*$", "awslc=1.0.0", image.read_text()))
            self.verify("awslc", 1, "and says AWS-LC 1.0.0")

    def test_a_missing_licence(self):
        for name in ("LICENSE", "LICENSE.openssl"):
            with self.subTest(name), restored(IMAGE / "runtime/legal/awslc" / name) as file:
                file.unlink()
                self.verify("legal", 1, f"no {name} of AWS-LC")

    def test_names_what_has_been_fixed_since(self):
        with restored(IMAGE / "image") as image:
            said = image.read_text()
            for version, message in (("9.9.9", "nothing known"), ("0.38.5", "OPEN, as fixed since then: CVE-2026-4428 GHSA-394x-vwmw-crm3$")):
                with self.subTest(version):
                    image.write_text(re.sub(r"(?m)^awslc_crate=.*$", f"awslc_crate={version}", said))
                    self.verify("advisories", 0, message)
            image.write_text(re.sub(r"(?m)^awslc_crate=.*\n", "", said))
            self.verify("advisories", 1, "does not say which AWS-LC")


class FixedAddress(unittest.TestCase):
    def test_one_line_where_the_address_is_taken(self):
        # where Linux puts the C library
        with moved_debian_vm(0xF7800000):
            started = run(IMAGE / "bin/java", "-Xshare:off", "-version")
            self.assertEqual((started.returncode, started.stdout), (71, "libjvm.so: its address 0xf7800000 is taken\n"))


if __name__ == "__main__":
    unittest.main()

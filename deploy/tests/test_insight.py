"""The commands and pages that look inside a sidecar, in pods of both images under a steady load: profiles, heap, compilers, event loops, bundle and dashboard."""
import contextlib
import json
import re
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from cluster import WAIT_SECONDS, ClusterTest, CommandError, await_that, end, run
from manifests import CONFIGURATION, PORT, application, config_map, pod, pod_spec, sidecar

ADMIN_PORT = 9990
MIB = 1 << 20
# The usual limit of a sidecar, which all of it has to fit in.
LIMIT_MIB = 64
PROFILER = "libremora_profile.so"
# Planted in the environment and in a field that the sidecar sets; a bundle must not show them.
IN_ENVIRONMENT, IN_FIELD = "planted-in-the-environment", "planted-in-a-field"
ALLOWED = (CONFIGURATION.replace('admin: {address: "127.0.0.1:9990"}', f'admin: {{address: "127.0.0.1:{ADMIN_PORT}", profile: true, pages: act}}\nlog-level: info')
           .replace("    cluster: app\n", f"    routes:\n      - {{name: all, cluster: app, request-headers: {{set: {{X-Planted: {IN_FIELD}}}}}}}\n", 1))
# Rows of the dashboard: kind, listener or cluster, name.
SHOWN = (("l", None, "inbound"), ("r", "inbound", "all"), ("e", "app", "127.0.0.1:8081"))
FILES = {"manifest.txt", "versions.txt", "config.yaml", "memory.txt", "peaks.txt", "threads.txt", "limits.txt", "state.txt"}


class Insight:
    """One pod for all tests of an image, each of which has a load of its own. The sidecar must survive each, and answer all requests meanwhile."""

    one_namespace = True

    @classmethod
    def setUpClass(cls):
        if run(["docker", "image", "inspect", *cls.images], check=False).returncode != 0:
            raise unittest.SkipTest(f"there is no image {cls.images[0]}")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        if not hasattr(type(self), "mapped_at_start"):
            remora = sidecar(self.images[0], memory=f"{LIMIT_MIB}Mi")
            remora["env"].append({"name": "PLANTED", "value": IN_ENVIRONMENT})
            self.apply(config_map(ALLOWED), pod("web", pod_spec(application(), remora=remora)))
            self.ready("web")
            type(self).mapped_at_start = self.mapped()

    def mapped(self):
        """The files that the sidecar's process maps."""
        return self.cluster.execute("cat", f"/proc/{self.cluster.container_pid(self.container())}/maps").stdout

    def container(self):
        return self.cluster.container_id(self.namespace, "web", "remora")

    @contextlib.contextmanager
    def under_load(self):
        """A load around what is tried. No request of it may fail, and the sidecar must be the same process, of whose group the kernel has killed none."""
        container = self.container()
        steady = self.load(f"http://{self.pod_address('web')}:{PORT}/")
        steady.await_requests(300)
        yield steady
        steady.await_requests(300)
        self.assert_clean(steady)
        status = next(one for one in self.get("pod", "web")["status"]["initContainerStatuses"] if one["name"] == "remora")
        self.assertEqual((0, {}, container), (status["restartCount"], status.get("lastState", {}), status["containerID"].removeprefix("containerd://")))
        killed = self.cluster.memory_file(container, "memory.oom_control", "memory.events")
        self.assertEqual("0", re.search(r"^oom_kill (\d+)$", killed, re.MULTILINE).group(1), killed)
        peak = int(self.cluster.memory_file(container, "memory.max_usage_in_bytes", "memory.peak"))
        print(f"{self.id()}: at most {peak / MIB:.0f} of {LIMIT_MIB} MiB so far")

    # ---- the sidecar's command, which needs no shell

    def remora(self, *words):
        """What the command writes to standard output in the container."""
        return self.kubectl("exec", "web", "-c", "remora", "--", "remora", *words).stdout

    def await_log(self, pattern):
        """The match of the sidecar's log with a pattern."""
        return await_that(pattern, lambda: re.search(pattern, self.kubectl("logs", "web", "-c", "remora").stdout))

    def test_profile_names_the_request_path(self):
        with self.under_load():
            stacks = self.remora("profile", "--cpu", "5s", "--hz", "250")
            self.assertNotIn(PROFILER, self.mapped_at_start, "nothing is loaded before it is asked for")
            self.assertIn(PROFILER, self.mapped())
            lines = stacks.splitlines()
            for line in lines:
                self.assertRegex(line, r"\A\[.*\].* \d+\Z")
            on_path = [line for line in lines if re.match(r"\[remora-loop[^;]*\];.*;io\.remora\.[\w.$]+_\[j\]", line)]
            self.assertTrue(on_path, stacks)
            told = self.await_log(r"profile: CPU profile of 5 s taken; sent it as collapsed peer=127\.0\.0\.1:\d+ samples=(\d+) dropped=(\d+) cut=(\d+) bytes=(\d+)\n")
            samples, dropped, cut, octets = map(int, told.groups())
            print(f"{self.id()}: {samples} samples, {dropped} dropped; such as {max(on_path, key=len)}")
            self.assertEqual(0, cut)
            # with the lines of the progress, which the command takes out
            self.assertTrue(len(stacks) < octets < len(stacks) + 1000, f"{octets} octets for {len(stacks)}")
            self.assertEqual(samples, sum(int(line.rpartition(" ")[2]) for line in lines))

    def test_profile_is_a_flame_graph(self):
        with self.under_load():
            page = self.remora("profile", "--cpu", "3s", "--format", "html")
            self.assertRegex(page, r'title: "CPU profile of 3 s"')
            self.assertIn('"io.remora.', page)
            self.assertTrue(page.rstrip().endswith("</html>"), page[-200:])

    def test_profile_of_allocations_names_the_request_path(self):
        with self.under_load():
            stacks = self.remora("profile", "--alloc", "3s", "--bytes", "4096")
            self.assertRegex(stacks, r"(?m)^\[remora-loop[^;]*\];.*;io\.remora\.[\w.$]+_\[j\];.*[\w.$\[\]]+_\[y\] [1-9]\d*$")

    def test_heap_histogram_has_the_largest_class_first(self):
        with self.under_load():
            text = self.remora("heap", "histogram")
            rows = [(int(count), int(octets), name) for count, octets, name in re.findall(r"(?m)^ *\d+: +(\d+) +(\d+) +(\S+)", text)]
            self.assertGreater(len(rows), 100, text)
            self.assertEqual(sorted((row[1] for row in rows), reverse=True), [row[1] for row in rows])
            self.assertIn(rows[0][2], ("[B", "[I", "[C", "[Ljava.lang.Object;", "java.lang.String", "java.lang.Class"), text[:500])
            self.assertIn("io.remora.admin.AdminPages", [row[2] for row in rows])
            total = re.search(r"(?m)^Total +(\d+) +(\d+)$", text)
            self.assertEqual((sum(row[0] for row in rows), sum(row[1] for row in rows)), tuple(map(int, total.groups())))
            self.await_log(rf"heap: histogram taken; sent it peer=127\.0\.0\.1:\d+ bytes={len(text)}\n")
            print(f"{self.id()}: {len(rows)} classes, {total.group(2)} bytes, the most {rows[0][1]} of {rows[0][2]}")

    def test_compiler_events_name_what_is_compiled(self):
        with self.under_load():
            def watch():
                text = self.remora("compiler-events", "2s")
                for line in text.splitlines():
                    self.assertRegex(line, r"\A(|\[\d+\.\d+s\].*)\Z")
                return re.search(r"\[\d+\.\d+s\] +\d+ .*(io\.(netty|remora)|java)\.[\w.$]+::\S+ ", text)
            # code that is compiled already has no events
            print(f"{self.id()}: {await_that('a compiled method', watch).group()}")
            self.await_log(r"compiler: events of 2s sent; the log of the JVM is off again peer=127\.0\.0\.1:\d+ bytes=\d+\n")

    def test_long_turns_are_counted(self):
        with self.under_load():
            text = self.remora("long-turns", "3s", "--above", "20ms")
            told = re.search(r"(\d+) turns? of 20ms or more in 3s, the longest of (\d+) ms\n\Z", text)
            self.assertTrue(told, text)
            count, longest = map(int, told.groups())
            self.assertEqual(count, len(re.findall(r"(?m)^loop \d+: (the turn took|still in the turn after) ", text)), text)
            self.assertEqual(count > 0, longest >= 20, text)
            self.await_log(rf"long-turns: loops watched for 3s; sent {count} turns peer=127\.0\.0\.1:\d+ bytes={len(text)}\n")

    def test_refused_command_says_why(self):
        """The JVM of a pod does not track its native memory."""
        with self.under_load(), self.assertRaises(CommandError) as refused:
            self.remora("native-memory")
        self.assertEqual(1, refused.exception.done.returncode)
        self.assertIn("-XX:NativeMemoryTracking=summary", refused.exception.done.stderr)

    # ---- the bundle

    def test_bundle_has_its_files_and_no_secret(self):
        with self.under_load(), tempfile.TemporaryDirectory(prefix="bundle.") as work:
            listed = self.remora("bundle", "--list")
            for name in FILES | {"metrics/"}:
                self.assertRegex(listed, rf"(?m)^  {re.escape(name)} ")
            archive = Path(work, "bundle.tar.gz")
            told = self.cluster.execute("sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "bundle", archive, "kubectl", "-n", self.namespace, "exec", "web", "-c", "remora",
                                        "--", "remora", "bundle", "--out", "-", "--yes", "--time", "2s", "--interval", "1s").stderr
            with tarfile.open(archive) as read:
                members = {one.name.removeprefix("remora-bundle/"): one for one in read.getmembers()}
                files = {name: read.extractfile(one).read().decode() for name, one in members.items()}
        self.assertEqual(FILES | {f"metrics/00{number}.txt" for number in (1, 2, 3)}, set(files))
        self.assertEqual({0o600}, {one.mode for one in members.values()})
        self.assertIn(f"remora: wrote {len(files)} files to -\n", told)
        self.assertNotIn("lacks", files["manifest.txt"])
        everything = "\n".join(files.values())
        self.assertNotIn(IN_ENVIRONMENT, everything)
        self.assertNotIn(IN_FIELD, everything)
        self.assertIn(IN_FIELD, self.remora("get", "/config"), "the sidecar itself has it")
        for name, text in {"config.yaml": "  - name: inbound\n", "memory.txt": "heap_used_bytes ", "peaks.txt": "\nhour rate connections ", "threads.txt": "remora-loop",
                           "state.txt": "live: live\nready: ready\n", "versions.txt": "remora_build_info{version="}.items():
            self.assertIn(text, files[name], name)
        self.assertRegex(files["limits.txt"], rf"(?m)^memory(\.max|/memory\.limit_in_bytes) {LIMIT_MIB * MIB}$")
        answered = [int(re.search(r'(?m)^remora_responses_total\{listener="inbound",class="2xx"\} (\d+)$', files[f"metrics/00{number}.txt"]).group(1))
                    for number in (1, 2, 3)]
        self.assertTrue(0 < answered[0] < answered[1] < answered[2], answered)

    # ---- the dashboard, as a browser has it

    def forwarded(self):
        """Forwards a local port to the admin listener, which is bound to loopback; returns its address."""
        process = self.cluster.popen("kubectl", "-n", self.namespace, "port-forward", "pod/web", f":{ADMIN_PORT}", stderr=subprocess.STDOUT)
        self.addCleanup(end, process)
        line = process.stdout.readline()
        told = re.match(r"Forwarding from (127\.0\.0\.1:\d+) ->", line)
        self.assertTrue(told, line)
        return told.group(1)

    def events(self, url):
        """The events of the dashboard, until the caller has enough."""
        process = self.cluster.popen("curl", "-sN", "-m", WAIT_SECONDS, url)
        self.addCleanup(end, process)
        for line in process.stdout:
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))
        raise AssertionError("the stream of events has ended")

    def test_dashboard_shows_the_load(self):
        with self.under_load() as steady:
            origin = f"http://{self.forwarded()}"
            for part, words in {"/dashboard": "<title>", "/dashboard/page.css": "font", "/dashboard/page.js": "dashboard/events"}.items():
                status, body = self.cluster.http(origin + part)
                self.assertEqual((200, True), (status, words in body), f"{part}: {body[:200]}")
            rows, before = {}, None
            for number, event in enumerate(self.events(origin + "/dashboard/events")):
                before = before or steady.counts()
                self.assertEqual(number == 0, "w" in event, "the first event has all numbers")
                for identity, row in event["u"].items():
                    rows.setdefault(identity, {}).update(row)
                named = {(identity[0], row.get("in"), row.get("n")): row for identity, row in rows.items()}
                # its rate is that of ten seconds
                if number >= 5 and all(named.get(row, {}).get("ex") for row in SHOWN):
                    break
            after, shown = steady.counts(), float(next(row["ra"] for identity, row in rows.items() if identity[0] == "a"))
            sent = (after["requests"] - before["requests"]) / (after["seconds"] - before["seconds"])
            print(f"{self.id()}: {shown} requests a second on the page, {sent:.0f} sent")
            self.assertTrue(sent / 2 < shown < 2 * sent, rows)
            exchanges = [named[row]["ex"] for row in SHOWN]
            self.assertTrue(all(100 < each <= after["requests"] for each in exchanges), exchanges)

    def test_buttons_of_the_dashboard_take_a_profile(self):
        with self.under_load():
            origin = f"http://{self.forwarded()}"
            token = re.search(r'data-token="([0-9a-f]{32})"', self.cluster.http(origin + "/dashboard")[1]).group(1)
            profile = (origin + "/profile?seconds=2&format=svg", "-X", "POST", "-H", f"Origin: {origin}")
            self.assertEqual(403, self.cluster.http(*profile)[0], "without the token")
            self.assertEqual(403, self.cluster.http(*profile[:-1], "Origin: http://other.test", "-H", f"Remora-Token: {token}")[0])
            status, graph = self.cluster.http(*profile, "-H", f"Remora-Token: {token}", seconds=60)
            self.assertEqual(200, status, graph)
            self.assertIn("<svg", graph)
            self.assertIn("io.remora.", graph)


class InI386(Insight, ClusterTest):
    images = ("remora:i386",)


class InCompact3(Insight, ClusterTest):
    images = ("remora:compact3",)


if __name__ == "__main__":
    unittest.main()

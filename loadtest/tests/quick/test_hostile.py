"""Hostile peers as they are sent out, and what is judged of a sidecar that has met them."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

from remora_measure import hostile_runs, storms
from remora_measure.errors import CouldNotRun
from remora_measure.hostile_runs import Profile
from remora_measure.load import hostile as attackers
from remora_measure.load.hostile_kinds import KINDS
from remora_measure.machine import http2, processes
from remora_measure.programs import hostile, storm
from remora_measure.repository import LAUNCHER

PROFILE = Profile("host", "rps-1000", 1000, 57_753_600)
WELL = {"started": True, "survived": True, "killed": False, "out_of_memory": False, "exit_status": 0, "recovered_s": 0.1, "rss_mb": 50.0, "ok": 60,
        "busy": 30, "failed": 10, "p99_ms": 12.0, "answered_percent": 90.0, "settled_ok_percent": 90.0, "attack": {"connections": 1, "asked": 1},
        "refused": {"remora_memory_refused_total": 3.0, "remora_memory_cut_total": 4.0}}
FRAME_HEAD = 9


def judged(kind="request-heads", **changes):
    return hostile_runs.judged(KINDS[kind], {**WELL, **changes})


def flags_of_frames(octets):
    """The flags of frames of header blocks."""
    found, at = [], 0
    while at < len(octets):
        if octets[at + 3] in (http2.HEADERS, http2.CONTINUATION):
            found.append(octets[at + 4])
        at += FRAME_HEAD + int.from_bytes(octets[at:at + 3], "big")
    return found


class Kinds(unittest.TestCase):
    def test_what_is_never_finished_has_no_end(self):
        for name in ("request-heads", "detected-lines"):
            self.assertNotIn(b"\r\n\r\n", KINDS[name].said, name)
        for name in ("response-heads", "response-heads-in-short-lines"):
            self.assertNotIn(b"\r\n\r\n", KINDS[name].answer, name)
        for name, octets in (("request-trailers", KINDS["request-trailers"].said), ("response-trailers", KINDS["response-trailers"].answer)):
            self.assertNotIn(b"\r\n\r\n", octets.partition(b"\r\n0\r\n")[2], name)
        self.assertEqual([0, 0], flags_of_frames(KINDS["header-blocks"].said[len(http2.PREFACE):]))
        self.assertEqual([0] * 4, flags_of_frames(KINDS["endpoint-header-blocks"].answer))

    def test_requests_are_below_the_default_limit_and_those_that_are_refused_are_wrong(self):
        for name in ("request-heads", "resting-heads"):
            self.assertLess(len(KINDS[name].said), 32 << 10, name)
        self.assertIn(b"\r\n: \r\n", KINDS["refused-heads"].said)

    def test_the_sidecar_takes_every_configuration(self):
        with tempfile.TemporaryDirectory() as directory:
            judged_before = set()
            for name, kind in KINDS.items():
                work = Path(directory, name)
                work.mkdir()
                hostile_runs.configure(kind, hostile_runs.places(work))
                if (kind.listener, kind.route, kind.app) in judged_before:
                    continue
                judged_before.add((kind.listener, kind.route, kind.app))
                with self.subTest(name):
                    done = subprocess.run([LAUNCHER, "check", work / "remora.yaml"], capture_output=True, text=True)
                    self.assertEqual(0, done.returncode, done.stdout + done.stderr)


class Attackers(unittest.TestCase):
    def attack(self, name, port, endpoint, dns):
        words = [sys.executable, "-m", "remora_measure.load.hostile", name, *map(str, (port, endpoint, dns))]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(storms.stop_all, [process])
        self.addCleanup(process.stdout.close)
        processes.wait_for(endpoint, process=process)
        return process

    def test_one_that_is_cut_comes_back_with_hosts_that_nobody_has_named(self):
        with socket.create_server(("127.0.0.1", 0), backlog=256) as proxy:
            port = proxy.getsockname()[1]
            process = self.attack("invented-hosts", port, *processes.free_ports(2))
            proxy.settimeout(20)
            hosts = []
            for _ in range(KINDS["invented-hosts"].clients + 1):
                connection, (address, _) = proxy.accept()
                self.assertEqual("127.0.0.1", address)
                with connection:
                    connection.settimeout(20)
                    said = b""
                    while said.count(b"\r\n\r\n") < 10:
                        said += connection.recv(1 << 16)
                    hosts += [line for line in said.split(b"\r\n") if line.startswith(b"Host: ")]
            tally = hostile_runs.ended(process)
        self.assertEqual(len(hosts), len(set(hosts)))
        # the last of them may not have been counted yet
        self.assertGreaterEqual(tally["connections"], KINDS["invented-hosts"].clients)
        self.assertGreater(tally["octets"], 0)

    def test_the_endpoint_answers_each_request_and_some_without_an_end(self):
        front, endpoint, dns = processes.free_ports(3)
        process = self.attack("websockets", front, endpoint, dns)
        with socket.create_connection(("127.0.0.1", endpoint), 20) as connection:
            connection.sendall(KINDS["websockets"].said[:-1])
            connection.sendall(KINDS["websockets"].said[-1:])
            self.assertTrue(connection.recv(1 << 16).startswith(b"HTTP/1.1 101 "))
        self.assertEqual(1, hostile_runs.ended(process)["asked"])
        process = self.attack("http2-interims", front, endpoint, dns)
        with socket.create_connection(("127.0.0.1", endpoint), 20) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            got = 0
            while got < 4 << 20:
                got += len(connection.recv(1 << 16))

    def test_an_endpoint_of_http2_answers_on_the_stream_of_the_request(self):
        front, endpoint, dns = processes.free_ports(3)
        self.attack("endpoint-hpack-tables", front, endpoint, dns)
        with socket.create_connection(("127.0.0.1", endpoint), 20) as connection:
            self.assertEqual(http2.SETTINGS, http2.read_frame(connection, time.monotonic() + 10)[0])
            connection.sendall(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0, b"") + http2.frame(http2.HEADERS, 5, 7, b"\x82"))
            head = http2.exactly(connection, FRAME_HEAD, time.monotonic() + 10)
        self.assertEqual((http2.HEADERS, 7), (head[3], int.from_bytes(head[5:], "big")))

    def test_names_of_canaries_are_this_machine_and_no_other_is_there(self):
        def query(name, kind):
            labels = b"".join(bytes((len(label),)) + label.encode() for label in name.split("."))
            return b"\x12\x34\x01\0\0\1\0\0\0\0\0\0" + labels + b"\0" + kind.to_bytes(2, "big") + b"\0\1"

        known = attackers.answer_of_dns(query("canary7.test", attackers.A))
        self.assertEqual((b"\x12\x34", 0, 1, bytes((127, 0, 0, 1))), (known[:2], known[3] & 15, known[7], known[-4:]))
        other = attackers.answer_of_dns(query("canary7.test", attackers.AAAA))
        self.assertEqual((0, 0), (other[3] & 15, other[7]))
        unknown = attackers.answer_of_dns(query("invented.test", attackers.A))
        self.assertEqual((attackers.NO_NAME, 0), (unknown[3] & 15, unknown[7]))


class Canaries(unittest.TestCase):
    def test_they_come_from_another_address_and_name_each_host_in_turn(self):
        with socket.create_server(("127.0.0.1", 0)) as proxy:
            canary = storms.Canary(proxy.getsockname()[1], storms.PLAIN, hostile_runs.CANARY_ADDRESS, hostile_runs.CANARIES_A_SECOND, "/canary", ["a", "b"])
            canary.start()
            asked = []
            for status in (200, 503):
                connection, (address, _) = proxy.accept()
                with connection:
                    asked.append((address, connection.recv(1 << 16).replace(b"\r\n", b" ").split()))
                    connection.sendall(b"HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n" % status)
            canary.over.set()
            canary.join()
        self.assertEqual(["127.0.0.2"] * 2, [address for address, _ in asked])
        self.assertEqual({b"a", b"b"}, {words[words.index(b"Host:") + 1] for _, words in asked})

    def test_they_are_counted_by_what_they_were_told(self):
        told = hostile_runs.told([200] * 5 + [503] * 3 + [0, 502], [0.001] * 98 + [0.5, 0.7])
        self.assertEqual((5, 3, 2, 80.0, 500.0), tuple(told[key] for key in ("ok", "busy", "failed", "answered_percent", "p99_ms")))
        self.assertIsNone(hostile_runs.told([0], [])["p99_ms"])


class Bars(unittest.TestCase):
    def test_every_bar_can_be_missed(self):
        self.assertEqual(([], []), (judged()["broken"], judged()["late"]))
        for changes, told in (
            ({"survived": False, "exit_status": 3, "answered_percent": 0.0}, "ended"), ({"killed": True}, "killed by the kernel"),
            ({"out_of_memory": True}, "OutOfMemoryError"), ({"exit_status": 3}, "status 3 on SIGTERM"),
            ({"recovered_s": None}, "no 200 within 30 s of its end"), ({"attack": {}}, "nothing of the attack came through"),
            ({"started": False, "why": "it did not start"}, "it did not start"),
        ):
            with self.subTest(told):
                self.assertEqual(([told], []), (judged(**changes)["broken"], judged(**changes)["late"]))
        for changes, told in (({"answered_percent": 89.0}, "89 % of the canaries answered"), ({"recovered_s": 2.1}, "200 again after 2.1 s")):
            with self.subTest(told):
                self.assertEqual(([], [told]), (judged(**changes)["broken"], judged(**changes)["late"]))

    def test_others_are_served_where_one_client_holds_what_they_need(self):
        self.assertEqual([], judged("lingering", settled_ok_percent=0.0)["broken"])
        for kind in ("request-heads", "tls-hellos", "interims", "http2-long-interims", "silent-endpoint"):
            with self.subTest(kind):
                self.assertEqual(["89 % of the canaries served"], judged(kind, settled_ok_percent=89.0)["broken"])

    def test_an_attack_that_never_reached_the_endpoint_is_none(self):
        silent = {"attack": {"connections": 9}}
        self.assertEqual([], judged(**silent)["broken"])
        self.assertEqual(["nothing of the attack came through"], judged("response-heads", **silent)["broken"])
        self.assertEqual(["nothing of the attack came through"], judged("pages", **silent)["broken"])
        self.assertEqual([], judged("pages", attack={"connections": 9, "endpoints": 7})["broken"])


class Matrix(unittest.TestCase):
    def options(self, *words):
        return storm.read_arguments(["--hostile", "--image", "host", *words])

    def test_the_profiles_of_an_image_are_those_that_were_measured_under_their_smallest_limit(self):
        with tempfile.TemporaryDirectory() as directory:
            table = Path(directory, "table")
            table.write_text("# comment\nhost rps-100 100 5000 5500 0 0 files -X\nhost - 40000 0 0 0 0 - has none\nhost rps-40000 40000 0 0 1 2 files -X\n"
                             "other rps-100 100 1 1 0 0 files -X\n")
            self.assertEqual([Profile("host", "rps-100", 100, 8192)], hostile_runs.profiles("host", table))
            with self.assertRaisesRegex(CouldNotRun, "image nowhere"):
                hostile_runs.profiles("nowhere", table)

    def test_one_kind_and_one_profile_may_be_asked_for(self):
        kinds, profiles = hostile.wanted(self.options("--kind", "lingering,request-heads", "--profile", "rps-1000"))
        self.assertEqual((["request-heads", "lingering"], ["rps-1000"]), (kinds, [profile.name for profile in profiles]))
        self.assertEqual(list(KINDS), hostile.wanted(self.options())[0])
        for words, why in ((("--kind", "heads"), "no kind heads"), (("--profile", "rps-7"), "no profile rps-7"), (("--container",), "--container: not with"),
                           (("--memories", "64m"), "--memories: not with"), (("--short",), "--short: not with")):
            with self.subTest(words), self.assertRaisesRegex(CouldNotRun, why):
                hostile.wanted(self.options(*words))
        with self.assertRaisesRegex(CouldNotRun, "of --hostile"):
            storm.read_arguments(["--kind", "lingering"])
        self.assertEqual((hostile.SECONDS, 3), (self.options().seconds, self.options("--seconds", "3").seconds))

    def run_with(self, directory, *rows):
        def measure(kind, profile, seconds, work):
            (work / "proxy.log").write_text(f"log of {kind}")
            return judged(kind, **next(left))

        left = iter(rows)
        with unittest.mock.patch("os.geteuid", return_value=0), unittest.mock.patch.object(hostile_runs, "measure", measure), \
                unittest.mock.patch("remora_measure.systems.sidecars.require_image"), unittest.mock.patch("builtins.print") as printed:
            status = storm.run(self.options("--kind", "request-heads,lingering", "--profile", "rps-1000", "--reports", directory))
        return status, printed.call_args.args[0], next(Path(directory).glob("storm-hostile-*"))

    def test_a_row_that_failed_fails_the_matrix_and_leaves_its_log(self):
        dead = {"survived": False, "exit_status": 3, "recovered_s": None, "refused": None, "p99_ms": None}
        for rows, expected, logs in (([{}, {}], 0, []), ([{}, {"answered_percent": 1.0}], 2, ["host-rps-1000-lingering.log"]),
                                     ([dead, {"answered_percent": 1.0}], 1, ["host-rps-1000-lingering.log", "host-rps-1000-request-heads.log"])):
            with self.subTest(expected), tempfile.TemporaryDirectory() as directory:
                status, text, folder = self.run_with(directory, *rows)
                self.assertEqual(expected, status)
                self.assertEqual(logs, sorted(path.name for path in folder.glob("*.log")))
                self.assertEqual(2, len(json.loads((folder / "hostile.json").read_text())["rows"]))
                self.assertEqual(text, (folder / "hostile.md").read_text().strip())

    def test_a_row_tells_what_became_of_the_sidecar_and_of_the_canaries(self):
        def cells(**changes):
            return hostile.cells({"kind": "lingering", **PROFILE._asdict(), **judged("lingering", **changes)})

        self.assertEqual(["lingering", "host", "rps-1000", "57.75", "yes", "0", "60", "30", "10", "12", "50.0", "7", "met"], cells())
        self.assertEqual(["no", "3"], cells(survived=False, exit_status=3)[4:6])
        self.assertEqual(len(hostile.HEADS), len(cells(started=False, exit_status=78, why="did not start")))

    def test_a_configuration_that_asks_for_more_than_the_profile_gets_the_least_that_it_starts_with(self):
        def start(_image, limit, *_, **__):
            if limit < PROFILE.limit + 3 * storms.MORE_BYTES:
                raise storms.DidNotStart(storms.UNFIT, "too little")
            return limit

        at = hostile_runs.Places(hostile_runs.Ports(1, 2, 3), 4, 5, Path("work"))
        with unittest.mock.patch.object(storms, "Process", start):
            self.assertEqual(PROFILE.limit + 3 * storms.MORE_BYTES, hostile_runs.started(PROFILE, at))
        for status in (storms.UNFIT, 69):
            with unittest.mock.patch.object(storms, "Process", side_effect=storms.DidNotStart(status, "what it wrote\nat last")) as starts, \
                    self.assertRaisesRegex(storms.DidNotStart, f"status {status}: at last"):
                hostile_runs.started(PROFILE, at)
            self.assertEqual(1 if status == 69 else storms.MOST_MORE_BYTES // storms.MORE_BYTES, starts.call_count)

    def test_it_has_to_be_root(self):
        with unittest.mock.patch("os.geteuid", return_value=1000), self.assertRaisesRegex(CouldNotRun, "root"):
            storm.run(self.options())


@unittest.skipUnless(os.geteuid() == 0 and (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists() or Path("/sys/fs/cgroup/cgroup.controllers").exists()),
                     "a memory cgroup needs root")
class Run(unittest.TestCase):
    def test_a_sidecar_under_its_smallest_limit_meets_a_client_of_http2_that_reads_nothing(self):
        profile = next(one for one in hostile_runs.profiles("host") if one.name == "rps-1000")
        with tempfile.TemporaryDirectory() as directory:
            row = hostile_runs.measure("http2-interims", profile, 2, Path(directory))
        self.assertEqual(([], 0, True), (row["broken"], row["exit_status"], row["survived"]), row)
        self.assertGreater(row["attack"]["asked"], 0)
        self.assertGreater(row["ok"] + row["busy"], 0)
        self.assertGreater(row["rss_mb"], 20)


if __name__ == "__main__":
    unittest.main()

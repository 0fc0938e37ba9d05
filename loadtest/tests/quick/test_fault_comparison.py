"""The comparison of faults: what counts as an attempt, the figures of a run, the verdicts, and its words."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure import fault_runs
from remora_measure.comparisons import faults
from remora_measure.errors import CouldNotRun
from remora_measure.fault_runs import FAULTS, Run
from remora_measure.load import attempts, java_tools
from remora_measure.load.attempts import Attempt
from remora_measure.load.outcomes import Request
from remora_measure.load.packet_capture import Segment
from remora_measure.machine import namespaces, processes
from remora_measure.results.fault_comparison import FaultComparison

SICK, SECOND, THIRD = PORTS = (81, 82, 83)
OPTIONS = {"rate": 1000, "connections": 64, "fault_seconds": 10.0}


def opens(at, source, number, port=SICK):
    return Segment(at, source, port, number, True, False, b"")


def sends(at, source, number, payload=b"GET /body HTTP/1.1\r\n", port=SICK):
    return Segment(at, source, port, number, False, True, payload)


class Attempts(unittest.TestCase):
    def of(self, *segments):
        return sorted(attempts.attempts(segments, PORTS))

    def test_a_connection_with_requests_is_as_many_attempts_as_requests(self):
        self.assertEqual([Attempt(2, SICK, True), Attempt(3, SICK, True)], self.of(opens(1, 9, 100), sends(2, 9, 101), sends(3, 9, 201)))

    def test_what_is_sent_again_is_no_other_attempt(self):
        self.assertEqual([Attempt(2, SICK, True)], self.of(opens(1, 9, 100), opens(1, 9, 100), sends(2, 9, 101), sends(2, 9, 101), sends(4, 9, 101)))
        self.assertEqual([Attempt(1, SICK, False)], self.of(opens(1, 9, 100), opens(2, 9, 100)))

    def test_a_connection_without_a_request_is_an_attempt_of_its_own(self):
        self.assertEqual([Attempt(1, SICK, False), Attempt(5, SICK, False)], self.of(opens(1, 9, 100), opens(5, 9, 700)))

    def test_a_port_that_is_taken_again_begins_anew(self):
        self.assertEqual([Attempt(2, SICK, True), Attempt(6, SICK, True)],
                         self.of(opens(1, 9, 100), sends(2, 9, 101), opens(5, 9, 100), sends(6, 9, 101)))

    def test_the_same_port_of_ours_to_two_endpoints_is_two_connections(self):
        self.assertEqual([Attempt(2, SICK, True), Attempt(2.5, SECOND, True)],
                         self.of(opens(1, 9, 100), opens(1, 9, 100, SECOND), sends(2, 9, 101), sends(2.5, 9, 101, port=SECOND)))

    def test_health_checks_and_other_ports_are_left_out(self):
        self.assertEqual([], self.of(opens(1, 9, 100), sends(2, 9, 101, b"GET /live HTTP/1.0\r\n"), opens(1, 8, 100, 99)))


def run(requests=(), tries=(), began=10.0, ended=20.0, healed=20.0, over=30.0):
    return Run(sorted(requests), sorted(tries), PORTS, 5.0, began, ended, healed, over)


def steady(begin, end, share_of, rate=100):
    """Attempts at a rate, of which share_of(time) go to the sick endpoint."""
    found, owed = [], 0.0
    for number in range(int((end - begin) * rate)):
        at = begin + number / rate
        owed += share_of(at)
        found.append(Attempt(at, SICK if owed >= 1 else SECOND, True))
        owed -= owed >= 1
    return found


class Figures(unittest.TestCase):
    def of(self, fault="kill", **recorded):
        return fault_runs.figures(run(**recorded), FAULTS[fault])

    def test_failures_count_from_the_end_of_the_warm_up_by_kind(self):
        requests = [Request(at, 0, 0.001, outcome, "-") for at, outcome in ((4, "503"), (6, "200"), (11, "503"), (12, "503"), (25, "cut"))]
        row = self.of(requests=requests)
        self.assertEqual((3, {"503": 2, "cut": 1}), (row["failed"], row["failures"]))

    def test_latencies_are_those_of_the_faults_time(self):
        requests = [Request(10 + number / 100, 0, 0.005 if number < 990 else 1.0, "200", "-") for number in range(1000)]
        row = self.of(requests=[*requests, Request(9, 0, 9.0, "200", "-"), Request(20.1, 0, 9.0, "200", "-")])
        self.assertEqual((1000, 5.0, 5.0, 1000.0), tuple(row[key] for key in ("requests", "p50_ms", "p99_ms", "p999_ms")))

    def test_the_p99_of_each_second_of_the_fault(self):
        requests = [Request(10 + number / 100, 0, 0.3 if number in (250, 260) else 0.005, "200", "-") for number in range(900)]
        self.assertEqual([5.0, 5.0, 300.0, *[5.0] * 6, None], self.of(requests=requests)["p99_ms_by_second"])

    def test_a_share_that_falls_and_stays_has_settled_then(self):
        row = self.of(tries=steady(5, 30, lambda at: 0.0 if 12 <= at < 24 else 1 / 3))
        self.assertAlmostEqual(1.9, row["settle_s"], delta=0.16)  # of the window that begins there, 4 % at most
        self.assertAlmostEqual(3.5, row["back_s"], delta=0.16)
        self.assertAlmostEqual(100 * (2 / 3) / 10, row["sick_percent"], delta=0.2)
        self.assertEqual([3, 3, 0, 0, 0, 0, 0, 0, 0, 0], [round(share / 10) for share in row["sick_percent_by_second"]])

    def test_a_share_that_rises_again_has_not_settled_before(self):
        row = self.of(tries=steady(5, 30, lambda at: 1 / 3 if 16 <= at < 17 else 0.0))
        self.assertAlmostEqual(6.9, row["settle_s"], delta=0.16)
        self.assertIsNone(self.of(tries=steady(5, 30, lambda at: 1 / 3 if 19 <= at < 20 else 0.0))["settle_s"])

    def test_what_a_starting_endpoint_is_asked_is_no_figure(self):
        tries = [*steady(5, 20, lambda at: 0.0), *steady(20, 22, lambda at: 1.0), *steady(22, 30, lambda at: 1 / 3 if at >= 25 else 0.0)]
        row = self.of(tries=tries, healed=22.0)
        self.assertEqual((0, 0, 0), (row["sick_attempts"], row["settle_s"], row["connects_per_request"] or 0))
        self.assertAlmostEqual(2.5, row["back_s"], delta=0.16)

    def test_one_probe_a_second_is_settled_and_no_use(self):
        row = self.of(tries=steady(5, 30, lambda at: 0.01))
        self.assertEqual((0, None), (row["settle_s"], row["back_s"]))

    def test_attempts_are_told_from_connections_in_vain(self):
        tries = [Attempt(11, SICK, False), *(Attempt(12, SECOND, True) for _ in range(6)), Attempt(9, SICK, True), Attempt(21, SICK, True)]
        row = self.of("errors", tries=tries, requests=[Request(11, 0, 0.1, "500", "-") for _ in range(4)])
        self.assertEqual((1.5, 0.25, 6), (row["attempts_per_request"], row["connects_per_request"], row["attempts"]))
        self.assertAlmostEqual(1.2 * 4 + 10 * 10, row["attempts_most"])
        self.assertEqual(7, row["tries"])
        self.assertAlmostEqual(2.2 * 4 + 10 * 10, row["tries_most"])
        self.assertNotIn("sick_percent", row)

    def test_requests_in_flight_as_it_began_have_attempts_of_their_own(self):
        tries = [Attempt(11, SECOND, True) for _ in range(6)]
        row = self.of("errors", tries=tries, requests=[Request(9.99, 0, 0.02, "500", "-"), *(Request(11, 0, 0.1, "500", "-") for _ in range(4))])
        self.assertEqual((1, 6), (row["in_flight"], row["attempts"]))
        self.assertAlmostEqual(5 + 0.2 * 4 + 10 * 10, row["attempts_most"])
        self.assertAlmostEqual(2 * 5 + 0.2 * 4 + 10 * 10, row["tries_most"])

    def test_what_was_in_flight_when_it_began(self):
        requests = [Request(9.99, 0, 0.005, "200", "-"), Request(9.99, 0, 0.02, "200", "-"), Request(9.99, 0.02, 0.03, "200", "-")]
        self.assertEqual(1, self.of(requests=requests)["in_flight"])


ROW = {"failed": 0, "failures": {}, "sick_percent": 2.0, "settle_s": 1.0, "p50_ms": 1.0, "p99_ms": 5.0, "p999_ms": 50.0, "attempts_per_request": 1.01,
       "connects_per_request": 0.0, "back_s": 4.0, "sick_percent_by_second": [30.0, 1.0], "attempts": 1010, "attempts_most": 1300,
       "tries": 1010, "tries_most": 2300,
       "before_p99_ms": 1.0, "in_flight": 1, "connections": 64}


def comparison(fault="kill", **arms):
    told = FaultComparison(OPTIONS, {}, {name: one.title for name, one in FAULTS.items()}, ("errors", "refuse"))
    for name, changes in arms.items():
        told.add(fault, name, {**ROW, **changes})
    return told


class Verdicts(unittest.TestCase):
    def results(self, fault, **changes):
        told = comparison(fault, image=changes)
        return [bar["result"] for bar in told.bars()], faults.status_of(told)

    def test_one_failed_request_misses_the_bar(self):
        self.assertEqual((["met"], 0), self.results("kill"))
        self.assertEqual((["missed"], 1), self.results("kill", failed=1, failures={"503": 1}))

    def test_a_slow_endpoint_is_to_be_left_within_three_seconds(self):
        self.assertEqual((["met", "met"], 0), self.results("slow", settle_s=3.0))
        self.assertEqual((["met", "missed"], 2), self.results("slow", settle_s=3.1))
        self.assertEqual((["met", "missed"], 2), self.results("slow", settle_s=None))

    def test_where_all_fail_attempts_are_bounded_and_failures_are_not(self):
        self.assertEqual((["met", "met"], 0), self.results("errors", failed=9999, attempts=1300))
        self.assertEqual((["missed", "met"], 1), self.results("errors", attempts=1301))

    def test_where_nobody_listens_connections_in_vain_are_bounded(self):
        self.assertEqual((["met", "met"], 0), self.results("refuse", attempts=0, tries=2300))
        self.assertEqual((["met", "missed"], 1), self.results("refuse", attempts=0, tries=2301))

    def test_a_peer_that_opens_fewer_connections_in_vain_did_better(self):
        told = comparison("refuse", image={"connects_per_request": 2.2}, envoy={"connects_per_request": 1.5})
        self.assertEqual(["connections in vain a request: 2.20, envoy 1.50"], told.behind("refuse", "image"))
        told = comparison("refuse", image={"connects_per_request": 2.2}, envoy={"connects_per_request": 1.5}, haproxy={"connects_per_request": 0.0})
        self.assertEqual(["connections in vain a request: 2.20, envoy 1.50, haproxy 0.00"], told.behind("refuse", "image"))

    def test_a_busy_machine_excuses_what_is_missed_and_nothing_else(self):
        self.assertEqual((["inconclusive"], 2), self.results("kill", failed=1, before_p99_ms=100.1))
        self.assertEqual((["missed"], 1), self.results("kill", failed=1, before_p99_ms=100.0))
        self.assertEqual((["met"], 0), self.results("kill", before_p99_ms=5000.0))

    def test_a_busy_round_excuses_no_other(self):
        for rounds, result in ((({"failed": 1}, {"before_p99_ms": 200.0}), "missed"), (({"failed": 1, "before_p99_ms": 200.0}, {}), "inconclusive"),
                               (({"failed": 9, "before_p99_ms": 200.0}, {"failed": 1}), "missed")):
            with self.subTest(rounds):
                told = comparison(image=rounds[0])
                told.add("kill", "image", {**ROW, **rounds[1]})
                self.assertEqual([result], [bar["result"] for bar in told.bars()])
        slow = comparison("slow", image={"settle_s": 3.1, "before_p99_ms": 200.0})
        slow.add("slow", "image", {**ROW, "settle_s": None})
        self.assertEqual(["met", "missed"], [bar["result"] for bar in slow.bars()])
        self.assertIsNone(slow.bars()[1]["measured"])

    def test_a_sidecar_that_could_not_run_is_no_pass(self):
        told = comparison(envoy={}, haproxy={})
        told.left_out["envoy"] = "envoy: not installed"
        self.assertEqual(0, faults.status_of(told))
        told.left_out["i386-client"] = "i386-client: no image"
        self.assertEqual(2, faults.status_of(told))

    def test_peers_are_not_judged(self):
        self.assertEqual([], comparison(envoy={"failed": 7}, haproxy={}).bars())

    def test_a_measurement_that_stopped_has_no_verdict(self):
        told = comparison(image={})
        told.failure = "stopped"
        self.assertEqual(3, faults.status_of(told))

    def test_the_figures_in_which_a_peer_did_better_are_named(self):
        told = comparison(image={"p99_ms": 50.0, "back_s": 9.0, "settle_s": None}, envoy={"p99_ms": 5.0, "failed": 3}, haproxy={"p99_ms": 60.0, "back_s": 4.0})
        self.assertEqual(["below 5 %, s: never, envoy 1.0, haproxy 1.0", "p99, ms: 50.0, envoy 5.0", "used again, s: 9.0, envoy 4.0, haproxy 4.0"], told.behind("kill", "image"))
        self.assertEqual([], told.behind("kill", "envoy"))

    def test_a_difference_within_the_noise_is_none(self):
        told = comparison(image={"p99_ms": 5.9, "sick_percent": 2.09, "settle_s": 1.1, "back_s": 4.2}, envoy={}, haproxy={})
        self.assertEqual([], told.behind("kill", "image"))
        self.assertIn("nothing", told.markdown())

    def test_markdown_has_each_system_the_bars_and_what_was_left_out(self):
        told = comparison("slow", image={"settle_s": None, "failed": 2, "failures": {"504/try-timeout": 2}}, envoy={}, haproxy={})
        told.left_out["squid"] = "squid: not installed"
        text = told.markdown()
        for words in ("| slowed to 500 ms |   image", "2 (504/try-timeout)", "**missed**", "never", "left out: squid: not installed", "30 1"):
            self.assertIn(words, text)
        self.assertEqual(len(told.headings()), len(told.describe()["table"][0]))


class Words(unittest.TestCase):
    def test_what_is_not_known_cannot_run(self):
        for words, told in ((("--only", "squid"), "there is no squid"), (("--only", "envoy/peak-ewma"), "there is no envoy/peak-ewma"),
                            (("--only", "host/maglev"), "there is no host/maglev"), (("--faults", "flood"), "there is no fault flood")):
            with self.assertRaisesRegex(CouldNotRun, told):
                faults.require_known(faults.read_arguments(words))
        faults.require_known(faults.read_arguments(["--only", "host,host/peak-ewma,envoy", "--faults", "kill,slow"]))

    def test_short_is_one_sidecar_and_what_is_asked_for_beside_it_holds(self):
        options = faults.read_arguments(["--short"])
        self.assertEqual(("i386-client", 4.0), (options.only, options.fault_seconds))
        options = faults.read_arguments(["--short", "--only", "host", "--fault-seconds", "3"])
        self.assertEqual(("host", 3.0), (options.only, options.fault_seconds))


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.work, cls.java_home = Path(directory.name), processes.default_java_home()
        cls.log = open(cls.work / "log", "wb")
        cls.addClassCleanup(cls.log.close)

    def load(self, port, *enough, most=8, rate=100):
        """What two connections and more were told, until each of the conditions was met in its turn."""
        file = self.work / "outcomes"
        with java_tools.OpenLoad(self.java_home, self.log) as client:
            client.begin(port, rate, 2, most, file)
            for condition in enough:
                until(condition)
            told = client.end()
        return told, fault_runs.outcomes.read(file)

    def test_a_backend_is_slowed_has_errors_and_says_who_it_is(self):
        port, = processes.free_ports(1)
        with java_tools.Backend(self.java_home, self.log, port, java_tools.Answers(64, identify=True), place=java_tools.Place(("127.0.0.1", "127.0.0.2"))) as backend:
            told, requests = self.load(port, lambda: backend.served() > 50, lambda: backend.errors(1) or True, lambda: backend.served() > 100)
            self.assertEqual({"200", "500"}, {one.outcome for one in requests})
            self.assertEqual({f"127.0.0.1:{port}"}, {one.server for one in requests})
            self.assertEqual(told["failed"], sum(not one.is_good for one in requests))
            self.assertEqual(told["requests"], len(requests))
            backend.errors(0)
            backend.delay(300)
            _, requests = self.load(port, lambda: backend.served() > 150)
            self.assertEqual({"200"}, {one.outcome for one in requests})
            self.assertGreaterEqual(min(one.latency for one in requests), 0.3)
            self.assertTrue(processes.listens(port, "127.0.0.2"))

    def test_a_load_opens_connections_while_requests_hang_and_not_more_than_it_may(self):
        port, = processes.free_ports(1)
        with java_tools.Backend(self.java_home, self.log, port, java_tools.Answers(64)) as backend:
            backend.delay(2000)
            told, requests = self.load(port, lambda: backend.served() > 20, most=20)
            self.assertEqual(20, told["connections"])
            self.assertLess(min(one.due for one in requests[19:]) - requests[0].due, 1.9)  # two connections alone would have sent four by then

    def test_a_load_tells_a_refused_connection(self):
        began = time.monotonic()
        _, requests = self.load(processes.free_ports(1)[0], lambda: time.monotonic() - began > 2)
        self.assertEqual({"refused"}, {one.outcome for one in requests})


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)


@unittest.skipUnless(os.geteuid() == 0, "only root makes a network namespace")
class Namespaces(unittest.TestCase):
    def setUp(self):
        try:
            self.namespace = namespaces.Namespace()
        except CouldNotRun as why:
            self.skipTest(str(why))
        self.addCleanup(self.namespace.end)

    def test_packets_are_dropped_and_pass_again(self):
        port, = processes.free_ports(1)
        listening = f"import socket, time; listener = socket.create_server(({self.namespace.address!r}, {port})); time.sleep(60)"
        server = self.namespace.command(sys.executable, "-c", listening)
        with subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.addCleanup(process.kill)
            processes.wait_for(port, process=process, host=self.namespace.address)
            self.namespace.drop()
            with self.assertRaises(TimeoutError):
                socket.create_connection((self.namespace.address, port), 0.5)
            self.namespace.let_pass()
            processes.wait_for(port, process=process, host=self.namespace.address)
            process.send_signal(signal.SIGKILL)

    def test_nothing_of_it_is_left(self):
        self.namespace.end()
        self.assertNotIn(self.namespace.name, subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout)
        self.assertNotIn(self.namespace.device, subprocess.run(["ip", "link"], capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()

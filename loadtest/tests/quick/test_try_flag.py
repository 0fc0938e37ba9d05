"""A trial of flags: its traffic, read from a real sidecar, its configuration, which a real sidecar takes, and its verdict."""
import contextlib
import http.client
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure import flag_runs
from remora_measure.errors import CouldNotRun
from remora_measure.load import java_tools
from remora_measure.machine import http2, processes
from remora_measure.programs import try_flag
from remora_measure.repository import LAUNCHER
from remora_measure.results import flag_trial
from remora_measure.results.flag_trial import BASE, BETTER, OTHER, SAME, WORSE, FlagTrial
from remora_measure.spread import Figure
from remora_measure.systems import access_log, admin_pages, certificates, retargeting, sidecars, traffic
from remora_measure.systems.access_log import GRPC, H2, HTTP1
from remora_measure.systems.configurations import Ports
from remora_measure.systems.retargeting import Configuration, Endpoints
from remora_measure.systems.traffic import Asked, Reading

CONFIGURATION = """\
admin: {{ address: "127.0.0.1:{admin}" }}
access-log: {{ format: {format} }}
listeners:
  - {{ name: front, address: "127.0.0.1:{front}", protocol: auto, {routes} }}
clusters:
  app: {{ endpoints: ["127.0.0.1:{backend}"] }}
"""
TO_APP = "cluster: app"
WITH_OWN_RESPONSES = 'routes: [{ match: { prefix: /moved }, redirect: { host: example.org } }, { match: { path: /gone }, respond: { status: 410 } }, { cluster: app }]'
LARGE = """\
admin: { address: 127.0.0.1:9990, tls: { certificates: [{ chain: /a, key: /b }] } }
health: { address: 0.0.0.0:9991 }
takeover: { socket: /run/takeover }
access-log: { output: /var/log/access.log, queue: 2048 }
listeners:
  - name: inbound
    address: 0.0.0.0:8443
    protocol: auto
    cluster: app
    proxy-protocol: required
    announce: { names: ["zk!zk.example.org:2181!/app!0"], address: "10.0.0.9:8080" }
    require-identity: ["spiffe://example.org/web"]
    tls:
      certificates: [{ chain: /etc/tls/chain.pem, key: /etc/tls/key.pem }]
      client-certificates: required
      trust: /etc/tls/ca.pem
      crl: /etc/tls/crl.pem
  - { address: "unix:/run/remora/second.sock", socket: { mode: 0660 }, protocol: tcp, cluster: second }
  - { name: third, address: "[::]:8082", cluster: found, tls: off }
clusters:
  app:
    tls: { trust: /etc/tls/ca.pem, peer-names: [app.example.org], certificate: { chain: /etc/tls/chain.pem, key: /etc/tls/key.pem } }
    endpoints:
      - { address: "10.0.0.1:80", weight: 3 }
      - "10.0.0.2:80"
  second: { protocol: tcp, endpoints: ["unix:/run/second"] }
  found: { resolver: { dns: { name: app.example.org, port: 80 } }, balancer: round-robin }
"""


@contextlib.contextmanager
def sidecar(work, log_format, routes=TO_APP):
    """A real sidecar in front of the bundled backend: its ports, and the file with its standard output."""
    front, backend, admin = processes.free_ports(3)
    config = work / f"{log_format}.yaml"
    config.write_text(CONFIGURATION.format(front=front, backend=backend, admin=admin, format=log_format, routes=routes))
    with open(work / "tools.log", "wb") as log, java_tools.Backend(processes.default_java_home(), log, backend, java_tools.Answers(100)):
        started = sidecars.start(sidecars.HOST, config, 100, processes.default_java_home(), work / f"{log_format}.log")
        try:
            processes.wait_for(front, process=started.process)
            yield front, admin, started.output
        finally:
            started.stop()


def ask(port, method, target, body=None, answer_bytes=100):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, target, body, {"Host": "app.test", "X-Answer-Bytes": str(answer_bytes)})
        answer = connection.getresponse()
        return answer.status, len(answer.read())
    finally:
        connection.close()


class RealOutputs(unittest.TestCase):
    """Access log and metrics of a running sidecar, which are read back as the requests that it was sent."""

    @classmethod
    def setUpClass(cls):
        cls.logs, cls.readings = {}, []
        work = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for log_format in ("json", "combined"):
            with sidecar(work, log_format) as (front, admin, output):
                cls.began = time.time()
                cls.readings = [Reading(admin_pages.fetch(admin, "/metrics"), cls.began)]
                for number in range(6):
                    assert ask(front, "GET", f"/item?number={number}", None, 1000 * number) == (200, 1000 * number)
                assert ask(front, "POST", "/item", b"x" * 5000, 200_000) == (200, 200_000)
                assert ask(front, "HEAD", "/item")[0] == 200
                for _ in range(2):
                    with http2.opened(front, time.monotonic() + 10) as connection:
                        assert http2.get(connection, "/second", time.monotonic() + 10) == 200
                # an exchange counts after its client has the response
                until = time.monotonic() + 10
                while time.monotonic() < until and len(cls.readings) == 1:
                    reading = Reading(admin_pages.fetch(admin, "/metrics"), cls.began + 5)
                    if traffic.counted([*cls.readings, reading], "front").requests >= 10:
                        cls.readings.append(reading)
            cls.logs[log_format] = access_log.read(output.read_text().splitlines())

    def test_the_json_log_has_each_request(self):
        log = self.logs["json"].of("front")
        self.assertEqual(["GET"] * 6 + ["POST", "HEAD", "GET", "GET"], [one.method for one in log.requests])
        self.assertEqual([HTTP1] * 8 + [H2] * 2, [one.kind for one in log.requests])
        self.assertEqual(("/item?number=5", "app.test", 0, 5000), (log.requests[5].target, log.requests[5].host, log.requests[5].request_bytes, log.requests[5].response_bytes))
        self.assertEqual((5000, 200_000), (log.requests[6].request_bytes, log.requests[6].response_bytes))
        self.assertEqual({"method HEAD": 1}, log.unfit())
        self.assertAlmostEqual(self.began, log.requests[0].at_s, delta=60)
        self.assertEqual([], self.logs["json"].of("another").requests)

    def test_the_combined_log_has_what_its_format_tells(self):
        log = self.logs["combined"].of("front")
        self.assertEqual(["GET"] * 6 + ["POST", "HEAD", "GET", "GET"], [one.method for one in log.requests])
        self.assertEqual([HTTP1] * 8 + [H2] * 2, [one.kind for one in log.requests])
        self.assertEqual([("/item?number=5", 5000), ("/item", 200_000)], [(one.target, one.response_bytes) for one in log.requests[5:7]])

    def test_the_metrics_tell_rate_kinds_and_mean_sizes(self):
        counts = traffic.counted(self.readings, "front")
        self.assertEqual((10, 2.0, 5000), (counts.requests, counts.rate(), counts.request_bytes))
        self.assertEqual({HTTP1: 0.8, H2: 0.2}, counts.protocols())
        self.assertEqual(15_000 + 200_000 + 2 * 100, counts.response_bytes)
        single = traffic.counted(self.readings[1:], "front")
        self.assertEqual((10, True), (single.requests, single.is_since_start))
        self.assertGreater(single.seconds, 0)

    def test_the_log_has_the_shape_and_the_metrics_the_rate(self):
        found = traffic.shape(Asked(), self.logs["json"], traffic.counted(self.readings, "front"))
        self.assertEqual((2.0, {"GET": 8 / 9, "POST": 1 / 9}, {HTTP1: 7 / 9, H2: 2 / 9}), (found.rate, found.methods, found.protocols))
        self.assertEqual((200_000, 5000), (found.response_bytes.most, found.request_bytes.most))
        self.assertIn("1 requests of the access log are not repeated: method HEAD", found.notes)
        self.assertEqual("http GET /item?number=1 app.test 0 1000 2", traffic.lines(found.requests).splitlines()[1])
        self.assertNotIn("/item", str(found.describe()) + found.text())

    def test_without_a_log_requests_have_the_mean_sizes(self):
        found = traffic.shape(Asked(path="/made-up"), None, traffic.counted(self.readings, "front"))
        self.assertEqual({HTTP1: 0.8, H2: 0.2}, found.protocols)
        self.assertEqual(("POST", "/made-up", 500, 21_520), found.requests[0][3:5] + found.requests[0][6:8])

    def test_a_restart_between_two_readings_is_found(self):
        with self.assertRaisesRegex(CouldNotRun, "restarted"):
            traffic.counted(self.readings[::-1], "front")
        with self.assertRaisesRegex(CouldNotRun, "no metrics"):
            traffic.counted([Reading("up 1\n", 0)], "front")


class OwnResponses(unittest.TestCase):
    """Requests that a real sidecar answers itself, as its configuration has it, and that are repeated through it."""

    def test_they_are_no_failures(self):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            for log_format, classes in (("json", [3, 4, 2]), ("combined", [3, 4, 2])):
                with sidecar(work, log_format, WITH_OWN_RESPONSES) as (front, admin, output):
                    self.assertEqual([307, 410, 200], [ask(front, "GET", target)[0] for target in ("/moved/here", "/gone", "/item")])
                    found = self.read(output)
                    self.assertEqual((classes, {}), ([one.status_class for one in found.requests], found.unfit()))
                    self.assertEqual(["/item"], [one.target for one in traffic.first_of_each_kind(found.requests)])
                    for streams in (0, 4):
                        self.assertEqual((0, 30), self.repeated(work, front, found.requests, streams))
                    # as if the application had answered all of them
                    self.assertEqual((20, 10), self.repeated(work, front, [one._replace(status_class=2) for one in found.requests], 0))

    def read(self, output):
        """The log with all three requests, which are written a moment after their responses."""
        until = time.monotonic() + 10
        while len((found := access_log.read(output.read_text().splitlines())).requests) < 3 and time.monotonic() < until:
            time.sleep(0.05)
        return found

    def repeated(self, work, front, requests, streams):
        """The numbers of requests that failed and that did not, of 30."""
        file = work / "requests"
        file.write_text(traffic.lines(requests))
        with open(work / "tools.log", "ab") as log, java_tools.LoadSession(work, processes.default_java_home(), log, Ports(front, 0, 0)) as session:
            session.begin_recorded(file, 20, 2, streams, 0, 1.5)
            answer = session.answer()
        return answer["failed"], answer["requests"]

    def test_a_first_request_may_have_the_status_of_the_log(self):
        request = access_log.Request(0, None, HTTP1, "GET", "/", None, 0, 0, status_class=3)
        self.assertEqual([True, True, False, False], [request.is_good(status) for status in (200, 307, 404, 503)])

    def test_the_application_answers_200_whatever_it_answered_in_the_log(self):
        line = '{"time": "2026-11-01T00:00:00.000Z", "listener": "a", "version": "HTTP/1.1", "method": "GET", "target": "/", "host": "a", "request_bytes": 0, ' \
               '"response_bytes": 1, "status": 503, "failure": null, "endpoint": "10.0.0.1:80"}'
        # so that a 503 of the sidecar remains a failure
        self.assertEqual(2, access_log.read([line]).requests[0].status_class)
        self.assertEqual(5, access_log.read([line.replace('"10.0.0.1:80"', "null")]).requests[0].status_class)


class Lines(unittest.TestCase):
    def test_what_cannot_be_repeated_has_a_reason(self):
        for part, why in (('"failure": "connect-failed"', "failed in the proxy"), ('"status": 101', "protocol switch"), ('"target": "*"', "target is not a path"),
                          ('"method": "-"', "method not readable")):
            line = '{"time": "2026-11-01T00:00:00.000Z", "listener": "a", "version": "HTTP/1.1", "method": "GET", "target": "/", "host": "a", "request_bytes": 0, ' \
                   '"response_bytes": 1, "status": 200, "failure": null, ' + part + "}"
            self.assertEqual({why: 1}, access_log.read([line]).unfit())

    def test_calls_are_repeated_without_their_prefix(self):
        line = '{"time": "2026-11-01T00:00:00.000Z", "listener": "a", "version": "HTTP/2", "method": "POST", "target": "/s/M", "host": "a", "request_bytes": 25, ' \
               '"response_bytes": 105, "status": 200, "failure": null, "grpc_status": 0}'
        log = access_log.read([line, "2026-11-01 info  process: started", '{"level": "info"}'])
        self.assertEqual((GRPC, 2), (log.requests[0].kind, log.other_lines))
        self.assertEqual("grpc POST /s/M a 20 100 2\n", traffic.lines(log.requests))

    def test_a_sample_fits_into_the_generator(self):
        line = access_log.Request(0, None, HTTP1, "PUT", "/", None, 3 << 20, 0)
        found = traffic.sample([line] * 5000)
        self.assertEqual(16, len(found))
        self.assertEqual({1 << 20}, {one.request_bytes for one in found})
        self.assertEqual(2000, len(traffic.sample([line._replace(request_bytes=10)] * 5000)))


@unittest.skipUnless(retargeting.yaml, "PyYAML is not installed")
class Configurations(unittest.TestCase):
    def test_the_listeners_for_requests_are_found(self):
        found = Configuration(LARGE).listeners()
        self.assertEqual([("inbound", "mtls"), ("third", "off")], [(one.name, one.mode) for one in found])
        self.assertEqual("inbound", retargeting.chosen(found, None, [None, "third", "inbound", "inbound"]).name)
        with self.assertRaisesRegex(CouldNotRun, "inbound, third"):
            retargeting.chosen(found, None, [])
        with self.assertRaisesRegex(CouldNotRun, "there is no second"):
            retargeting.chosen(found, "second", [])

    def test_a_real_sidecar_takes_the_moved_one(self):
        configuration = Configuration(LARGE)
        self.assertEqual(({"off", "mtls"}, ["127.0.0.1", "127.0.0.2"]), (configuration.modes(), configuration.addresses()))
        with tempfile.TemporaryDirectory() as work:
            tls = certificates.make(certificates.MTLS, Path(work))
            others = [4004, 4003, 4002]
            text = configuration.retarget("inbound", 4001, 4000, others.pop, Endpoints(5000, 5001, 5002), tls.directory)
            moved = Path(work, "remora.yaml")
            moved.write_text(text)
            for gone in ("/etc/tls", "/run/", "10.0.0", "example.org", "proxy-protocol", "takeover", "/var/log", "zk!"):
                self.assertNotIn(gone, text)
            for kept in ("weight: 3", "127.0.0.1:5002", "127.0.0.2:5002", "127.0.0.1:5000", "queue: 2048", "tls: off", "balancer: round-robin"):
                self.assertIn(kept, text)
            done = subprocess.run([LAUNCHER, "check", moved], capture_output=True, text=True, timeout=60)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_profiles_are_allowed_only_for_a_trial_with_profiles(self):
        plain = CONFIGURATION.format(admin=1, format="json", front=2, routes=TO_APP, backend=3)
        for profile in (True, False):
            text = Configuration(plain).retarget("front", 4001, 4000, [4002].pop, Endpoints(5000, 5001, 5002), None, profile)
            self.assertEqual({"address": "127.0.0.1:4000", **({"profile": True} if profile else {})}, retargeting.yaml.safe_load(text)["admin"])

    def test_what_cannot_be_moved_is_refused(self):
        for text, why in (("clusters: { a: { template: {}, endpoints: [] } }", "is a template"), ("a: [", "--config: while parsing"), ("just text", "no mapping")):
            with self.assertRaisesRegex(CouldNotRun, why):
                Configuration(text)


class Options(unittest.TestCase):
    def read(self, *words):
        return try_flag.read_arguments(["--config", "c", *words])

    def test_there_is_one_profiler(self):
        with self.assertRaisesRegex(CouldNotRun, "--profile and --profiler exclude each other"):
            self.read("--rate", "5", "--profile", "--profiler", "asprof", "--", "-Xmx32m")

    def test_a_profile_lasts_as_long_as_the_sidecar_allows(self):
        for seconds in ("0", "2.5", "301"):
            with self.assertRaisesRegex(CouldNotRun, "--profile-seconds: with --profile, a whole number from 1 to 300"):
                self.read("--rate", "5", "--profile", "--profile-seconds", seconds, "--", "-Xmx32m")
        with self.assertRaisesRegex(CouldNotRun, "--profile-seconds: more than 0"):
            self.read("--rate", "5", "--profiler", "asprof", "--profile-seconds", "0", "--", "-Xmx32m")

    def test_flags_stand_behind_two_dashes(self):
        options = self.read("--rate", "5", "--env", "A=b=c", "--", "-XX:+UseSerialGC", "-Xmx32m")
        arms = try_flag.arms(options, 120.4)
        self.assertEqual(("", {}, 121), arms[BASE])
        self.assertEqual(("-XX:+UseSerialGC -Xmx32m", {"A": "b=c"}, 121), arms[OTHER])
        self.assertEqual("`-XX:+UseSerialGC` and `-Xmx32m` and `A=b=c`", try_flag.what(options))
        merged = try_flag.arms(self.read("--rate", "5", "--env", "REMORA_JAVA_OPTS=-Xmx64m", "--env", "REMORA_RPS=50", "--", "-Xint"), 5)[OTHER]
        self.assertEqual(("-Xint -Xmx64m", {}, 50), merged)
        self.assertEqual(10_000, try_flag.arms(self.read("--rate", "5", "--other-rps", "10000"), 5)[OTHER].rps)

    def test_what_makes_no_trial_is_refused(self):
        for words, why in (([], "nothing to try"), (["--", "-Xint"], "traffic is not known"), (["--rate", "1", "--env", "A"], "NAME=VALUE"),
                           (["--rate", "1", "--rounds", "1", "--", "-Xint"], "at least 2"), (["--rate", "1", "--", "-Da=b c"], "space")):
            with self.assertRaisesRegex(CouldNotRun, why):
                self.read(*words)


def rows(*values, key="cpu_us"):
    return [{key: value, "rate_missed": False, "rate_rps": 100.0} for value in values]


UNKNOWN = ("Not judged: peak RSS, start (not measured); HTTP/1.1 p99, HTTP/1.1 p999, HTTP/2 p99, HTTP/2 p999 (no such requests in the load).")


# Recorded runs of A and B. -Xint is from jvm-profiles/evidence/results/choices.jsonl, i386-client at 1,000 requests a second. The other is a trial of
# -XX:+UseCompressedOops on a busy machine, which the JVM sets by itself: B's memory was always above A's, but by less than A's runs differ.
INTERPRETED = {"cpu_us": ((162.48, 154.08), (914.05, 940.04)), "peak_rss_mb": ((23.36, 23.20), (21.16, 21.23)), "start_s": ((0.1871, 0.1393), (0.1948, 0.1500))}
DEFAULT = {
    "cpu_us": ((750.67, 805.57, 773.84, 873.69, 832.59), (706.34, 659.12, 795.62, 755.93, 765.29)),
    "peak_rss_mb": ((48.83, 49.02, 48.76, 48.82, 48.70), (49.13, 49.07, 49.11, 49.03, 49.13)),
    "start_s": ((2.218, 3.089, 2.350, 1.921, 3.537), (2.214, 3.969, 2.696, 3.391, 3.539)),
    "http1_p99_us": ((99_090.4, 108_134.4, 322_437.1, 40_534.0, 20_594.7), (736_624.6, 242_876.4, 132_644.9, 948_961.3, 20_971.5)),
}


def recorded(figures, arm):
    return [{**dict(zip(figures, values)), "rate_missed": False, "rate_rps": 300.0} for values in zip(*(runs[arm] for runs in figures.values()))]


class Verdicts(unittest.TestCase):
    FIGURE = Figure("cpu_us", "CPU per request, us", 1)

    def result(self, base, other):
        return flag_trial.change(self.FIGURE, rows(*base), rows(*other)).result

    def test_only_what_is_beyond_the_spread_differs(self):
        self.assertEqual(WORSE, self.result((100, 102, 101), (110, 111, 112)))
        self.assertEqual(BETTER, self.result((100, 102, 101), (90, 91, 89)))
        self.assertEqual(SAME, self.result((100, 102, 101), (101.5, 111, 112)))
        # all runs of B are beyond those of A, by less than those of A differ
        self.assertEqual(SAME, self.result((100, 110, 109), (111, 112, 113)))
        self.assertIsNone(flag_trial.change(self.FIGURE, rows(100), rows(110)))

    def trial(self, base, other):
        told = FlagTrial({"rate": 100.0}, "`-Xint`", {}, "- 100 requests a second")
        for number, (old, new) in enumerate(zip(base, other)):
            told.keep(number, BASE, old)
            told.keep(number, OTHER, new)
        return told

    def test_the_sentence_names_each_figure(self):
        told = self.trial(rows(100, 101), rows(402, 401))
        self.assertEqual("B is worse: CPU per request 100.5 -> 401.5 (+300 %). " + UNKNOWN, told.verdict())
        self.assertEqual(3, told.by_chance())
        self.assertIn("| CPU per request, us | 100.5 (100.0 .. 101.0) | 401.5 (401.0 .. 402.0) | worse |", told.markdown())
        self.assertEqual("No difference beyond the spread: CPU per request. " + UNKNOWN, self.trial(rows(100, 101), rows(101, 100)).verdict())

    def test_the_interpreter_is_worse_in_cpu(self):
        told = self.trial(recorded(INTERPRETED, 0), recorded(INTERPRETED, 1))
        self.assertEqual({"cpu_us": WORSE, "peak_rss_mb": BETTER, "start_s": SAME}, {one.figure.key: one.result for one in told.changes()})
        self.assertTrue(told.verdict().startswith("B is worse: CPU per request 158.3 -> 927.0 (+486 %). B is better: peak RSS "), told.verdict())

    def test_a_flag_that_is_the_default_makes_no_difference(self):
        told = self.trial(recorded(DEFAULT, 0), recorded(DEFAULT, 1))
        self.assertEqual(dict.fromkeys(DEFAULT, SAME), {one.figure.key: one.result for one in told.changes()})
        self.assertTrue(told.verdict().startswith("No difference beyond the spread: peak RSS, CPU per request, start, HTTP/1.1 p99. Not judged: "), told.verdict())

    def test_the_sentence_names_what_was_not_judged_and_why(self):
        def with_requests(row, requests):
            return {**row, **flag_trial.enough({"requests": requests, "p99_us": 1, "p999_us": 2}, "http1")}

        base, other = rows(100, 101), rows(101, 100)
        told = self.trial([with_requests(row, 20_000) for row in base], [with_requests(row, 4000) for row in other])
        self.assertIn("Not judged: peak RSS, start (not measured); HTTP/1.1 p999 (4,000 requests in a run, 10,000 are needed); "
                      "HTTP/2 p99, HTTP/2 p999 (no such requests in the load).", told.verdict())
        self.assertEqual("4,000 requests in a run, 10,000 are needed", told.describe()["not_judged"]["http1_p999_us"])
        self.assertNotIn("http1_p99_us", told.describe()["not_judged"])
        once = self.trial([{**base[0], "start_s": 0.5}, base[1]], other)
        self.assertIn("start (measured in fewer than two runs of an arm)", once.verdict())

    def test_a_load_that_was_not_the_one_asked_for_has_no_verdict(self):
        missed = [{**row, "rate_missed": True} for row in rows(100, 101)]
        self.assertIn("No verdict: A missed the rate", self.trial(missed, rows(402, 401)).verdict())
        self.assertTrue(self.trial(rows(100, 101), [{**row, "rate_missed": True} for row in rows(402, 401)]).verdict().startswith("B missed the rate in 2 of 2 runs. B is worse"))
        told = self.trial(rows(100, 101), rows(402, 401))
        told.failure = "arm B: 3 requests failed"
        self.assertIn("did not come to its end", told.verdict())

    def test_percentiles_need_requests_beyond_them(self):
        for requests, found in ((999, {}), (1000, {"h2_p99_us": 1}), (10_000, {"h2_p99_us": 1, "h2_p999_us": 2})):
            self.assertEqual({"h2_requests": requests, **found}, flag_trial.enough({"requests": requests, "p99_us": 1, "p999_us": 2}, "h2"))

    def test_methods_whose_share_of_the_samples_changed(self):
        text = "main;Loop.run;Parser.parse 60\nmain;Loop.run;Writer.write 40\n"
        self.assertEqual({"Parser.parse": 0.6, "Writer.write": 0.4}, flag_trial.shares(text))
        told = self.trial(rows(100, 101), rows(402, 401))
        told.keep_stacks(BASE, [text, text.replace("40", "42")])
        told.keep_stacks(OTHER, ["a;Interpreter 50\n" + text, "a;Interpreter 52\n" + text])
        self.assertEqual(["Interpreter", "Parser.parse", "Writer.write"], [method for method, _, _ in told.methods()])
        self.assertIn("| `Interpreter`", told.markdown())


class Loads(unittest.TestCase):
    def test_connections_follow_the_shares_of_the_protocols(self):
        request = access_log.Request(0, None, HTTP1, "GET", "/", None, 0, 10)
        shape = traffic.Shape(100.0, 10, {HTTP1: 0.7, H2: 0.2, GRPC: 0.1}, {}, traffic.sizes([0]), traffic.sizes([0]),
                              [request, request._replace(kind=H2), request._replace(kind=GRPC, method="POST")])
        with tempfile.TemporaryDirectory() as work:
            first, second = flag_runs.parts(shape, Path(work), 4)
            self.assertEqual(("http1", 7, 0), (first.protocol, first.connections, first.streams))
            self.assertEqual(("h2", 3, 4), (second.protocol, second.connections, second.streams))
            self.assertAlmostEqual(100, first.rate + second.rate)
            self.assertEqual(["http GET / 127.0.0.1 0 10 2", "grpc POST / 127.0.0.1 0 5 2"], second.file.read_text().splitlines())


if __name__ == "__main__":
    unittest.main()

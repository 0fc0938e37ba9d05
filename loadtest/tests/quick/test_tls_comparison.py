"""The comparison over TLS: its arithmetic and verdicts, and its clients with new connections."""
import contextlib
import http.client
import itertools
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
from pathlib import Path

from remora_measure import arms, runs, tls_runs
from remora_measure.comparisons import tls
from remora_measure.errors import CouldNotRun, DidNotEnd, RequestsFailed
from remora_measure.load import java_tools, key_exchange, newcomers
from remora_measure.machine import processes
from remora_measure.results.tls_comparison import AWS_LC, BARS, OPENSSL, About, TlsComparison
from remora_measure.systems import admin_pages, certificates, sidecars
from remora_measure.systems.configurations import PEERS, Ports, mode_of, write_config, write_configs

OPTIONS = {"rate": 1000, "connections": 16, "body": 1024, "newcomers": 100}
PLAIN, MTLS, JDK = About("image", "", "off"), About("image", OPENSSL, "mtls"), About("image", "JDK", "mtls")
ENVOY = About("envoy", "", "mtls")
QUIET = {"steady_hiccup_p99_us": 200.0, "steady_hiccup_p999_us": 900.0, "new_hiccup_p99_us": 300.0}
# Each exactly on its bar.
ON_THE_BARS = {"peak_rss_mb": 36.5, "closed_cpu_us": 125.0, "handshake_cpu_ms": 3.0, "steady_own_p99_us": 1000.0, "steady_own_p999_us": 5000.0,
               "new_own_p99_us": 2000.0, "idle_kib": 20.0, "bits": 32, **QUIET}


RESUMED = "resumed_to_envoy"
# Resumed handshakes have a bar with AWS-LC alone; the others are for any engine.
OF_MTLS = [bar for bar in BARS if bar.mode == "mtls" and bar.key != RESUMED]
# With HTTP/2 as well, where Envoy has 60 and 20 MB.
OVER_HTTP2, ENVOY_OVER_HTTP2 = About("image", AWS_LC, "mtls-h2"), About("envoy", "", "mtls-h2")


def row(**figures):
    return {"peak_rss_mb": 30.0, "closed_cpu_us": 100.0, "rate_rps": 1000.0, "rate_missed": False, **figures}


def comparison(*rounds):
    """rounds: {About: row}, in their order."""
    told = TlsComparison(OPTIONS, {})
    for number, one in enumerate(rounds):
        for about, figures in one.items():
            told.add(number, about, figures)
    return told


def results(told, about):
    return {one["key"]: one["result"] for one in told.judged() if one["arm"] == about.name}


class Bars(unittest.TestCase):
    def setUp(self):
        self.envoy = row(peak_rss_mb=73.0, handshake_cpu_ms=2.0, resumed_cpu_ms=1.0)

    def judged(self, about=MTLS, **figures):
        return results(comparison({PLAIN: row(), about: row(**{**ON_THE_BARS, **figures}), ENVOY: self.envoy}), about)

    def test_what_is_on_a_bar_meets_it(self):
        self.assertEqual({bar.key: "met" for bar in OF_MTLS}, self.judged())

    def test_what_is_beyond_a_bar_misses_it_and_no_other(self):
        beyond = {"handshake_cpu_ms": ("handshake_to_envoy", 3.1), "closed_cpu_us": ("closed_cpu_above", 126.0), "idle_kib": ("idle_kib", 20.1),
                  **{key: (key, ON_THE_BARS[key] + 1) for key in ("steady_own_p99_us", "steady_own_p999_us", "new_own_p99_us")}}
        for key, (bar, value) in beyond.items():
            self.assertEqual({one.key: "missed" if one.key == bar else "met" for one in OF_MTLS}, self.judged(**{key: value}), key)

    def test_under_less_load_than_was_asked_for_nothing_is_met(self):
        self.assertEqual("inconclusive", self.judged(new_arrived=0.98 * OPTIONS["newcomers"])["new_own_p99_us"])
        self.assertEqual("met", self.judged(new_arrived=0.99 * OPTIONS["newcomers"])["new_own_p99_us"])
        self.assertEqual("missed", self.judged(new_arrived=0.5 * OPTIONS["newcomers"], new_own_p99_us=2001.0)["new_own_p99_us"])
        judged = self.judged(rate_missed=True)
        self.assertEqual(("inconclusive", "inconclusive", "met"), tuple(judged[key] for key in ("steady_own_p99_us", "steady_own_p999_us", "idle_kib")))

    def test_memory_has_two_bars(self):
        told = self.judged(peak_rss_mb=36.6)
        self.assertEqual(("missed", "missed"), (told["rss_above_mb"], told["rss_to_envoy"]))

    def test_the_jdks_engine_has_bars_of_its_own(self):
        told = self.judged(JDK, peak_rss_mb=41.0)
        self.assertEqual("met", told["rss_above_mb"])
        self.assertEqual("missed", self.judged(JDK, peak_rss_mb=41.1)["rss_above_mb"])
        self.assertEqual("met", self.judged(JDK, peak_rss_mb=44.0, bits=64)["rss_above_mb"])
        self.assertEqual({"rss_to_envoy", "closed_cpu_above"}, {bar.key for bar in OF_MTLS} - set(told))

    def test_a_handshake_may_take_less_on_64_bits(self):
        self.assertEqual("met", self.judged(bits=64, handshake_cpu_ms=2.0)["handshake_to_envoy"])
        self.assertEqual("missed", self.judged(bits=64, handshake_cpu_ms=2.1)["handshake_to_envoy"])

    def test_of_a_jvm_whose_bits_are_not_known_the_least_is_asked(self):
        told = self.judged(bits=None)
        self.assertEqual({bar.key for bar in OF_MTLS}, set(told))
        self.assertEqual(("missed", "met"), (told["handshake_to_envoy"], self.judged(bits=None, handshake_cpu_ms=2.0)["handshake_to_envoy"]))

    def test_a_late_host_excuses_latency_and_nothing_else(self):
        late = {key: 6_000.0 for key in QUIET}
        told = self.judged(steady_own_p99_us=1001.0, steady_own_p999_us=5001.0, new_own_p99_us=2001.0, handshake_cpu_ms=9.0, **late)
        self.assertEqual(["inconclusive"] * 3, [told[key] for key in ("steady_own_p99_us", "steady_own_p999_us", "new_own_p99_us")])
        self.assertEqual("missed", told["handshake_to_envoy"])

    def test_a_late_host_excuses_no_more_than_its_own_part(self):
        late = {key: 6_000.0 for key in QUIET}
        self.assertEqual("inconclusive", self.judged(new_own_p99_us=8000.0, **late)["new_own_p99_us"])
        self.assertEqual("missed", self.judged(new_own_p99_us=8001.0, **late)["new_own_p99_us"])

    def test_what_was_not_measured_meets_nothing(self):
        told = results(comparison({MTLS: row(bits=32)}), MTLS)
        self.assertEqual({bar.key: "not measured" for bar in OF_MTLS}, told)

    def test_the_built_in_library_has_bars_of_its_own(self):
        about = About("image", AWS_LC, "mtls")
        on_them = {32: dict(peak_rss_mb=33.5, closed_cpu_us=125.0, handshake_cpu_ms=5.2, resumed_cpu_ms=2.0, idle_kib=14.0), 64: dict(peak_rss_mb=34.0, closed_cpu_us=120.0,
                   handshake_cpu_ms=2.6, resumed_cpu_ms=1.3, idle_kib=17.0)}
        for bits, figures in on_them.items():
            self.assertEqual({RESUMED: "met", **{bar.key: "met" for bar in OF_MTLS if bar.key != "rss_to_envoy"}}, self.judged(about, bits=bits, **figures))
            for key, bar in (("peak_rss_mb", "rss_above_mb"), ("closed_cpu_us", "closed_cpu_above"), ("handshake_cpu_ms", "handshake_to_envoy"), ("resumed_cpu_ms", RESUMED),
                             ("idle_kib", "idle_kib")):
                self.assertEqual("missed", self.judged(about, bits=bits, **{**figures, key: 1.05 * figures[key]})[bar], (bits, key))

    def test_with_http2_the_whole_is_compared_with_envoys(self):
        def judged(**figures):
            return results(comparison({PLAIN: row(), ENVOY_OVER_HTTP2: row(peak_rss_mb=60.0, private_mb=20.0),
                                       OVER_HTTP2: row(**{"bits": 64, "peak_rss_mb": 28.7, "private_mb": 15.0, "idle_kib": 23.0, **figures})}), OVER_HTTP2)
        self.assertEqual(dict.fromkeys(("rss_to_envoy", "private_to_envoy", "idle_kib"), "met"), judged())
        self.assertEqual(("missed", "met", "met"), tuple(judged(peak_rss_mb=28.9).values()))
        self.assertEqual(("met", "missed", "met"), tuple(judged(private_mb=15.1).values()))
        self.assertEqual(("met", "met", "missed"), tuple(judged(idle_kib=23.1).values()))
        self.assertEqual("missed", judged(bits=32)["rss_to_envoy"])

    def test_neither_plain_arms_nor_peers_are_judged(self):
        self.assertEqual([], comparison({PLAIN: row(), ENVOY: self.envoy}).judged())


class Result(unittest.TestCase):
    def test_what_tls_adds_is_told_against_the_plain_arm_of_its_round(self):
        told = comparison({PLAIN: row(peak_rss_mb=20.0, closed_cpu_us=50.0), MTLS: row(peak_rss_mb=25.0, closed_cpu_us=60.0)},
                          {PLAIN: row(peak_rss_mb=30.0, closed_cpu_us=200.0), MTLS: row(peak_rss_mb=36.0, closed_cpu_us=220.0)})
        rows = told.completed()[MTLS.name]
        self.assertEqual([5.0, 6.0], [one["rss_above_mb"] for one in rows])
        self.assertEqual([20, 10], [round(one["closed_cpu_above"]) for one in rows])

    def test_envoy_is_compared_with_in_the_same_mode(self):
        told = comparison({About("envoy", "", "tls"): row(peak_rss_mb=60.0), ENVOY: row(peak_rss_mb=90.0), MTLS: row(peak_rss_mb=30.0)})
        self.assertAlmostEqual(1 / 3, told.completed()[MTLS.name][0]["rss_to_envoy"])

    def test_a_round_without_the_other_arm_tells_nothing_of_it(self):
        told = comparison({MTLS: row()}, {PLAIN: row(), MTLS: row(peak_rss_mb=31.0)})
        first, second = told.completed()[MTLS.name]
        self.assertNotIn("rss_above_mb", first)
        self.assertEqual(1.0, second["rss_above_mb"])

    def test_markdown_has_the_bars_and_what_was_left_out_missed_and_stopped(self):
        told = comparison({PLAIN: row(), MTLS: row(**{**ON_THE_BARS, "idle_kib": 31.0}, start_s=0.2), ENVOY: row(rate_rps=900.0, rate_missed=True)})
        told.left_out["haproxy mtls"] = "haproxy mtls: not installed"
        told.failure = "3 requests failed"
        text = told.markdown()
        for words in ("| idle connection, KiB ", "**missed**", "left out: haproxy mtls: not installed", "3 requests failed",
                      "round 1, envoy mtls: 900 requests a second of 1000", "| image OpenSSL mtls "):
            self.assertIn(words, text)
        self.assertEqual("missed", next(bar["result"] for bar in told.describe()["bars"] if bar["key"] == "idle_kib"))


class Configurations(unittest.TestCase):
    def test_http2_with_client_certificates_has_those_of_every_system(self):
        with tempfile.TemporaryDirectory() as work:
            for path in (PEERS / "mtls-h2").iterdir():
                self.assertIn("22222", write_config(f"mtls-h2/{path.name}", Path(work), Ports(11111, 22222, 33333)).read_text())
        self.assertEqual({"backend-mtls-h2.conf", "envoy-mtls-h2.yaml", "haproxy-mtls-h2.cfg", "remora-mtls-h2.yaml"},
                         {path.name for path in (PEERS / "mtls-h2").iterdir()})

    def test_each_mode_has_those_of_every_system(self):
        names = [path.name for path in PEERS.iterdir()]
        for mode in certificates.MODES[1:]:
            self.assertEqual({f"backend-{mode}.conf", f"envoy-{mode}.yaml", f"haproxy-{mode}.cfg", f"remora-{mode}.yaml"},
                             {name for name in names if mode_of(name) == mode})

    def test_those_of_one_mode_leave_the_others(self):
        with tempfile.TemporaryDirectory() as work:
            write_configs(Path(work), Ports(1, 2, 3), mode="off")
            write_configs(Path(work), Ports(1, 4, 3), mode="mtls")
            self.assertIn("127.0.0.1:2;", Path(work, "nginx.conf").read_text().replace("server 127.0.0.1:2;", "127.0.0.1:2;"))
            self.assertIn("127.0.0.1:4", Path(work, "remora-mtls.yaml").read_text())
            self.assertFalse(Path(work, "remora-tls.yaml").exists())


class Containers(unittest.TestCase):
    def test_a_missing_one_is_told_with_the_command_that_builds_it(self):
        self.assertEqual(["make image-i386", "make image-compact3 TLS=openssl", "make image-compact3 ENGINE=finagle"],
                         [sidecars.make(f"image-{name}") for name in ("i386", "compact3-openssl", "compact3-finagle")])

    def test_one_sees_the_certificates_that_its_configuration_names(self):
        with tempfile.TemporaryDirectory() as work, open(os.devnull, "wb") as log, unittest.mock.patch.object(sidecars, "require_image"), \
                unittest.mock.patch.object(sidecars, "start") as start:
            for tls, folder in ((certificates.Tls("mtls", Path(work)), Path(work)), (None, None)):
                arms.image_arm(arms.Bench(Path(work), Ports(1, 2, 3), "java", log, tls), "i386-openssl", 1000).start()
                self.assertEqual(folder, start.call_args.args[5].folder)


class Libraries(unittest.TestCase):
    """The process of an arm finds its library for TLS, or none, where the image has another one."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.images = Path(directory.name)
        self.library = self.images / "image/runtime/lib/libremora_tls.so"
        self.library.parent.mkdir(parents=True)
        self.library.write_text("of the image")
        self.enterContext(unittest.mock.patch.object(tls, "BUILT_IMAGES", self.images))

    def enterContext(self, context):
        found = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return found

    def started(self, file):
        try:
            prefix = tls.instead_of_library("image", file)
        except CouldNotRun as why:
            self.skipTest(str(why))
        return subprocess.run([*prefix, "cat", self.library], capture_output=True, text=True, check=True).stdout

    def test_it_sees_another_file_which_nothing_else_does(self):
        other = self.images / "other"
        other.write_text("given")
        for file, text in ((other, "given"), (Path(os.devnull), "")):
            self.assertEqual(text, self.started(file))
            self.assertEqual("of the image", self.library.read_text())

    def test_the_process_is_the_sidecar_itself(self):
        try:
            prefix = tls.instead_of_library("image", self.library)
        except CouldNotRun as why:
            self.skipTest(str(why))
        with subprocess.Popen([*prefix, "sh", "-c", "echo $$"], stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.pid, int(process.stdout.read()))

    def test_an_image_without_a_library_starts_as_it_is(self):
        self.library.unlink()
        self.assertEqual([], tls.instead_of_library("image", self.images))

    def test_a_container_has_no_other_library(self):
        with tempfile.TemporaryDirectory() as work:
            bench = arms.Bench(Path(work), Ports(1, 2, 3), "java", None)
            arm = tls.sidecar_arm(bench, About("i386", "JDK", "mtls"), 1000, {})
        self.assertIn("cannot be replaced", arm.missing)


class Latencies(unittest.TestCase):
    def test_a_window_without_requests_has_none(self):
        with tempfile.TemporaryDirectory() as work, open(os.devnull, "wb") as log, \
                java_tools.LoadSession(Path(work), processes.default_java_home(), log, Ports(1, 2, 3)) as session:
            session.log_file.write_text("")
            self.assertEqual({}, runs.own_percentiles("own_", session))


class Words(unittest.TestCase):
    def test_libraries_are_directories_by_image(self):
        with tempfile.TemporaryDirectory() as place:
            with self.assertRaisesRegex(CouldNotRun, "libremora_tls.so"):
                tls.libraries(f"amd64-c1={place}")
            Path(place, "libremora_tls.so").touch()
            self.assertEqual({"amd64-c1": Path(place).resolve()}, tls.libraries(f"amd64-c1={place}"))
        self.assertEqual({}, tls.libraries(None))

    def test_what_is_not_known_cannot_run(self):
        benches = dict.fromkeys(certificates.MODES, arms.Bench(Path("/nowhere"), Ports(1, 2, 3), "/nowhere", None))
        for words in (("--only", "squid"), ("--modes", "ssl")):
            with self.assertRaisesRegex(CouldNotRun, f"there is no {words[1]}"):
                tls.contenders(benches, tls.read_arguments(words))

    def test_the_modes_of_a_system_follow_on_one_another(self):
        benches = {mode: arms.Bench(Path("/nowhere"), Ports(1, 2, 3), "/nowhere", None) for mode in certificates.MODES}
        found = tls.contenders(benches, tls.read_arguments(["--only", "envoy,i386-client", "--modes", "mtls,off"]))
        self.assertEqual(["i386-client plain", "i386-client AWS-LC mtls", "i386-client OpenSSL mtls", "i386-client JDK mtls", "envoy plain", "envoy mtls"],
                         [one.about.name for one in found])


class Clients(unittest.TestCase):
    """In front of the bundled backend, which asks for certificates."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.work = Path(directory.name)
        cls.tls = certificates.make("mtls", cls.work)
        cls.java_home = processes.default_java_home()
        cls.log = cls.enterClassContext(open(cls.work / "log", "wb")) if hasattr(cls, "enterClassContext") else open(cls.work / "log", "wb")
        cls.addClassCleanup(cls.log.close)
        cls.port, = processes.free_ports(1)
        backend = java_tools.Backend(cls.java_home, cls.log, cls.port, java_tools.Answers(64), cls.tls)
        cls.addClassCleanup(backend.close)

    def served(self):
        return admin_pages.served(self.port, self.tls.context())

    def test_handshakes_are_counted_and_no_request_is_sent(self):
        before = self.served()
        self.assertGreater(newcomers.handshakes(self.port, self.tls.context(), 0.5), 3)
        self.assertEqual(before + 1, self.served())

    def test_each_distinct_client_makes_one_handshake(self):
        certificates.make_clients(self.tls, 3)
        clients = [tls_runs.limited(context) for context in self.tls.clients()]
        self.assertEqual(3, newcomers.handshake_of_each(self.port, clients))
        shown = {Path(self.tls.directory, f"clients/{number}.crt").read_text() for number in range(3)}
        self.assertEqual(3, len(shown))
        with unittest.mock.patch.object(newcomers, "EACH_S", 0), self.assertRaisesRegex(DidNotEnd, "1 of which were made"):
            newcomers.handshake_of_each(self.port, clients)

    def test_a_session_is_resumed_and_a_server_that_does_not_is_told_from_it(self):
        context = tls_runs.limited(self.tls.context())
        session = newcomers.session_of(self.port, context)
        if session is None:
            self.skipTest("this JDK gives no ticket")
        self.assertGreater(newcomers.handshakes(self.port, context, 0.3, session), 0)
        other_port, = processes.free_ports(1)
        with java_tools.Backend(self.java_home, self.log, other_port, java_tools.Answers(64), self.tls), self.assertRaises(newcomers.NotResumed):
            newcomers.handshake(other_port, context, session)

    def resumed(self, times, must_resume):
        """Figures of a server that resumes sessions so many times."""
        with forgetful_server(self.tls, times) as port:
            bench = arms.Bench(self.work, Ports(port, port, port), self.java_home, self.log, self.tls)
            return tls_runs.resumed(types.SimpleNamespace(cpu_seconds=time.process_time), bench, 0.3, must_resume)

    def test_a_system_need_not_resume_sessions_but_the_sidecar_must(self):
        for times in (None, 0):  # without a ticket, and with one that it does not take
            with self.subTest(times):
                self.assertEqual({}, self.resumed(times, must_resume=False))
                with self.assertRaisesRegex(RequestsFailed, "gave no ticket" if times is None else "did not resume a session"):
                    self.resumed(times, must_resume=True)

    def test_a_session_that_is_not_resumed_after_others_is_a_failure(self):
        for must_resume in (False, True):
            with self.assertRaisesRegex(RequestsFailed, "did not resume a session"):
                self.resumed(3, must_resume)
        self.assertGreater(self.resumed(1_000_000, must_resume=True)["resumed_count"], 0)

    @unittest.skipUnless(shutil.which("go") or Path("/usr/local/go/bin/go").exists(), "Go is not installed")
    def test_the_client_of_another_key_exchange_tells_what_the_server_lacks(self):
        with tempfile.TemporaryDirectory() as work:
            program = key_exchange.compiled(Path(work))
            self.assertGreater(program.handshakes(self.port, self.tls, key_exchange.CLASSIC, 0.3), 0)
            with p256_server(self.tls) as port:
                self.assertEqual(0, program.handshakes(port, self.tls, key_exchange.HYBRID, 0.3))
            with self.assertRaisesRegex(RequestsFailed, "a handshake failed"):
                program.handshakes(processes.free_ports(1)[0], self.tls, key_exchange.CLASSIC, 0.3)

    def test_a_handshake_that_the_server_refuses_is_a_failure(self):
        """In TLS 1.3 the client's side of it ends before the server has seen the certificate, or that there is none."""
        with self.assertRaises(ssl.SSLError):
            newcomers.handshake(self.port, self.tls._replace(mode="tls").context())

    def test_newcomers_come_at_their_rate_with_a_request_each(self):
        before = self.served()
        coming = newcomers.Newcomers(self.port, self.tls.context(), 50)
        time.sleep(1.5)
        rate = coming.end()
        self.assertEqual(0, coming.failed)
        self.assertEqual(before + 1 + coming.served, self.served())
        self.assertLessEqual(rate, 52)
        self.assertGreater(rate, 3)

    def test_newcomers_that_are_refused_are_counted(self):
        coming = newcomers.Newcomers(self.port, self.tls._replace(mode="tls").context(), 40)
        time.sleep(1)
        coming.end()
        self.assertEqual(0, coming.served)
        self.assertGreater(coming.failed, 5)

    def test_connections_one_by_one_end_with_the_first_that_fails(self):
        before = self.served()
        count = newcomers.one_by_one(self.port, self.tls.context(), 0.5)
        self.assertGreater(count, 0)
        self.assertEqual(before + 1 + count, self.served())
        began = time.monotonic()
        self.assertEqual(0, newcomers.one_by_one(processes.free_ports(1)[0], self.tls.context(), 30))
        self.assertLess(time.monotonic() - began, 20)

    def test_idle_connections_stay_until_they_are_released(self):
        before = self.served()
        with newcomers.idle(self.port, self.tls.context(), 5):
            self.assertEqual(before + 6, self.served())
        with self.assertRaises((OSError, http.client.HTTPException)):
            newcomers.connect(processes.free_ports(1)[0], self.tls.context())

    def test_the_load_session_shows_its_certificate(self):
        ports = Ports(self.port, self.port, self.port)
        before = self.served()
        with java_tools.LoadSession(self.work, self.java_home, self.log, ports) as session:
            session.begin(50, 2, 0, 1, tls=self.tls)
            told = session.answer()
            self.assertEqual((0, 50), (told["failed"], told["requests"]))
            session.begin_closed(2, 1, self.tls)
            closed = session.answer()
            self.assertEqual((0, before + 51 + closed["requests"]), (closed["failed"], self.served()))
            session.begin_closed(2, 1, self.tls._replace(mode="tls"))
            self.assertEqual(2, session.answer()["failed"])


@contextlib.contextmanager
def forgetful_server(tls, times):
    """A port of a server that answers a request, or none; it gives a ticket in each connection, but for times = None, and resumes sessions in so many
    connections after the first one, by whose keys alone it reads tickets."""
    def context():
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(tls.directory / "app.crt", tls.directory / "app.key")
        if times is None:
            made.num_tickets = 0
        return made
    first = context()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                for number in itertools.count():
                    plain, _ = listener.accept()
                    with contextlib.suppress(OSError), plain, (first if number <= (times or 0) else context()).wrap_socket(plain, server_side=True) as connection:
                        if connection.recv(4096):
                            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                        connection.unwrap()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


@contextlib.contextmanager
def p256_server(tls):
    """A port of a server that has no other key exchange."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.directory / "app.crt", tls.directory / "app.key")
    context.set_ecdh_curve("prime256v1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                context.wrap_socket(connection, server_side=True)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


if __name__ == "__main__":
    unittest.main()

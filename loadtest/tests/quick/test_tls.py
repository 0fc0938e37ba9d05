"""Runs over TLS: the certificates, and what is judged otherwise."""
import os
import socket
import ssl
import sys
import tempfile
import unittest
from pathlib import Path

from remora_measure.conformance import plan, rig_parts, tls_rows, verdict
from remora_measure.errors import CouldNotRun
from remora_measure.load import java_tools, newcomers
from remora_measure.machine import http2, kernel, processes
from remora_measure.systems import admin_pages, certificates


class Rows(unittest.TestCase):
    def test_the_bar_for_memory_hangs_on_the_engine_and_on_the_bits(self):
        asked = [("AWS-LC", 32), ("AWS-LC", 64), ("OpenSSL", 32), ("OpenSSL", 64), ("JDK", 32), ("JDK", 64)]
        more = [tls_rows.rss_mb({"engine": engine, "bits": bits}) for engine, bits in asked]
        self.assertEqual([3.5, 4.0, 6.5, 6.5, 11.0, 14.0], more)
        self.assertEqual([115 + mb for mb in more], [verdict.rss_bar_mb(1000, mb) for mb in more])
        self.assertIsNone(verdict.rss_bar_mb(40_001, 14.0))

    def test_an_engine_that_is_not_known_gets_no_more_than_the_least(self):
        for told in ({"engine": None, "bits": 64}, {"engine": "JDK", "bits": None}, {}):
            self.assertEqual(3.5, tls_rows.rss_mb(told))

    def test_without_tls_nothing_is_added(self):
        self.assertEqual((0.0, "", []), (tls_rows.rss_mb(None), tls_rows.rss_note(None), tls_rows.wire_rows(None, "why")))

    def test_the_bar_itself_passes_and_says_what_of_it_is_for_tls(self):
        told = {"engine": "OpenSSL", "bits": 32}
        words = (tls_rows.rss_mb(told), tls_rows.rss_note(told))
        results = [verdict.resource_rows(1000, rss, 0.1, 0, verdict.QUIET, *words)[0].result for rss in (121.5, 121.6)]
        self.assertEqual([verdict.PASS, verdict.FAIL], results)
        self.assertIn("6.5 MB of the bar are for TLS by OpenSSL", words[1])

    def test_the_wire_is_missing_without_spoiling_a_pass(self):
        row, = tls_rows.wire_rows({"engine": "JDK", "bits": 64}, "a packet capture cannot read TLS")
        self.assertEqual((verdict.MISSING, "a packet capture cannot read TLS"), (row.result, row.note))
        own = {"inbound.proxy": {"p99_us": 400.0, "curve": [[0.0, 1.0], [100.0, 400.0]]}}
        latency = verdict.latency_row("p99", "p99_us", 1.0, own, row.note)
        self.assertEqual((verdict.PASS, 0.4), (latency.result, latency.value))
        self.assertIn("on the wire missing: a packet capture cannot read TLS", latency.note)
        self.assertEqual(verdict.PASS, verdict.overall([latency, row]))

    def test_the_engine_is_read_in_the_log(self):
        self.assertEqual("OpenSSL", rig_parts.tls_engine("INFO memory\n2026 INFO TLS by OpenSSL 3.0.19\n"))
        self.assertEqual("JDK", rig_parts.tls_engine("INFO TLS by the JDK; OpenSSL is not available: no remora_tls in java.library.path\n"))
        self.assertIsNone(rig_parts.tls_engine("INFO listener inbound on 127.0.0.1:1\n"))

    def test_the_bits_are_those_of_the_program(self):
        self.assertEqual(64 if sys.maxsize > 2 ** 32 else 32, kernel.word_bits(os.getpid()))
        self.assertIsNone(kernel.word_bits(2 ** 22 + 1))


class Words(unittest.TestCase):
    def test_it_is_off_by_default_and_one_of_three(self):
        self.assertEqual("off", plan.read("conformance", "", []).tls)
        self.assertEqual("mtls", plan.read("conformance", "", ["--tls", "mtls"]).tls)
        with self.assertRaises(CouldNotRun):
            plan.read("conformance", "", ["--tls", "ssl"])


class Certificates(unittest.TestCase):
    """What is made is good enough for those who verify, and who has none is refused."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = Path(directory.name)

    def test_there_are_none_without_tls(self):
        self.assertIsNone(certificates.make("off", self.work))
        self.assertEqual([], list(self.work.iterdir()))

    def test_a_machine_without_openssl_is_told_so(self):
        path = os.environ["PATH"]
        os.environ["PATH"] = str(self.work)
        try:
            with self.assertRaisesRegex(CouldNotRun, "openssl"):
                certificates.make("tls", self.work)
        finally:
            os.environ["PATH"] = path

    def test_the_backend_answers_who_shows_a_certificate(self):
        mutual = certificates.make("mtls", self.work)
        port, = processes.free_ports(1)
        with open(self.work / "log", "wb") as log, java_tools.Backend(processes.default_java_home(), log, port, java_tools.Answers(64), mutual):
            self.assertTrue(processes.answers(port, mutual.context()))
            self.assertGreater(admin_pages.served(port, mutual.context()), 0)
            self.assertFalse(processes.answers(port, mutual._replace(mode="tls").context()), "without a certificate")
            self.assertFalse(processes.answers(port), "without TLS")
            self.assertTrue(http2.answers(port, mutual.context(is_http2=True)))
            self.assertFalse(http2.answers(port, mutual.context()), "without ALPN")
            self.assertFalse(http2.answers(port, mutual._replace(mode="tls").context(is_http2=True)), "without a certificate")
            self.assertFalse(http2.answers(port), "without TLS")
            self.assertGreater(newcomers.one_by_one(port, mutual.context(is_http2=True), 0.5, by_http2=True), 0)
            self.assertGreater(newcomers.one_by_one(port, mutual.context(), 0.5), 0)
            with self.assertRaises(ssl.SSLCertVerificationError):
                greet_as_a_stranger(port)


def greet_as_a_stranger(port):
    """A handshake of somebody who does not know the authority."""
    with socket.create_connection(("127.0.0.1", port), 5) as plain:
        ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")


if __name__ == "__main__":
    unittest.main()

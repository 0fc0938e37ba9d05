"""The comparison over HTTP/2, gRPC and TCP: its arithmetic and its verdicts."""
import json
import socket
import tempfile
import threading
import unittest
from pathlib import Path

from remora_measure import h2_runs
from remora_measure.comparisons import h2
from remora_measure.errors import CouldNotRun, RequestsFailed
from remora_measure.load import h2load
from remora_measure.results.h2_comparison import BARS, DIRECT, About, H2Comparison
from remora_measure.systems.configurations import GRPC, H2, HTTP1, PEERS, TCP, Ports, write_config

OPTIONS = {"rate": 1000, "connections": 16, "streams": 4, "body": 1024}
QUIET = {"hiccup_p99_us": 200.0, "hiccup_p999_us": 900.0, "own_hiccup_p99_us": 200.0, "own_hiccup_p999_us": 900.0}
CLIENT = {"client_p50_us": 300.0, "client_p99_us": 500.0, "client_p999_us": 1000.0}
# Rows exactly on their bars, next to the rows of others.
ON_THE_BARS = {
    H2: {"peak_rss_mb": 32.0, "cpu_us": 60.0, "own_p99_us": 1000.0, "own_p999_us": 5000.0, "client_p50_us": 400.0, "client_p99_us": 1000.0,
         "client_p999_us": 6000.0, "stalled_above": 10.0, "idle_jvm_kib": 8.0, **QUIET},
    GRPC: {"grpc_rps": 13_000.0}, TCP: {"tcp_mb_s": 800.0, "tcp_cpu_share": 0.9},
}
OTHERS = {
    About("image", HTTP1): {"peak_rss_mb": 30.0}, About(DIRECT, H2): CLIENT, About("envoy", H2): {"peak_rss_mb": 60.0, "cpu_us": 100.0, **CLIENT},
    About("envoy", GRPC): {"grpc_rps": 10_000.0}, About("haproxy", TCP): {"tcp_mb_s": 1000.0},
}


def comparison(system="image", **figures):
    """One round in which the image has its rows on the bars but for some figures."""
    told = H2Comparison(OPTIONS, {})
    for about, row in OTHERS.items():
        told.add(0, about._replace(system=system) if about.system == "image" else about, {"rate_rps": 1000.0, "rate_missed": False, **row})
    for protocol, row in ON_THE_BARS.items():
        told.add(0, About(system, protocol), {"rate_rps": 1000.0, "rate_missed": False, **row, **{key: value for key, value in figures.items() if key in (*row, "rate_missed")}})
    return told


def results(told):
    return {one["key"]: one["result"] for one in told.judged()}


class Bars(unittest.TestCase):
    def test_what_is_on_a_bar_meets_it(self):
        self.assertEqual({bar.key: "met" for bar in BARS}, results(comparison()))

    def test_what_is_beyond_a_bar_misses_it_and_no_other(self):
        beyond = {"peak_rss_mb": ("rss_above_mb", 32.1), "cpu_us": ("cpu_to_envoy", 60.1), "grpc_rps": ("grpc_to_envoy", 12_999.0),
                  "tcp_mb_s": ("tcp_to_haproxy", 799.0), "stalled_above": ("stalled_above", 10.1), "idle_jvm_kib": ("idle_jvm_kib", 8.1),
                  "own_p99_us": ("own_p99_us", 1001.0), "own_p999_us": ("own_p999_us", 5001.0), "client_p99_us": ("added_p99_us", 1001.0),
                  "client_p999_us": ("added_p999_us", 6001.0)}
        self.assertEqual({bar.key for bar in BARS}, {bar for bar, _ in beyond.values()})
        for key, (bar, value) in beyond.items():
            self.assertEqual({one.key: "missed" if one.key == bar else "met" for one in BARS}, results(comparison(**{key: value})), key)

    def test_a_host_that_is_later_than_the_bar_excuses_what_it_explains(self):
        self.assertEqual("inconclusive", results(comparison(own_p99_us=1900.0, own_hiccup_p99_us=1200.0))["own_p99_us"])
        self.assertEqual("missed", results(comparison(own_p99_us=2300.0, own_hiccup_p99_us=1200.0))["own_p99_us"])
        self.assertEqual("missed", results(comparison(own_p99_us=1900.0, own_hiccup_p99_us=999.0))["own_p99_us"])

    def test_under_less_load_than_was_asked_for_no_latency_is_met(self):
        told = comparison(rate_missed=True)
        found = results(told)
        self.assertEqual({"own_p99_us", "own_p999_us", "added_p99_us", "added_p999_us"}, {key for key, one in found.items() if one == "inconclusive"})
        self.assertIn("image HTTP/2: 1000 requests a second of 1000", told.missed[0])

    def test_a_direct_way_that_was_as_slow_by_itself_proves_nothing(self):
        for direct in ({"client_p99_us": 1100.0}, {"rate_missed": True}):
            told = comparison()
            told.rows[About(DIRECT, H2).name] = [{"rate_rps": 1000.0, "rate_missed": False, **CLIENT, **direct}]
            self.assertEqual("inconclusive", results(told)["added_p99_us"], direct)

    def test_a_tunnel_that_did_not_fill_its_core_proves_nothing(self):
        self.assertEqual("inconclusive", results(comparison(tcp_cpu_share=0.8))["tcp_to_haproxy"])

    def test_calls_without_their_messages_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            call = Path(folder) / "call"
            call.write_bytes(h2load.message(1024))
            h2_runs.require_answered(h2load.Told(100, 0, 1.0, 102_900), call)
            with self.assertRaisesRegex(RequestsFailed, "not as many messages"):
                h2_runs.require_answered(h2load.Told(100, 0, 1.0, 51_450), call)

    def test_a_peer_that_fails_beside_a_stalled_stream_keeps_its_other_figures(self):
        def failing():
            raise RequestsFailed("99 requests failed")
        self.assertEqual({}, h2.beside_stalled(About("haproxy", H2), failing, self.fail))
        with self.assertRaises(RequestsFailed):
            h2.beside_stalled(About("i386-client", H2), failing, self.fail)

    def test_images_have_bars_of_their_own(self):
        bars = {system: {bar.key: bar.of(system) for bar in BARS if bar.by_system} for system in ("i386-client", "amd64-c1", "amd64-tiered")}
        self.assertEqual({"i386-client": {"rss_above_mb": 1.5, "cpu_to_envoy": 0.65, "added_p99_us": 500, "grpc_to_envoy": 1.1},
                          "amd64-c1": {"rss_above_mb": 2, "cpu_to_envoy": 0.6, "added_p99_us": 500, "grpc_to_envoy": 1.3},
                          "amd64-tiered": {"rss_above_mb": 2, "cpu_to_envoy": 0.7, "added_p99_us": 1000, "grpc_to_envoy": 2.2}}, bars)
        self.assertEqual("missed", results(comparison("amd64-tiered"))["grpc_to_envoy"])
        self.assertEqual("met", results(comparison("amd64-tiered", grpc_rps=22_000.0))["grpc_to_envoy"])

    def test_without_what_a_figure_is_told_against_it_is_not_measured(self):
        told = H2Comparison(OPTIONS, {})
        told.add(0, About("image", H2), {"rate_rps": 1000.0, "rate_missed": False, **ON_THE_BARS[H2]})
        found = results(told)
        self.assertEqual({"rss_above_mb", "cpu_to_envoy", "added_p99_us", "added_p999_us"}, {key for key, one in found.items() if one == "not measured"})

    def test_only_the_same_round_is_compared(self):
        told = comparison()
        told.add(1, About("image", H2), {"rate_rps": 1000.0, "rate_missed": False, **ON_THE_BARS[H2], "peak_rss_mb": 99.0})
        self.assertNotIn("rss_above_mb", told.completed()["image HTTP/2"][1])

    def test_it_is_written_with_its_tables(self):
        told = comparison()
        told.left_out["haproxy HTTP/2"] = "haproxy HTTP/2: haproxy is not installed"
        with tempfile.TemporaryDirectory() as folder:
            told.write([Path(folder) / "one.json"])
            written = json.loads((Path(folder) / "one.json").read_text())
        self.assertEqual(len(BARS), len(written["bars"]))
        page = told.markdown()
        self.assertRegex(page, r"\| peak RSS above HTTP/1.1's, MB +\| +image HTTP/2 \| +2.0 \| +at most 2.0 \| +met \|")
        self.assertIn("at least 1.30", page)
        self.assertIn("- left out: haproxy HTTP/2: haproxy is not installed", page)


class Words(unittest.TestCase):
    def test_what_is_not_known_is_refused(self):
        for words in (["--only", "caddy"], ["--protocols", "h3"]):
            with self.assertRaisesRegex(CouldNotRun, "there is no"):
                h2.contenders({}, h2.read_arguments(words))

    def test_every_configuration_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (PEERS / "h2").iterdir():
                written = write_config(f"h2/{path.name}", Path(folder), Ports(11111, 22222, 33333), h2=44444).read_text()
                self.assertIn("22222", written, path.name)


class Tunnels(unittest.TestCase):
    def test_a_download_counts_what_came(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=serve, args=(server,), daemon=True).start()
            with socket.create_connection(server.getsockname()) as connection:
                self.assertEqual(h2_runs.LARGE_BYTES, h2_runs.download(connection, 0.001))
                with self.assertRaisesRegex(ConnectionResetError, "404"):
                    h2_runs.download(connection, 1)


def serve(server):
    """A large body, and then none."""
    connection, _ = server.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        piece = bytes(1 << 20)
        for _ in range(h2_runs.LARGE_BYTES >> 20):
            connection.sendall(piece)
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 404 Not Found\r\n\r\n")


if __name__ == "__main__":
    unittest.main()

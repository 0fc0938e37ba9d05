"""A sidecar that runs already: how it is found, where its cgroup is read, and what a run in a pod leaves out."""
import base64
import gzip
import http.server
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from remora_measure.conformance import memory_rows, plan, report, verdict
from remora_measure.errors import CouldNotRun
from remora_measure.machine import cgroups, cores, processes
from remora_measure.systems import kubelet, running
from remora_measure.systems.configurations import Ports

SUMMARY = {"pods": [{"podRef": {"name": "other", "namespace": "n"}, "containers": [{"name": "remora", "memory": {"workingSetBytes": 1}}]},
                    {"podRef": {"name": "p", "namespace": "n"}, "containers": [{"name": "app", "memory": {"workingSetBytes": 2}},
                                                                               {"name": "remora", "memory": {"workingSetBytes": 12_500_000}}]}]}


class FoundTest(unittest.TestCase):
    def test_it_is_the_process_that_listens_on_the_admin_port(self):
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            with self.subTest(address), socket.create_server((address, 0), family=family) as server:
                port = server.getsockname()[1]
                with socket.create_connection((address, port)):
                    self.assertEqual(os.getpid(), running.listener(port))

    def test_where_nobody_listens_it_says_what_it_wants(self):
        with self.assertRaisesRegex(CouldNotRun, "--running names the ports"):
            running.listener(processes.free_ports(1)[0])

    def test_a_process_of_another_pod_or_user_is_not_seen(self):
        with tempfile.TemporaryDirectory() as proc:
            for table in ("net", "self"):
                Path(proc, table).mkdir()
            Path(proc, "net/tcp").write_text("  sl\n   0: 0100007F:2706 00000000:0000 0A 00000000:00000000 00:00000000 00000000 65532 0 4711 1\n")
            with self.assertRaisesRegex(CouldNotRun, "shareProcessNamespace"):
                running.listener(9990, Path(proc))
            Path(proc, "42/fd").mkdir(parents=True)
            os.symlink("socket:[4711]", Path(proc, "42/fd/7"))
            self.assertEqual(42, running.listener(9990, Path(proc)))


class CgroupTest(unittest.TestCase):
    def test_a_container_sees_its_own_in_either_version(self):
        for version, folder, files in ((1, "memory", {"memory.usage_in_bytes": "5000000", "memory.stat": "total_inactive_file 1000000\n"}),
                                       (2, ".", {"memory.current": "5000000", "memory.stat": "inactive_file 1000000\n"})):
            with self.subTest(version), tempfile.TemporaryDirectory() as root:
                Path(root, folder).mkdir(exist_ok=True)
                for name, text in files.items():
                    Path(root, folder, name).write_text(text)
                found = cgroups.seen_from(Path(root))
                self.assertEqual((version, 4_000_000), (found.version, found.used()))

    def test_without_one_there_is_no_figure(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertIsNone(cgroups.seen_from(Path(root)))


class CoresTest(unittest.TestCase):
    def test_a_process_whose_cpuset_has_none_of_the_cores_stays_where_it_is(self):
        with subprocess.Popen(["sleep", "60"]) as child:
            before = os.sched_getaffinity(child.pid)
            self.assertFalse(cores.move(child.pid, {max(before) + 1000}))
            self.assertEqual(before, os.sched_getaffinity(child.pid))
            child.kill()


class PlanTest(unittest.TestCase):
    def read(self, *words):
        return plan.read("conformance", "", words)

    def test_three_ports_name_it(self):
        asked = self.read("--running", "8080,8081,9990")
        self.assertEqual((Ports(8080, 8081, 9990), False), (asked.running, asked.is_in_container))
        json.dumps(asked.describe())
        for wrong in ("8080", "8080,8081", "a,b,c", "8080,8081,70000"):
            with self.assertRaises(CouldNotRun, msg=wrong):
                self.read("--running", wrong)

    def test_what_it_cannot_be_combined_with_is_refused(self):
        for words in (("--running", "1,2,3", "--tls", "tls"), ("--running", "1,2,3", "--features", "mesh"), ("--running", "1,2,3", "--command", "x"),
                      ("--sidecar-log", "x"), ("--kubelet", "x")):
            with self.assertRaises(CouldNotRun, msg=words):
                self.read(*words)


class RowsTest(unittest.TestCase):
    def test_what_is_left_out_has_a_row_with_its_name_and_no_bar(self):
        wire = verdict.unseen_wire_rows(True, "left out: no NET_RAW")
        compiled = verdict.compile_rows([], None, unread="no log")[-1:]
        self.assertEqual(["time in the proxy on the wire", "methods compiled in the worst second"], [row.name for row in wire + compiled])
        self.assertFalse(any(map(verdict.is_missed_out, wire + compiled)))
        self.assertEqual([[], []], [verdict.unseen_wire_rows(True, None), verdict.unseen_wire_rows(False, "TLS")])

    def test_a_target_for_the_working_set_replaces_that_of_the_image(self):
        measured = {"samples": [{"t_s": 1.0, "private_mb": 9.0, "working_set_mb": 12.0, "kubelet_mb": 12.5}], "memory": {"cgroup": 2, "swap": "off", "caches": "as they were"}}
        for bar, result in (("12", verdict.PASS), ("11.9", verdict.FAIL)):
            asked = plan.read("conformance", "", ["--running", "1,2,3", "--working-set-mb", bar, "--kubelet", "ca"])
            rows = {row.name: row for row in memory_rows.rows(asked, measured, 30.0)}
            self.assertEqual((result, 12.5), (rows["working set"].result, rows["working set, by the kubelet"].value))

    def test_the_printed_page_is_read_back(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "report.html").write_text("<html>" * 1000)
            lines = report.printed(Path(directory)).splitlines()
        self.assertEqual((report.BEGINS, report.ENDS), (lines[0], lines[-1]))
        self.assertEqual(b"<html>" * 1000, gzip.decompress(base64.b64decode("".join(lines[1:-1]))))


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = self.headers["Authorization"] == "Bearer secret"
        body = json.dumps(SUMMARY).encode() if good else b"Unauthorized"
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class KubeletTest(unittest.TestCase):
    """Against an HTTPS server with a certificate for the node's name."""

    def setUp(self):
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=node", "-addext",
                        "subjectAltName=DNS:node", "-keyout", self.work / "key", "-out", self.work / "ca"], check=True, capture_output=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.work / "ca", self.work / "key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        (self.work / "token").write_text("secret\n")
        for name, value in (("PORT", server.server_port), ("TOKEN", self.work / "token")):
            self.addCleanup(setattr, kubelet, name, getattr(kubelet, name))
            setattr(kubelet, name, value)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update({"NODE_IP": "127.0.0.1", "NODE_NAME": "node", "POD_NAME": "p", "POD_NAMESPACE": "n"})

    def told(self):
        asked = kubelet.Kubelet(self.work / "ca")
        return asked.working_set_mb(), asked.missing

    def test_it_tells_the_working_set_of_the_sidecar_in_this_pod(self):
        self.assertEqual((12.5, None), self.told())

    def test_what_it_does_not_tell_is_left_out_with_the_reason(self):
        os.environ["POD_NAME"] = "q"
        self.assertEqual((None, "left out: the kubelet does not list this container"), self.told())
        (self.work / "token").write_text("wrong\n")
        self.assertIn("responds with 401", self.told()[1])
        os.environ["NODE_NAME"] = "another"
        self.assertIn("CERTIFICATE_VERIFY_FAILED", self.told()[1])
        del os.environ["NODE_NAME"]
        self.assertEqual((None, "left out: the environment has no NODE_NAME"), self.told())


if __name__ == "__main__":
    unittest.main()

"""The flight recorder of a built image, whose recordings the host's JDK reads. scripts/test-recorder builds the images."""
import json
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from endpoint import slow_endpoint

IMAGE = Path(__file__).resolve().parent.parent / "target" / os.environ.get("IMAGE", "i386-client-jfr")
REQUESTS = 50
CONFIGURATION = """
admin: {{ address: "127.0.0.1:0", profile: true }}
listeners: [ {{ name: web, address: "127.0.0.1:0", cluster: app }} ]
clusters: {{ app: {{ endpoints: ["127.0.0.1:{port}"] }} }}
"""


class Recorder(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        # longer than the least bound of the recorder, 1 ms
        port = self.enterContext(slow_endpoint(0.005))
        (self.work / "remora.yaml").write_text(CONFIGURATION.format(port=port))
        self.process = subprocess.Popen([IMAGE / "bin/remora", "run", "--config", self.work / "remora.yaml"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.address = self.until(r" listener web on (\S+)")
        self.admin = self.until(r" ready; admin on (\S+)")

    def until(self, pattern):
        """The first group of the next line that matches; fails after a minute."""
        lines = []
        too_long = threading.Timer(60, self.process.kill)
        too_long.start()
        try:
            for line in self.process.stdout:
                lines.append(line)
                if found := re.search(pattern, line):
                    return found.group(1)
        finally:
            too_long.cancel()
        raise AssertionError(f"no line matches {pattern!r}:\n{''.join(lines)}")

    def post(self, path):
        return urllib.request.urlopen(urllib.request.Request(f"http://{self.admin}/recording/{path}", method="POST"), timeout=60)

    def text(self, path):
        with self.post(path) as response:
            return response.read().decode()

    def send(self):
        for _ in range(REQUESTS):
            with urllib.request.urlopen(f"http://{self.address}/", timeout=60) as response:
                self.assertEqual(200, response.status)

    def first_event(self, stream):
        """The first event of a stream, which comes while requests are sent."""
        arrived = threading.Event()
        with ThreadPoolExecutor() as pool:
            sending = pool.submit(self.send_until, arrived)
            try:
                first = next(json.loads(line) for line in stream if line.strip())
                self.assertIn("event", first)
                return first
            finally:
                arrived.set()
                sending.result()

    def finished(self):
        """Requests whose exchange has ended, and which are therefore recorded."""
        with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=60) as response:
            found = re.findall(r"(?m)^remora_exchanges_finished_total\S* (\d+)$", response.read().decode())
        return sum(map(int, found))

    def send_until(self, arrived):
        while not arrived.is_set():
            self.send()

    def recorded(self, dump):
        """The number of events by name, as the host's JDK counts them."""
        told = subprocess.run([os.environ["JFR"], "summary", dump], capture_output=True, text=True, check=True).stdout
        return {name: int(count) for name, count in re.findall(r"(?m)^ (\S+) +(\d+) +\d+$", told)}

    def test_each_exchange_is_in_the_dump(self):
        self.assertIn("state: running", self.text("start?slow=1ms"))
        self.send()
        deadline = time.monotonic() + 60
        while self.finished() < REQUESTS and time.monotonic() < deadline:
            time.sleep(0.05)
        dump = self.work / "sidecar.jfr"
        with self.post("dump") as response:
            dump.write_bytes(response.read())
        self.assertIn("state: none", self.text("discard"))
        found = self.recorded(dump)
        self.assertEqual(REQUESTS, found["io.remora.Exchange"])
        # the VM's own, once in each chunk
        self.assertGreater(found["jdk.ActiveSetting"], 0)

    def test_a_stream_ends_with_the_recording(self):
        self.text("start?slow=1ms")
        with self.post("stream?duration=1h&events=io.remora.Exchange") as stream:
            # a stream begins with the next write of the recorder, so the first requests may not be in it
            events = [self.first_event(stream)]
            self.text("stop")
            events += [json.loads(line) for line in stream if line.strip()]
        end = events.pop()
        self.assertEqual("recording", end["end"])
        self.assertEqual({"events": len(events), "dropped": 0}, {name: end[name] for name in ("events", "dropped")})
        self.assertEqual({"io.remora.Exchange"}, {event["event"] for event in events})
        self.assertTrue(all(event["listener"] == "web" and event["status"] == 200 for event in events))

    def test_a_second_recording_is_refused(self):
        self.text("start")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.post("start")
        with refused.exception as answer:
            self.assertEqual(409, answer.code)

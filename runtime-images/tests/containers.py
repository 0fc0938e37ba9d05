"""What the tests of the container images share: an image as files and configuration, and containers that are gone after a test."""
import gzip
import io
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = os.environ.get("REMORA_IMAGES", "remora:i386 remora:compact3").split()
HOME = "/opt/remora"
START_SECONDS = 60
# Attempts to start one container, if the engine fails.
STARTS = 3
# Label by which the caller of the tests finds what an interrupted run left.
RUN = os.environ.get("REMORA_TEST_RUN", str(os.getpid()))


def docker(*arguments, check=True, **options):
    """What a command of the engine's client gave; one that fails is an error with what it said, unless check is False."""
    done = subprocess.run(["docker", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **options)
    if check and done.returncode != 0:
        raise RuntimeError(f"docker {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()}")
    return done


def start_detached(container):
    """Has the engine start a container. An engine may fail at that for reasons of its own, and has done so:
    what it said is printed, and it is asked again, a few times."""
    for left in reversed(range(STARTS)):
        started = docker("start", container, check=left == 0)
        if started.returncode == 0:
            return
        print(f"the engine did not start {container[:12]}: {started.stderr.strip()}", file=sys.stderr)


class Image:
    """One platform of an image: its configuration and its files, as "docker save" tells them."""

    def __init__(self, name, platform, config, layers):
        self.name, self.platform, self.config, self.layers = name, platform, config, layers
        self.files, self.contents, self.layer_of = {}, {}, {}
        for number, layer in enumerate(layers):
            with tarfile.open(fileobj=io.BytesIO(gzip.decompress(layer) if layer[:2] == b"\x1f\x8b" else layer)) as tar:
                for entry in tar:
                    path = "/" + entry.name.strip("./")
                    self.files[path] = entry
                    self.layer_of[path] = number
                    if entry.isfile():
                        self.contents[path] = tar.extractfile(entry).read()

    @property
    def compressed_bytes(self):
        return sum(len(layer if layer[:2] == b"\x1f\x8b" else gzip.compress(layer)) for layer in self.layers)

    @property
    def unpacked_bytes(self):
        return sum(map(len, self.contents.values()))

    @property
    def definition(self):
        return dict(line.split("=", 1) for line in self.contents[HOME + "/image"].decode().splitlines())

    def __str__(self):
        return f"{self.name} for {self.platform}"


def read_images(name):
    """Every platform that the engine has of an image."""
    with tempfile.NamedTemporaryFile(prefix="image.") as saved:
        docker("save", "-o", saved.name, name)
        with tarfile.open(saved.name) as tar:
            blobs = {entry.name.rpartition("/")[2]: tar.extractfile(entry).read() for entry in tar if entry.isfile()}

    def blob(descriptor):
        return blobs[descriptor["digest"].partition(":")[2]]

    def manifests(index):
        for descriptor in index["manifests"]:
            read = json.loads(blob(descriptor))
            yield from manifests(read) if "manifests" in read else [read]

    for manifest in manifests(json.loads(blobs["index.json"])):
        config = json.loads(blob(manifest["config"]))
        yield Image(name, f"{config['os']}/{config['architecture']}", config, [blob(layer) for layer in manifest["layers"]])


IMAGES = []


def for_each_image(test_class):
    """Makes load_tests run a class once for each platform of each image, as self.image."""
    def load_tests(loader, standard, pattern):
        if not IMAGES:
            IMAGES.extend(image for name in NAMES for image in read_images(name))
        suite = unittest.TestSuite()
        for image in IMAGES:
            name = f"{test_class.__name__}[{image}]"
            suite.addTests(loader.loadTestsFromTestCase(type(name, (test_class,), {"image": image})))
        return suite
    return load_tests


def free_port():
    """Outside the range from which the kernel gives ports to clients: one of those may be taken before the container starts."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, max(lowest, 20_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def await_that(what, condition, seconds=START_SECONDS):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


class Backend:
    """An application on a port of its own; it answers each request with its text, once "release" is set."""

    def __init__(self, text):
        self.text, self.release, self.requests = text, threading.Event(), []
        self.release.set()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            while request := lines.readline():
                while lines.readline() not in (b"\r\n", b""):
                    pass
                self.requests.append(request)
                self.release.wait(START_SECONDS)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(self.text), self.text))

    def close(self):
        self.release.set()
        self.socket.close()


class NameServer:
    """Knows the address of one name, and that no other exists. On an address of loopback that nobody else has, as the port is fixed."""

    def __init__(self, name, address):
        self.name, self.address, self.asked = name, socket.inet_aton(address), set()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((self.host(), 53))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    @staticmethod
    def host():
        return "127.53.%d.%d" % divmod(os.getpid() % 65536, 256)

    def serve(self):
        while True:
            query, client = self.socket.recvfrom(512)
            if not query:
                return
            end, labels = 12, []
            while query[end]:
                labels.append(query[end + 1:end + 1 + query[end]].decode())
                end += 1 + query[end]
            question, kind = query[12:end + 5], query[end + 1:end + 3]
            self.asked.add(".".join(labels))
            known = ".".join(labels) == self.name
            answer = b"\xc0\x0c" + kind + b"\0\1\0\0\0\1\0\4" + self.address if known and kind == b"\0\1" else b""
            head = query[:2] + (b"\x85\x80" if known else b"\x85\x83") + b"\0\1" + (b"\0\1" if answer else b"\0\0") + b"\0" * 4
            self.socket.sendto(head + question + answer, client)

    def close(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", (self.host(), 53))
        self.thread.join()
        self.socket.close()


def ask(address, path="/", seconds=10):
    """The status and body of a GET, or None where nobody answers."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), seconds) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n".encode())
            head, _, body = b"".join(iter(lambda: client.recv(65536), b"")).partition(b"\r\n\r\n")
    except ConnectionError:
        return None
    if not head:
        return None
    return int(head.split()[1]), body


class ContainerTest(unittest.TestCase):
    """Containers on the host's network, on ports of their own, removed after each test."""

    maxDiff = None
    image = None

    def setUp(self):
        self.work = Path(tempfile.mkdtemp(prefix="container."))
        self.addCleanup(shutil.rmtree, self.work)
        self.work.chmod(0o755)
        self.listen, self.admin = (f"127.0.0.1:{free_port()}" for _ in range(2))
        self.backend = Backend(b"from the application")
        self.addCleanup(self.backend.close)

    def write(self, name, text):
        path = self.work / name
        path.write_text(text, encoding="utf-8")
        return path

    def variables(self):
        return ["-e", f"REMORA_LISTEN={self.listen}", "-e", f"REMORA_ADMIN={self.admin}",
                "-e", f"REMORA_FORWARD={self.backend.address}"]

    def create(self, flags, arguments):
        created = docker("create", "--label", f"remora.test={RUN}", "--platform", self.image.platform, *flags, self.image.name, *arguments)
        container = created.stdout.split()[-1]
        self.addCleanup(docker, "rm", "-f", container)
        return container

    def run_to_end(self, *arguments, flags=()):
        """Status and both outputs of a container that ends on its own."""
        container = self.create(["--network", "host", *self.variables(), *flags], arguments)
        done = docker("start", "-a", container, check=False)
        return done.returncode, done.stdout, done.stderr

    def start(self, *arguments, flags=()):
        """A container that serves."""
        container = self.create(["--network", "host", *self.variables(), *flags], arguments)
        start_detached(container)
        await_that("a first answer", lambda: self.is_ready(container))
        return container

    def is_ready(self, container):
        if (ask(self.admin, "/ready") or (0,))[0] == 200:
            return True
        state = docker("inspect", "-f", "{{.State.Status}}", container).stdout.strip()
        self.assertIn(state, ("created", "running"), self.logs(container))
        return False

    def logs(self, container):
        told = docker("logs", container)
        return told.stdout + told.stderr

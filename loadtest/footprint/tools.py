"""The Java programs of this folder, as processes, and the other programs that drive load."""
import contextlib
import json
import re
import shutil
import subprocess
import sys
import time

from . import admin, processes
from .processes import LOADTEST

PACKAGE = "io.remora.loadtest."
CLASS_PATH = f"{LOADTEST}/target/loadtest.jar:{LOADTEST}/target/lib/*"


def figures(text):
    """A line of names and numbers in turn, as the tools answer."""
    words = text.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


def require_built():
    if not (LOADTEST / "target/loadtest.jar").exists():
        sys.exit("loadtest/target/loadtest.jar is missing: make loadtest builds it")


def java(java_home, name, *arguments, options=("-Xmx64m", "-XX:+UseSerialGC")):
    """The command that runs io.remora.loadtest.NAME."""
    return [f"{java_home}/bin/java", *options, "-cp", CLASS_PATH, PACKAGE + name, *map(str, arguments)]


class Tool:
    """A program that takes a command a line, and answers each by a line of names and figures."""

    def __init__(self, command, log):
        name = next(word for word in command if word.startswith(PACKAGE)).removeprefix(PACKAGE)
        self.title = "the " + re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()
        # in a session of its own: an interrupt at the terminal is for whoever started it, who ends it in order
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                                        start_new_session=True)

    def tell(self, *words):
        try:
            self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.has_ended()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.has_ended()
        return figures(line)

    def has_ended(self):
        sys.exit(f"{self.title} has ended; its log says why")

    def ask(self, *words):
        self.tell(*words)
        return self.answer()

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        processes.stop(self.process)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class LoadSession(Tool):
    """One JVM for every run, so that the load is as warm in the first as in the last."""

    def __init__(self, work, java_home, log, ports):
        super().__init__(java(java_home, "LoadSession"), log)
        self.log_file, self.ports = work / "latency.hlog", ports

    def begin(self, rate, connections, warmup, seconds, port=None):
        """Load until warmup + seconds are over; answer() waits for that."""
        self.tell("load", port or self.ports.front, "/body", rate, connections, warmup, seconds)

    def run(self, *arguments, **keywords):
        self.begin(*arguments, **keywords)
        return self.answer()

    def begin_interval(self):
        """Throws the latencies so far away. The first question loads classes, hence the second."""
        admin.fetch(self.ports.admin, "/latency.hlog")
        time.sleep(0.2)
        admin.fetch(self.ports.admin, "/latency.hlog")

    def end_interval(self):
        self.log_file.write_text(admin.fetch(self.ports.admin, "/latency.hlog"))

    def latencies(self, tag="inbound.proxy"):
        """Of the last interval; while there is load, its answer comes first."""
        return self.ask("latency", self.log_file, tag)


class HiccupMeter(Tool):
    """How late the host lets a sleeper wake, told by a process of its own: what is late here is not the fault of what is measured."""

    def __init__(self, java_home, log):
        super().__init__(java(java_home, "HiccupMeter"), log)

    def begin(self):
        self.ask("begin")

    def end(self, file):
        """Ends the interval: its histogram goes to a file, its percentiles are returned."""
        return self.ask("end", file)


class Probe(Tool):
    """The precise client: one connection through the sidecar, one straight to the backend."""

    def __init__(self, java_home, log, ports, rate):
        super().__init__(java(java_home, "Probe", ports.front, ports.backend, "/body", rate), log)

    def end(self, file):
        """Ends the interval: its histograms go to a file, requests, failures and percentiles of both arms are returned."""
        return self.ask("end", file)


class Backend(Tool):
    """The fake application, which never is what limits."""

    def __init__(self, java_home, log, port, plan):
        super().__init__(java(java_home, "Backend", "--port", port, "--body", plan.body_bytes, "--delay", f"{plan.delay_ms:g}ms",
                              "--error-share", plan.error_share), log)
        try:
            processes.wait_for(port, process=self.process)
        except BaseException:
            self.close()
            raise


def histograms(java_home, files):
    """By tag: count, percentiles and curve over all intervals of HdrHistogram logs."""
    done = subprocess.run(java(java_home, "Histograms", *files), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


class Window:
    """What spent() says that is spent, and what the backend serves, from here to end(). The backend is asked once at each end."""

    def __init__(self, spent, backend_port):
        self.spent, self.port = spent, backend_port
        self.cpu, self.served, self.began = spent(), admin.served(backend_port), time.monotonic()

    def end(self):
        self.cpu_s = self.spent() - self.cpu
        self.seconds = time.monotonic() - self.began
        self.requests = admin.served(self.port) - self.served - 1
        return self

    def cpu_us(self):
        return self.cpu_s / self.requests * 1e6 if self.requests > 0 else None


def capture(target, log, ports):
    """A packet capture of both sides of the proxy that has begun, or None where there is no tcpdump, or it may not."""
    if not shutil.which("tcpdump"):
        return None
    process = subprocess.Popen(["tcpdump", "-i", "lo", "-s", "400", "-B", "16384", "-w", target, "-Z", "root",
                                f"tcp and (port {ports.front} or port {ports.backend})"],
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        for line in process.stderr:
            log.write(line.encode())
            if "listening on" in line:
                return process
    except BaseException:
        processes.stop(process)
        raise
    process.wait()
    return None


def wrk(seconds, port, connections=64):
    return subprocess.Popen(["wrk", "-t1", f"-c{connections}", f"-d{int(seconds)}", f"http://127.0.0.1:{port}/body"],
                            stdout=subprocess.PIPE, text=True)

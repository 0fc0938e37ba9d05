"""What footprint.py and the evidence of the JVM profiles measure with: processes, the kernel's counters, load, the host's own hiccups.

MB are 10^6 bytes, us are 10^-6 seconds.
"""
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROXY = HERE.parent
BACKEND, FRONT, ADMIN = 18081, 18080, 19990
# what jdeps names for the core and its libraries, and what the first scrape loads
MODULES = "java.base,java.management,jdk.unsupported"


def default_java_home():
    java = shutil.which("java")
    return os.environ.get("JAVA_HOME") or (str(Path(java).resolve().parent.parent) if java else sys.exit("no JAVA_HOME, and no java"))


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
        return True
    except OSError:
        return False


def require_free(*ports):
    for port in ports:
        if listens(port):
            sys.exit(f"port {port} is in use")


def wait_for(port, seconds=20):
    deadline = time.monotonic() + seconds
    while not listens(port):
        if time.monotonic() > deadline:
            sys.exit(f"nothing listens on port {port}")
        time.sleep(0.02)


def answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/body")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def seconds_to_first_answer(process, port, limit=20):
    """None where the process ends, or does not answer in time."""
    start = time.monotonic()
    while process.poll() is None and time.monotonic() - start < limit:
        if answers(port):
            return time.monotonic() - start
        time.sleep(0.002)
    return None


def stop(process, seconds=10):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def status(pid, key):
    """A size of /proc/PID/status, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def cpu_seconds(pid):
    """Of all threads, those that ended included: the process's own clock, as clock_getcpuclockid(3) names it."""
    return time.clock_gettime((~pid << 3) | 2)


def steal_seconds():
    """CPU time that this virtual machine was refused."""
    return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


def fetch(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return answer.read().decode()


def admin(path):
    return fetch(ADMIN, path)


def served():
    """Requests that the backend was sent, this one among them."""
    return int(fetch(BACKEND, "/served").split()[9])


class Window:
    """What process PID spends, and what the backend serves, from here to end()."""

    def __init__(self, pid):
        self.pid, self.cpu, self.served, self.at = pid, cpu_seconds(pid), served(), time.monotonic()

    def end(self):
        self.cpu_seconds = cpu_seconds(self.pid) - self.cpu
        self.seconds = time.monotonic() - self.at
        self.requests = served() - self.served - 1
        return self


def samples(text, name):
    """The values of a Prometheus metric, by its labels."""
    return {labels: float(value) for labels, value in re.findall(rf"(?m)^{name}({{[^}}]*}})? (\S+)", text)}


class Hiccups(threading.Thread):
    """How late the host lets a sleeper wake: what is late here is not the fault of what is measured."""

    PERIOD = 0.002

    def __init__(self):
        super().__init__(daemon=True)
        self.late_ms, self.ended = [], threading.Event()
        self.start()

    def run(self):
        while not self.ended.is_set():
            before = time.monotonic()
            time.sleep(self.PERIOD)
            self.late_ms.append((time.monotonic() - before - self.PERIOD) * 1e3)

    def end(self):
        self.ended.set()
        self.join()
        return {"hiccup_max_ms": round(max(self.late_ms), 2), "hiccups_over_5ms": sum(late > 5 for late in self.late_ms)}


def figures(text):
    words = text.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


class LoadSession:
    """LoadSession.java: one JVM for every run, so that the load is as warm in the first as in the last."""

    def __init__(self, work, java_home, log):
        classes = work / "classes"
        libraries = f"{PROXY}/core/target/lib/*"
        subprocess.run([f"{java_home}/bin/javac", "-Xlint:all", "-Werror", "-cp", libraries, "-d", classes,
                        HERE / "LoadSession.java", HERE / "FixedRateLoad.java"], check=True)
        self.log_file = work / "latency.hlog"
        self.process = subprocess.Popen(
            [f"{java_home}/bin/java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", f"{libraries}:{classes}", "LoadSession"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)

    def tell(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the load generator has ended; its log says why")
        return figures(line)

    def begin(self, rate, connections, warmup, seconds, port=FRONT):
        """Load until warmup + seconds are over; answer() waits for that."""
        self.tell("load", port, "/body", rate, connections, warmup, seconds)

    def run(self, *arguments, **keywords):
        self.begin(*arguments, **keywords)
        return self.answer()

    def begin_interval(self):
        """Throws the latencies so far away. The first question loads classes, hence the second."""
        admin("/latency.hlog")
        time.sleep(0.2)
        admin("/latency.hlog")

    def end_interval(self):
        self.log_file.write_text(admin("/latency.hlog"))

    def latencies(self, tag="inbound.proxy"):
        """Of the last interval; while there is load, its answer comes first."""
        self.tell("latency", self.log_file, tag)
        return self.answer()

    def close(self):
        self.process.stdin.close()
        stop(self.process)


def jlink(output, java_home, modules=MODULES):
    subprocess.run(
        [f"{java_home}/bin/jlink", "--add-modules", modules, "--strip-debug", "--no-header-files", "--no-man-pages",
         "--output", output], check=True, capture_output=True)
    subprocess.run([output / "bin/java", "-XX:+UseSerialGC", "-Xshare:dump"], check=True, capture_output=True)
    return output


def archive(java, options, jar, config, target, session, log):
    """An AppCDS archive of the classes that a training run (start, traffic, scrape, drain) loads."""
    listed = target.with_suffix(".lst")
    require_free(FRONT, ADMIN)
    process = subprocess.Popen(
        [java, *options, "-Xshare:off", f"-XX:DumpLoadedClassList={listed}", "-jar", jar, "run", "--config", config],
        stdout=log, stderr=log)
    try:
        wait_for(FRONT)
        session.run(200, 16, 0, 3)
        admin("/metrics")
    finally:
        stop(process, 20)
    subprocess.run([java, *options, "-Xshare:dump", f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={target}",
                    "-jar", jar], check=True, stdout=log, stderr=log)
    listed.unlink()


def capture(target, log):
    """A packet capture of both sides of the proxy, or None without tcpdump."""
    if not shutil.which("tcpdump"):
        return None
    return subprocess.Popen(["tcpdump", "-i", "lo", "-s", "400", "-B", "16384", "-w", target, "-Z", "root",
                             f"tcp and (port {FRONT} or port {BACKEND})"], stderr=log)


def wrk(seconds, connections=64):
    return subprocess.Popen(["wrk", "-t1", f"-c{connections}", f"-d{int(seconds)}", f"http://127.0.0.1:{FRONT}/body"],
                            stdout=subprocess.PIPE, text=True)

"""What the tests on Kubernetes share: one cluster for a run, kubectl, images, namespaces, waits that watch, and a steady load.

REMORA_CLUSTER=DIR takes the cluster that runs in DIR and leaves it running; otherwise one is started for the run and stopped at its end.
REMORA_CLUSTER_TOOL names the program that starts clusters."""
import atexit
import base64
import calendar
import copy
import functools
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import NamedTuple

import api

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = Path(os.environ.get("REMORA_CLUSTER_TOOL") or REPOSITORY.parent / "shared/tools/counterparts/cluster")
IMAGE = os.environ.get("REMORA_IMAGE", "remora:i386")
APP_IMAGE = "remora-test-app:1"
# Timeout of a wait for an event. Generous, because the machine may have other work: a wait ends with its event, not with its time.
WAIT_SECONDS = 120
# Requests a second of a load by default, and the share of them that counts as all.
LOAD_RPS, HELD_SHARE = 300, 0.99
# Shares of the time of all cores: how busy they were, and how busy with others than the pods and the load. From both on, others are to blame.
BUSY_SHARE, OTHERS_SHARE = 0.9, 0.5
FIELD_MANAGER = "remora-tests"


class CommandError(RuntimeError):
    """A command that failed, with what it wrote."""

    def __init__(self, command, done):
        super().__init__(f"{' '.join(map(str, command))} ended with {done.returncode}: {(done.stderr or done.stdout or '').strip()}")
        self.done = done


def run(command, stdin=None, check=True, seconds=WAIT_SECONDS, **options):
    """The finished process of a command; standard input is a text."""
    command = [str(word) for word in command]
    done = subprocess.run(command, input=stdin if stdin is not None else "", capture_output=True, text=True, timeout=seconds, **options)
    if check and done.returncode != 0:
        raise CommandError(command, done)
    return done


def app_program():
    """Path of the example application, built unless it is there."""
    sources = sorted((REPOSITORY / "deploy/tests/app").glob("*.*"))
    key = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    program = REPOSITORY / "target/kubernetes" / f"app-{key}"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        part = program.with_suffix(f".{os.getpid()}")
        path = os.environ["PATH"] + ":/usr/local/go/bin"
        run(["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", part, "."], seconds=600, cwd=sources[0].parent,
            env={**os.environ, "CGO_ENABLED": "0", "PATH": path})
        part.rename(program)
    return program


class Cluster:
    """A one-node Kubernetes in namespaces of its own; commands run inside by nsenter."""

    def __init__(self, directory=None):
        self.tool = TOOL
        self.kept = directory is not None
        self.directory = Path(directory or tempfile.mkdtemp(prefix="remora-cluster."))

    def start(self):
        run([self.tool, "start", self.directory], seconds=1800, env={**os.environ, "DNS": os.environ.get("DNS", "")})
        self.prefix = [self.tool, "exec", self.directory]
        self.share_processor()
        return self

    def share_processor(self):
        """Weighs the pods like a few processes of the host, not like one, so that a busy host does not stop them for seconds."""
        root = self.pods_group()
        for path, weight in ((f"/sys/fs/cgroup/cpu{root}/cpu.shares", "4096"), (f"/sys/fs/cgroup{root}/cpu.weight", "400")):
            if Path(path).exists():
                Path(path).write_text(weight)

    def pods_group(self):
        """Path of the cgroup of all pods, from the root of its hierarchy."""
        return next(line.split()[1] for line in Path(self.directory, "kubelet.yaml").read_text().splitlines() if line.startswith("cgroupRoot:"))

    def stop(self):
        # once: a module's clean-up and the end of its process may both call it
        if not self.kept and self.directory.exists():
            run([self.tool, "stop", self.directory], check=False)
            shutil.rmtree(self.directory, ignore_errors=True)

    # ---- commands

    def execute(self, *command, **options):
        """Runs a command inside, where pods and Services have addresses."""
        return run([*self.prefix, *command], **options)

    def popen(self, *command, **options):
        """A process inside. Signals do not reach it: end it by closing its standard input."""
        return subprocess.Popen([str(word) for word in [*self.prefix, *command]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)

    def kubectl(self, *arguments, **options):
        return self.execute("kubectl", *arguments, **options)

    def get(self, *arguments):
        """What "kubectl get" gives, read."""
        return self.api.read(api.path_of(*arguments))

    @functools.cached_property
    def api(self):
        return api.Api(self)

    def apply(self, *objects, check=True):
        """Server-side apply with strict validation of objects, or of a text with manifests."""
        text = objects[0] if isinstance(objects[0], str) else json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        return self.kubectl("apply", "--server-side", "--force-conflicts", "--validate=strict", f"--field-manager={FIELD_MANAGER}", "-f", "-", stdin=text,
                            check=check)

    def http(self, url, *options, seconds=10):
        """Status and body of a request by curl inside; status 0 where nobody answered."""
        done = self.execute("curl", "-sk", "-m", seconds, "-w", "\n%{http_code}", *options, url, check=False, seconds=seconds + 30)
        body, _, status = done.stdout.rpartition("\n")
        return int(status or 0), body

    # ---- images

    def load(self, *names):
        """Imports images of the Docker engine; pods name them with imagePullPolicy Never."""
        for name in names:
            identity = run(["docker", "image", "inspect", "--format", "{{.Id}}", name]).stdout.strip()
            # a cluster that runs for several modules has them from the first
            if not self.has_image(name, identity):
                with subprocess.Popen(["docker", "save", name], stdout=subprocess.PIPE) as saved:
                    subprocess.run([self.tool, "load", self.directory], stdin=saved.stdout, stdout=subprocess.DEVNULL, check=True, timeout=300)
                if saved.returncode != 0:
                    raise RuntimeError(f"docker save {name} ended with {saved.returncode}")
                self.image_is_there(name, identity)

    def marker(self, name):
        return self.directory / "loaded" / name.replace("/", "_")

    def has_image(self, name, identity):
        marker = self.marker(name)
        return marker.exists() and marker.read_text() == identity

    def image_is_there(self, name, identity):
        self.marker(name).parent.mkdir(exist_ok=True)
        self.marker(name).write_text(identity)

    def load_app(self):
        """Makes the example application's image."""
        program = app_program()
        if not self.has_image(APP_IMAGE, program.name):
            with tempfile.TemporaryDirectory() as root:
                shutil.copy(program, Path(root, "app"))
                for name in ("tmp", "etc"):
                    Path(root, name).mkdir()
                run([self.tool, "image", self.directory, f"docker.io/library/{APP_IMAGE}", root, "/app"])
            self.image_is_there(APP_IMAGE, program.name)

    # ---- containers

    def container_id(self, namespace, pod, container):
        """The id that containerd knows a container by."""
        status = self.get("pod", pod, "-n", namespace)["status"]
        for one in status.get("containerStatuses", []) + status.get("initContainerStatuses", []):
            if one["name"] == container:
                return one["containerID"].removeprefix("containerd://")
        raise AssertionError(f"no container {container} in pod {pod}")

    def container_pid(self, identity):
        """The process of a container, as the cluster numbers it."""
        for line in self.execute("ctr", "-n", "k8s.io", "tasks", "ls").stdout.splitlines():
            if line.startswith(identity):
                return int(line.split()[1])
        raise AssertionError(f"no task {identity}")

    def memory_file(self, identity, name, unified_name):
        """Text of a file of a container's memory cgroup, which has another name in the unified hierarchy."""
        for line in self.execute("cat", f"/proc/{self.container_pid(identity)}/cgroup").stdout.splitlines():
            number, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                return self.execute("cat", f"/sys/fs/cgroup/memory{path}/{name}").stdout
            if number == "0":
                unified = f"/sys/fs/cgroup{path}/{unified_name}"
        return self.execute("cat", unified).stdout

    def stats(self, namespace, pod, container):
        """A container's memory as the kubelet counts it (/stats/summary)."""
        summary = self.api.read("/api/v1/nodes/node/proxy/stats/summary")
        for one in summary["pods"]:
            if one["podRef"]["name"] == pod and one["podRef"]["namespace"] == namespace:
                return next((c.get("memory", {}) for c in one["containers"] if c["name"] == container), {})
        return {}

    # ---- the kubelet

    def pid_of(self, program):
        """The process of one of the cluster's own programs."""
        for line in self.execute("ps", "-e", "-o", "pid=,comm=,stat=").stdout.splitlines():
            pid, name, state = line.split()[:3]
            if name == program[:15] and not state.startswith("Z"):
                return int(pid)
        return None

    def restart_kubelet(self):
        """Kills the kubelet, and starts it with the same command line; returns its new process."""
        old = self.pid_of("kubelet")
        command = self.execute("cat", f"/proc/{old}/cmdline").stdout.rstrip("\0").split("\0")
        self.execute("kill", "-9", old)
        await_that("the kubelet is gone", lambda: self.pid_of("kubelet") is None)
        self.execute("sh", "-c", 'cd "$1"; shift; setsid "$@" >>log/kubelet 2>&1 </dev/null &', "restart", self.directory, *command)
        return await_that("a kubelet", lambda: self.pid_of("kubelet"))


def await_that(what, condition, seconds=WAIT_SECONDS, every=0.25):
    """For what no API can be watched for."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(every)
    raise AssertionError(f"not within {seconds} s: {what}")


def end(process, reader=None):
    """Ends a process inside, of which nsenter is the parent here, and the thread that reads it, if another does."""
    if process.stdout.closed:
        return
    process.stdin.close()
    for child in api.children(process.pid):
        os.kill(child, 9)
    process.kill()
    process.wait()
    if reader:
        reader.join(10)
    process.stdout.close()


_cluster = None


def cluster():
    """The cluster of this run, started by the first who asks."""
    global _cluster
    if _cluster is None:
        started = Cluster(os.environ.get("REMORA_CLUSTER") or None)
        atexit.register(started.stop)
        # so that a run that is cut stops its cluster as well
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        _cluster = started.start()
    return _cluster


class Watch:
    """Objects as the API server reports them: a condition is looked at when one of them changes."""

    def __init__(self, of, *arguments):
        self.process = of.popen("kubectl", "get", *arguments, "-w", "-o", "json", "--output-watch-events", stderr=subprocess.DEVNULL)
        self.objects, self.changed, self.ended = {}, threading.Condition(), False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.take(json.loads(line))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def take(self, event):
        one = event["object"]
        with self.changed:
            name = one["metadata"]["name"]
            if event["type"] == "DELETED":
                self.objects.pop(name, None)
            else:
                self.objects[name] = one
            self.changed.notify_all()

    def until(self, what, condition, seconds=WAIT_SECONDS):
        """The condition takes the list of objects; what it returns is returned once it is true."""
        found = None

        def holds():
            nonlocal found
            found = condition(list(self.objects.values()))
            return found or self.ended

        with self.changed:
            self.changed.wait_for(holds, seconds)
            if not found:
                raise AssertionError(f"not within {seconds} s: {what}" if not self.ended else f"the watch ended before: {what}")
        return found

    def close(self):
        end(self.process, self.reader)


class Events:
    """containerd's events with their times: each is a mapping with at, topic, container_id, and what the topic adds."""

    def __init__(self, of):
        self.process = of.popen("ctr", "-n", "k8s.io", "events", stderr=subprocess.DEVNULL)
        self.seen, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            # 2026-11-28 13:30:00.123456789 +0000 UTC k8s.io /tasks/start {"container_id":"...","pid":1}
            words = line.split(maxsplit=6)
            if len(words) < 7:
                continue
            whole, _, fraction = words[1].partition(".")
            date = time.strptime(f"{words[0]} {whole} UTC", "%Y-%m-%d %H:%M:%S %Z")
            told = {**json.loads(words[6]), "topic": words[5], "at": calendar.timegm(date) + float("0." + (fraction or "0"))}
            with self.changed:
                self.seen.append(told)
                self.changed.notify_all()

    def find(self, topic, identity, seconds=WAIT_SECONDS):
        """The first event of a topic about a container's own process."""
        found = []

        def look():
            # hooks run as further processes of the container, whose id is not the container's
            found[:] = [one for one in self.seen if one["topic"] == topic and one.get("container_id") == identity and one.get("id", identity) == identity]
            return found

        with self.changed:
            if not self.changed.wait_for(look, seconds):
                raise AssertionError(f"not within {seconds} s: {topic} of container {identity}")
        return found[0]

    def close(self):
        end(self.process, self.reader)


class Spent(NamedTuple):
    """Seconds of CPU: of all cores, of those while they were busy, and of a cluster's pods."""

    all: float
    busy: float
    pods: float

    @classmethod
    def so_far(cls, pods_group):
        """Since the machine and the pods started. A core that waits for a disk is not busy."""
        ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return cls(sum(ticks), sum(ticks) - ticks[3] - ticks[4], group_seconds(pods_group))

    def since(self, before):
        return Spent(*(now - then for now, then in zip(self, before)))


def group_seconds(group):
    """CPU seconds of a cgroup so far, of either version, with those of all groups below it."""
    usage = Path(f"/sys/fs/cgroup/cpuacct{group}/cpuacct.usage")
    if usage.exists():
        return int(usage.read_text()) / 1e9
    stat = Path(f"/sys/fs/cgroup{group}/cpu.stat").read_text()
    return next(int(line.split()[1]) for line in stat.splitlines() if line.startswith("usage_usec ")) / 1e6


class Load:
    """Requests at a steady rate from inside the cluster; each that fails is kept with its time, resets apart."""

    def __init__(self, of, url, *options):
        self.rps = int(options[options.index("--rps") + 1]) if "--rps" in options else LOAD_RPS
        self.pods_group = of.pods_group()
        self.before = Spent.so_far(self.pods_group)
        self.process = of.popen(app_program(), "load", *options, url)
        self.failures, self.answers, self.changed = [], [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            told = json.loads(line)
            with self.changed:
                (self.failures if "failure" in told else self.answers).append(told)
                self.changed.notify_all()

    def counts(self, seconds=30):
        """The counters now."""
        with self.changed:
            before = len(self.answers)
            self.process.stdin.write("counts\n")
            self.process.stdin.flush()
            if not self.changed.wait_for(lambda: len(self.answers) > before or self.process.poll() is not None, seconds) or len(self.answers) == before:
                raise AssertionError(f"the load client ended with {self.process.poll()}")
            return self.answers[-1]

    def await_requests(self, more):
        """Waits until so many further requests have ended: a time that the load itself keeps."""
        goal = self.counts()["requests"] + more
        return await_that(f"{more} more requests", lambda: (now := self.counts())["requests"] >= goal and now)

    def stop(self):
        """Ends the load, and returns its counters."""
        if not self.process.stdin.closed:
            self.spent = Spent.so_far(self.pods_group).since(self.before)
            self.process.stdin.close()
            # requests in flight end first
            self.process.wait(60)
            self.reader.join(10)
            self.process.stdout.close()
        return self.answers[-1]

    def why_not_held(self):
        """Why the rate was not held, with what is known of the cause; None where it was. Of a load that was stopped."""
        counts = self.answers[-1]
        rate = counts["requests"] / counts["seconds"]
        if rate >= HELD_SHARE * self.rps:
            return None
        busy, others = self.busy_shares()
        return (f"{rate:.0f} of {self.rps} requests a second: {counts['skipped']} of {counts['requests'] + counts['skipped']} were not sent, because all "
                f"slots were taken for {counts['full_s']:.1f} of {counts['seconds']:.1f} s; the load itself was late by {counts['late_p99_ms']:.1f} ms at p99 and took "
                f"{100 * counts['cpu_s'] / counts['seconds']:.0f} % of a core; {counts['opened']} connections, each opened in {counts['open_p50_ms']:.1f} ms at "
                f"p50 and {counts['open_p99_ms']:.0f} ms at p99; the machine's cores were {100 * busy:.0f} % busy, {100 * others:.0f} % with others than the pods "
                f"and the load; the pods took {1000 * self.spent.pods / max(1, counts['requests']):.2f} ms of CPU a request")

    def busy_shares(self):
        """The share of the time of all cores in which they were busy, and in which others than the pods and the load kept them busy. Of a load that was
        stopped."""
        others = self.spent.busy - self.spent.pods - self.answers[-1]["cpu_s"]
        return self.spent.busy / self.spent.all, max(0.0, others) / self.spent.all

    def was_crowded_out(self):
        """True if others than the pods and the load left these too little of the machine."""
        busy, others = self.busy_shares()
        return busy >= BUSY_SHARE and others >= OTHERS_SHARE

    def summary(self):
        counts = self.answers[-1]
        failed = sum(counts["failed"].values())
        return (f"{counts['requests']} requests, {failed} failed {counts['failed'] or ''}, of them {counts['resets']} reset, {counts['skipped']} not sent; "
                f"{counts['opened']} connections; p50 {counts['p50_ms']:.1f} ms, p99 {counts['p99_ms']:.1f} ms, longest {counts['max_ms']:.0f} ms; "
                f"{len(counts['answers'])} pods answered")


class Hold:
    """An exchange that stays open until it is finished."""

    def __init__(self, of, kind, url):
        self.kind = kind
        self.process = of.popen(app_program(), "hold", kind, url)
        line = self.process.stdout.readline().strip()
        if line != "open":
            raise AssertionError(f"{kind} did not open: {line}")

    def pieces_after_a_further_one(self):
        """The count of pieces once one has passed that began after this call."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().strip()
        if not line.startswith("pieces "):
            raise AssertionError(f"{self.kind} does not go on: {line}")
        return int(line.removeprefix("pieces "))

    def finish(self):
        """Ends the exchange as its protocol does, and returns "complete" with its pieces, or "broken" and why."""
        self.process.stdin.close()
        return self.result()

    def result(self):
        """How it ended, on its own or finished."""
        line = self.process.stdout.readline().strip()
        self.process.wait(30)
        return line

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(30)
        self.process.stdin.close()
        self.process.stdout.close()


class ClusterTest(unittest.TestCase):
    """A namespace of its own, with Pod Security enforced, for each test; what runs in it is shown when the test fails."""

    maxDiff = None
    pod_security = "restricted"
    # Further labels of the namespace, such as the one by which pods are injected.
    labels = {}
    images = (IMAGE,)
    # True if the tests of a class share its namespace, because setting it up takes long.
    one_namespace = False

    @classmethod
    def its_cluster(cls):
        """That of the run, unless a class needs one of another kind."""
        return cluster()

    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.its_cluster()
        cls.cluster.load(*cls.images)
        cls.cluster.load_app()

    def setUp(self):
        if not self.one_namespace or "namespace" not in type(self).__dict__:
            type(self).namespace = self.new_namespace()
        if not self.one_namespace:
            # pods that take their time would keep the next test's processor time
            self.addCleanup(self.cluster.kubectl, "delete", "pods", "--all", "-n", self.namespace, "--grace-period=1", "--wait=false", check=False)

    @classmethod
    def new_namespace(cls):
        """A further one, which is deleted at the end of the class."""
        name = f"t{random.randrange(16 ** 8):08x}"
        cls.cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {
            "pod-security.kubernetes.io/enforce": cls.pod_security, "pod-security.kubernetes.io/enforce-version": "latest", **cls.labels}}})
        cls.addClassCleanup(cls.delete_namespace, name)
        cls.cluster.kubectl("wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=60s")
        return name

    @classmethod
    def delete_namespace(cls, name):
        cls.cluster.kubectl("delete", "namespace", name, "--wait=false", check=False)

    def _callSetUp(self):
        self.describing(super()._callSetUp)

    def _callTestMethod(self, method):
        self.describing(super()._callTestMethod, method)

    def describing(self, call, *arguments):
        """Calls, and describes the namespace where that fails."""
        try:
            call(*arguments)
        except unittest.SkipTest:
            raise
        except BaseException:
            if hasattr(self, "namespace"):
                self.describe()
            raise

    def describe(self):
        """Prints what the namespace holds."""
        print(f"\n---- namespace {self.namespace}, of {self.id()}", file=sys.stderr)
        for arguments in (("get", "all", "-o", "wide"), ("get", "events", "--sort-by=.lastTimestamp")):
            print(self.cluster.kubectl(*arguments, "-n", self.namespace, check=False).stdout[-3000:], file=sys.stderr)
        for name in self.cluster.kubectl("get", "pods", "-n", self.namespace, "-o", "name", check=False).stdout.split()[:4]:
            logs = self.cluster.kubectl("logs", name, "-n", self.namespace, "--all-containers", "--prefix", "--tail=25", check=False)
            print(logs.stdout[-3000:], file=sys.stderr)

    # ---- kubectl in the namespace

    def kubectl(self, *arguments, **options):
        return self.cluster.kubectl("-n", self.namespace, *arguments, **options)

    def get(self, *arguments):
        return self.cluster.get("-n", self.namespace, *arguments)

    def apply(self, *objects, **options):
        """Applies to the test's namespace what names no other."""
        placed = []
        for one in objects:
            one = copy.deepcopy(one)
            one["metadata"].setdefault("namespace", self.namespace)
            placed.append(one)
        return self.cluster.apply(*placed, **options)

    def wait(self, what, condition, seconds=WAIT_SECONDS):
        """"kubectl wait --for=CONDITION WHAT", which watches."""
        return self.kubectl("wait", f"--for={condition}", what, f"--timeout={seconds}s", seconds=seconds + 30)

    def ready(self, pod, seconds=WAIT_SECONDS):
        """Waits until a pod is ready; a container that does not stay up is an error at once."""
        def look(pods):
            if not pods:
                return False
            status = pods[0]["status"]
            for one in status.get("initContainerStatuses", []) + status.get("containerStatuses", []):
                if one["state"].get("waiting", {}).get("reason") in ("CrashLoopBackOff", "ErrImageNeverPull", "CreateContainerConfigError"):
                    raise AssertionError(f"pod {pod}: container {one['name']} does not stay up: {one['state']['waiting']}")
            return any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", []))
        watch = self.watch("pod", pod)
        try:
            watch.until(f"pod {pod} is ready", look, seconds)
        finally:
            watch.close()

    def rolled_out(self, what, seconds=WAIT_SECONDS):
        return self.kubectl("rollout", "status", what, f"--timeout={seconds}s", seconds=seconds + 30)

    def await_answers(self, url, pods):
        """Waits until so many pods answer at a Service, whose rules follow their readiness later; returns their answers."""
        seen = set()

        def look():
            status, body = self.cluster.http(url)
            if status == 200:
                seen.add(body)
            return len(seen) >= pods
        await_that(f"{pods} pods at the Service", look, every=0.02)
        return seen

    def watch(self, *arguments):
        watch = Watch(self.cluster, "-n", self.namespace, *arguments)
        self.addCleanup(watch.close)
        return watch

    def events(self):
        events = Events(self.cluster)
        self.addCleanup(events.close)
        return events

    def pods(self, label):
        """Pods of a label that are not being deleted."""
        return [pod for pod in self.get("pods", "-l", label)["items"] if "deletionTimestamp" not in pod["metadata"]]

    def pod_address(self, name):
        return self.get("pod", name)["status"]["podIP"]

    def service_address(self, name):
        return self.get("service", name)["spec"]["clusterIP"]

    def ended(self, pod, container):
        """The terminated state of a container, or None."""
        status = self.get("pod", pod)["status"]
        for one in status.get("containerStatuses", []) + status.get("initContainerStatuses", []):
            if one["name"] == container:
                return one["state"].get("terminated") or one.get("lastState", {}).get("terminated")
        return None

    # ---- load

    def hold(self, kind, url):
        """An exchange that stays open: a WebSocket, a gRPC stream or an upload."""
        held = Hold(self.cluster, kind, url)
        self.addCleanup(held.close)
        return held

    def load(self, url, *options):
        load = Load(self.cluster, url, *options)
        self.addCleanup(load.stop)
        return load

    def assert_held(self, load):
        """The load kept its rate. A machine whose cores others kept busy leaves the test out with what it lacked; else the sidecar or the load is to blame."""
        load.stop()
        if why := load.why_not_held():
            print(f"{self._testMethodName}: {why}", file=sys.stderr)
            if load.was_crowded_out():
                self.skipTest(why)
            self.fail(why)

    def assert_clean(self, load, at_least=300):
        """No request failed, and none was reset. On a machine that is too busy for the rate, fewer are sent, which the summary says."""
        counts = load.stop()
        print(f"{self._testMethodName}: {load.summary()}", file=sys.stderr)
        self.assertEqual("", "\n".join(map(json.dumps, load.failures[:10])), load.summary())
        self.assertEqual(0, counts["resets"])
        self.assertGreaterEqual(counts["succeeded"], at_least)
        return counts


def without_each_right(role):
    """For each verb of each resource of a Role or ClusterRole: its name, and a copy of the role without it."""
    for number, rule in enumerate(role["rules"]):
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                less = copy.deepcopy(role)
                others = [r for r in rule["resources"] if r != resource]
                left = [v for v in rule["verbs"] if v != verb]
                parts = []
                if others:
                    parts.append({**copy.deepcopy(rule), "resources": others})
                if left:
                    parts.append({**copy.deepcopy(rule), "resources": [resource], "verbs": left})
                less["rules"][number:number + 1] = parts
                yield f"{verb} {resource}", less


def secret(name, files, kind="Opaque"):
    """A Secret of texts."""
    data = {key: base64.b64encode(text.encode()).decode() for key, text in files.items()}
    return {"apiVersion": "v1", "kind": "Secret", "type": kind, "metadata": {"name": name}, "data": data}

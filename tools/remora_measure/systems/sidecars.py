"""Sidecars as users run them: in a container, from a runtime image, on the machine's own JDK, or by any other command."""
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import CouldNotRun, DidNotEnd
from ..machine import cgroups, children, http2, page_cache, processes
from ..repository import BUILT_IMAGES, FINAGLE_JAR, LAUNCHER, SIDECAR_JAR

# Another engine's name, or that of another library for TLS, stands behind that of the image.
ENGINES = (NETTY, FINAGLE) = ("netty", "finagle")
WITH_OPENSSL = "-openssl"
VARIABLES = {f"-{FINAGLE}": f"ENGINE={FINAGLE}", WITH_OPENSSL: "TLS=openssl"}
CONTAINERS = {name: f"remora:{name}" for name in ("i386", "compact3", f"compact3-{FINAGLE}", f"i386{WITH_OPENSSL}", f"compact3{WITH_OPENSSL}")}
# The machine's own JDK by its engine, and the sidecar's arguments for that one.
HOST = "host"
ON_HOST = {HOST: [], f"{HOST}-{FINAGLE}": ["--engine", FINAGLE]}
LABEL = "remora.test"
POLL_S = 0.002
# length of the output that is shown of a sidecar that has ended, in characters
LAST_WORDS = 500


class Sidecar:
    """A running sidecar. output is the file that its standard output and error go to."""

    kind = ""

    def __init__(self, image: str, pid: int, output: Path) -> None:
        self.image, self.pid, self.output = image, pid, output

    def alive(self) -> bool:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def written(self) -> str:
        """What it has written to both its streams so far."""
        return self.output.read_text(errors="replace")

    def describe(self) -> dict[str, object]:
        flags = command_line(self.pid)
        return {"kind": self.kind, "image": self.image, "digest": self.digest(), "pid": self.pid, "jvm_flags": flags,
                "version": self.version()}

    def digest(self) -> str | None:
        return None

    def version(self) -> str | None:
        return None


class Process(Sidecar):
    """A sidecar that is a process of ours, in a cgroup of ours where there is one."""

    def __init__(self, kind: str, image: str, command: Sequence[str | Path], output: Path, environment: Mapping[str, str] | None,
                 group: cgroups.OwnGroup | None = None) -> None:
        self.kind = kind
        with open(output, "wb") as log:
            self.process = (group.start(command, log, environment) if group
                            else children.start(command, stdout=log, stderr=log, env=environment))
        super().__init__(image, self.process.pid, output)

    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        children.stop(self.process)

    def digest(self) -> str | None:
        manifest = BUILT_IMAGES / self.image / "image"
        return manifest.read_text().strip().replace("\n", ", ") if self.kind == "runtime" and manifest.exists() else None


class EndedAtStart(CouldNotRun):
    """The program of a container ended before it was looked for, with a status."""

    def __init__(self, status: int, written: str) -> None:
        super().__init__(f"the sidecar has ended at its start: {written.strip()[-LAST_WORDS:]}")
        self.status, self.written = status, written


class Container(Sidecar):
    """A sidecar in a container of the Docker engine, on the host's network; its process is found on the host."""

    kind = "container"

    def __init__(self, image: str, arguments: Sequence[str], output: Path) -> None:
        # a name of ours, by which it is ended even where the command that starts it is cut short
        self.identity = f"remora-loadtest-{uuid.uuid4()}"
        try:
            docker("run", "--detach", "--name", self.identity, "--label", f"{LABEL}={os.environ.get('REMORA_TEST_RUN', 'loadtest')}",
                   "--network", "host", "--read-only", "--cap-drop", "ALL", *arguments)
            pid = int(docker("inspect", "--format", "{{.State.Pid}}", self.identity))
            if pid == 0 or not Path(f"/proc/{pid}").exists():
                raise EndedAtStart(self.status_of(pid), self.written())
        except BaseException:
            children.run(["docker", "rm", "--force", self.identity], capture_output=True)
            raise
        super().__init__(image, pid, output)

    def alive(self) -> bool:
        """False as well for a process that has ended and is still listed."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
        except OSError:
            return False

    def stop(self) -> None:
        """Ends it, and keeps what it wrote."""
        try:
            docker("stop", "--time", "10", self.identity)
            self.output.write_text(self.written())
        finally:
            docker("rm", "--force", self.identity)

    def written(self) -> str:
        told = children.run(["docker", "logs", self.identity], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return told.stdout

    def status_of(self, pid: int) -> int:
        """The exit status of one whose process is not to be seen. Raises CouldNotRun where the engine says that it goes on."""
        try:
            return self.status()
        except DidNotEnd:
            raise CouldNotRun(f"process {pid} of the container is not to be seen here: the engine must run on this machine") from None

    def status(self) -> int:
        """The exit status, for which it waits: the process has gone before the engine knows of its end."""
        return int(docker("wait", self.identity))

    def digest(self) -> str | None:
        return docker("inspect", "--format", "{{.Image}}", self.identity).strip()

    def version(self) -> str | None:
        labels = json.loads(docker("inspect", "--format", "{{json .Config.Labels}}", self.identity))
        return labels.get("org.opencontainers.image.version")


def docker(*words: str) -> str:
    done = children.run(["docker", *words], what=f"docker {words[0]}", capture_output=True, text=True)
    if done.returncode:
        raise CouldNotRun(f"docker {words[0]}: {done.stderr.strip()}")
    return done.stdout


def command_line(pid: int) -> list[str]:
    """A process's words, argument files of java written out; without those from -jar or -cp on, which are the sidecar's."""
    words = Path(f"/proc/{pid}/cmdline").read_text().rstrip("\0").split("\0")[1:]
    ends = [words.index(word) for word in ("-jar", "-cp") if word in words]
    words = words[: min(ends)] if ends else words
    return [option for word in words for option in (argument_file(pid, word[1:]) if word.startswith("@") else [word])]


def argument_file(pid: int, path: str) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/root{path}").read_text()
    except OSError:
        return ["@" + path]
    return shlex.split(re.sub(r"(?m)#.*$", "", text))


def engine_of(image: str) -> str:
    return FINAGLE if image.endswith(f"-{FINAGLE}") else NETTY


def with_engine(image: str, engine: str) -> str:
    """The name of that image with an engine."""
    return image if engine == engine_of(image) else f"{image}-{engine}"


def is_image(name: str) -> bool:
    """Whether that names something to run a sidecar on: the machine's JDK, a container image, or a runtime image that is built."""
    return name in (*ON_HOST, *CONTAINERS) or (BUILT_IMAGES / name / "bin/remora").exists()


def evict(image: str) -> None:
    """Drops the files of a runtime image from the kernel's cache. Raises CouldNotRun where some stay."""
    if not page_cache.evict(BUILT_IMAGES / image):
        raise CouldNotRun(f"the files of {image} stay in the kernel's cache")


def require_image(image: str) -> None:
    """Raises CouldNotRun with the command that would make what is missing."""
    if image in CONTAINERS:
        if not shutil.which("docker"):
            raise CouldNotRun(f"no docker command, which image {image} needs; --image host needs a JDK only")
        docker("version")
        if children.run(["docker", "image", "inspect", CONTAINERS[image]], capture_output=True).returncode:
            raise CouldNotRun(f"the engine has no image {CONTAINERS[image]}: {make('image-' + image)} builds it")
    elif image in ON_HOST:
        if not SIDECAR_JAR.exists():
            raise CouldNotRun("proxy/core/target/remora.jar is missing: make build builds it")
        if ON_HOST[image] and not FINAGLE_JAR.exists():
            raise CouldNotRun("proxy/finagle/target/remora-finagle.jar is missing: make build ENGINE=finagle builds it")
    elif not (BUILT_IMAGES / image / "bin/remora").exists():
        known = ", ".join([*CONTAINERS, *ON_HOST, *sorted(path.parent.parent.name for path in BUILT_IMAGES.glob("*/bin/remora"))])
        raise CouldNotRun(f"no image {image} (there are {known}); {make('runtime IMAGE=' + image)} would build a runtime image of that name")


def make(target: str) -> str:
    """The command for an image, whose engine and library for TLS are variables of their own."""
    for ending, variable in VARIABLES.items():
        if target.endswith(ending):
            return f"make {target.removesuffix(ending)} {variable}"
    return f"make {target}"


def files(image: str) -> list[Path]:
    """The folders that an image's sidecar reads, which the kernel's cache may drop. Empty for the machine's own JDK, on which others run, and where the layers
    of a container cannot be told."""
    if image in CONTAINERS:
        return layers(CONTAINERS[image])
    return [] if image in ON_HOST else [BUILT_IMAGES / image]


def layers(tag: str) -> list[Path]:
    """The layers of a container image, from the mounts of a container that is started for this and removed. Empty where they cannot be told."""
    name = f"remora-loadtest-{uuid.uuid4()}"
    try:
        docker("run", "--detach", "--name", name, "--label", f"{LABEL}=loadtest", "--network", "none", tag)
        return layers_of(lambda: docker("inspect", "--format", "{{.State.Pid}}", name))
    finally:
        children.run(["docker", "rm", "--force", name], capture_output=True)


def layers_of(pid: Callable[[], str], processes_at: Path = Path("/proc")) -> list[Path]:
    """The layers of a container by its process. Empty where that has ended before its mounts were read, or runs elsewhere; pid() is 0 once it has ended."""
    first = pid()
    try:
        mounts = (processes_at / first.strip() / "mountinfo").read_text()
    except OSError:
        return []
    # another process may have taken its number by then
    return mounted_layers(mounts) if pid() == first else []


def mounted_layers(mounts: str) -> list[Path]:
    """The lower layers of the root file system, from a process's mounts; one may not be seen here."""
    found = re.search(r"(?m)^\S+ \S+ \S+ \S+ / .*[ ,]lowerdir=([^, \n]+)", mounts)
    return [Path(path) for path in re.split(r"(?<!\\):", found.group(1))] if found else []


class Given(NamedTuple):
    """What a sidecar is started with besides its configuration.

    folder has the files that the configuration names, if there are any: a container sees it under the same path. variables are more of
    its environment; words are more of its command line, and prefix is a command that starts it and becomes it; no container takes either of
    these two. group is where a process is started; a container has a cgroup of the engine's."""

    java_options: str = ""
    folder: Path | None = None
    variables: Mapping[str, str] | None = None
    words: Sequence[str] = ()
    group: cgroups.OwnGroup | None = None
    prefix: Sequence[str] = ()


def start(image: str, config: Path, rps: int, java_home: str, output: Path, given: Given = Given(), command: str | None = None) -> Sidecar:
    """Starts a sidecar with a configuration; it may not listen yet. command, a line of words in which {config} is the configuration's
    path, takes the image's place."""
    environment = {**os.environ, **(given.variables or {}), "JAVA_HOME": java_home, "REMORA_RPS": str(rps),
                   "REMORA_JAVA_OPTS": f"{given.java_options} {os.environ.get('REMORA_JAVA_OPTS', '')}".strip()}
    if command:
        line = [*(word.replace("{config}", str(config)) for word in shlex.split(command)), *given.words]
        # read by java itself, as there may be no launcher
        return Process("command", line[0], line, output, {**environment, "JDK_JAVA_OPTIONS": environment["REMORA_JAVA_OPTS"]}, given.group)
    require_image(image)
    if image in CONTAINERS:
        passed = [word for name in dict.fromkeys(("REMORA_RPS", "REMORA_JAVA_OPTS", "JVM_HEAP_MIN", "JVM_HEAP_MAX", *(given.variables or ()))) if environment.get(name)
                  for word in ("--env", f"{name}={environment[name]}")]
        mounted = ["--volume", f"{given.folder}:{given.folder}:ro"] if given.folder else []
        return Container(image, [*passed, *mounted, "--volume", f"{config}:/etc/remora/remora.yaml:ro", CONTAINERS[image]], output)
    on_host = image in ON_HOST
    program = LAUNCHER if on_host else BUILT_IMAGES / image / "bin/remora"
    line = [*given.prefix, program, "run", *ON_HOST.get(image, []), *given.words, "--config", str(config)]
    return Process("host" if on_host else "runtime", image, line, output, environment, given.group)


def wait_until_it_answers(sidecar: Sidecar, port: int, seconds: float = 20, tls: ssl.SSLContext | None = None,
                          by_http2: bool = False) -> float:
    """Seconds until it passed a request on; raises CouldNotRun where it ended, or did not in time."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if http2.answers(port, tls) if by_http2 else processes.answers(port, tls):
            return time.monotonic() - began
        if not sidecar.alive():
            last = " ".join(sidecar.written().split())[-LAST_WORDS:]
            raise CouldNotRun(f"the sidecar has ended at its start; what it wrote is in {sidecar.output}, and ends with: {last}")
        time.sleep(POLL_S)
    raise CouldNotRun(f"the sidecar did not answer within {seconds} s; what it wrote is in {sidecar.output}")

"""Namespaces: of the network for a backend, so that packets to it can be dropped, and of mounts for a process that sees another file."""
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..errors import CouldNotRun
from . import children

PROGRAMS = {"ip": "iproute2", "iptables": "iptables"}


def require() -> None:
    """Raises CouldNotRun with what would help."""
    if os.geteuid() != 0:
        raise CouldNotRun("it makes a network namespace, which root may")
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            raise CouldNotRun(f"no {program} command: apt-get install {package}")


class Namespace:
    """Made at its creation, with one address that this machine reaches through a pair of devices; to be ended in any case.

    Its name and addresses follow from the process that makes it, which makes one only: what else runs on this machine is left alone."""

    def __init__(self) -> None:
        require()
        pid = os.getpid()
        self.name, self.device, self.inner = f"remora-faults-{pid}", f"rf{pid}a", f"rf{pid}b"
        # of the network for benchmarks (RFC 2544), four addresses to a process
        network = f"198.18.{pid >> 6 & 255}"
        self.near, self.address = (f"{network}.{(pid & 63) * 4 + last}" for last in (1, 2))
        try:
            ip("netns", "add", self.name)
            ip("link", "add", self.device, "type", "veth", "peer", "name", self.inner, "netns", self.name)
            ip("address", "add", f"{self.near}/30", "dev", self.device)
            ip("link", "set", self.device, "up")
            for words in (("address", "add", f"{self.address}/30", "dev", self.inner), ("link", "set", self.inner, "up"),
                          ("link", "set", "lo", "up")):
                ip("-n", self.name, *words)
        except BaseException:
            self.end()
            raise

    def command(self, *words: str) -> list[str]:
        """What starts a command in it; the process becomes the command's own."""
        return ["ip", "netns", "exec", self.name, *words]

    def drop(self) -> None:
        """From now on no packet comes in or goes out."""
        for chain in ("INPUT", "OUTPUT"):
            self.filter("-A", chain, "-j", "DROP")

    def let_pass(self) -> None:
        for chain in ("INPUT", "OUTPUT"):
            self.filter("-F", chain)

    def filter(self, *words: str) -> None:
        run(self.command("iptables", "-w", "5", *words))

    def end(self) -> None:
        """The devices go with it. Processes in it are to be ended before, or it stays until they are."""
        children.run(["ip", "netns", "delete", self.name], capture_output=True)
        children.run(["ip", "link", "delete", self.device], capture_output=True)


def ip(*words: str) -> None:
    run(["ip", *words])


def run(command: Sequence[str]) -> None:
    done = children.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CouldNotRun(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")


# Its words are the two files and the command, which the process becomes.
MOUNT = 'mount --bind "$0" "$1" && shift && exec "$@"'


def with_file(file: Path, instead_of: Path) -> list[str]:
    """What starts a command that sees a file in place of another one, which stays as it is for everything else. Raises CouldNotRun."""
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    words = ["unshare", "--mount", *as_root, "sh", "-c", MOUNT, str(file), str(instead_of)]
    if not shutil.which("unshare"):
        raise CouldNotRun("no unshare command: apt-get install util-linux")
    run([*words, "true"])
    return words

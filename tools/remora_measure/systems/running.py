"""A sidecar that somebody else has started, in a pod whose containers share their processes and their network."""
import contextlib
import os
from pathlib import Path

from ..errors import CouldNotRun
from ..machine import cgroups
from . import admin_pages
from .configurations import Ports
from .sidecars import Sidecar

PROC = Path("/proc")
LISTENS = "0A"
# The container's own cgroup, in the sidecar's view of the file system.
ITS_CGROUP = "root/sys/fs/cgroup"


class Running(Sidecar):
    """The process that listens on the admin port. It is neither started nor stopped here, and its log is its container's."""

    kind = "pod"

    def __init__(self, image: str, ports: Ports, output: Path) -> None:
        self.ports = ports
        super().__init__(image, listener(ports.admin), output)

    def alive(self) -> bool:
        return (PROC / str(self.pid)).exists()

    def stop(self) -> None:
        pass

    def written(self) -> str:
        return self.output.read_text(errors="replace") if self.output.exists() else ""

    def version(self) -> str | None:
        told = admin_pages.samples(admin_pages.fetch(self.ports.admin, "/metrics"), "remora_build_info")
        return next((part.partition('"')[2].rstrip('"}') for labels in told for part in labels.split(",") if "version=" in part), None)

    def configuration(self) -> str:
        return admin_pages.fetch(self.ports.admin, "/config")

    @property
    def cgroups_at(self) -> Path:
        """The folder of its own cgroups."""
        return PROC / str(self.pid) / ITS_CGROUP

    def group(self) -> cgroups.Group | None:
        """Its memory cgroup; None where that is not to be seen."""
        return cgroups.seen_from(self.cgroups_at)


def listener(port: int, proc: Path = PROC) -> int:
    """The process that listens on a port of this network. Raises CouldNotRun where none is to be seen."""
    sockets = {f"socket:[{inode}]" for table in ("net/tcp", "net/tcp6") for inode in listening(proc / table, port)}
    if not sockets:
        raise CouldNotRun(f"nothing listens on port {port} here: --running names the ports of a sidecar in the same pod, the third of them its admin port")
    for process in filter(str.isdigit, os.listdir(proc)):
        if opened(proc / process / "fd") & sockets:
            return int(process)
    raise CouldNotRun(f"the process that listens on port {port} is not to be seen: the pod needs shareProcessNamespace: true, "
                      "and both containers the same runAsUser")


def listening(table: Path, port: int) -> list[str]:
    """The inodes of the listening sockets of a port."""
    rows = [line.split() for line in table.read_text().splitlines()[1:]] if table.exists() else []
    return [row[9] for row in rows if row[3] == LISTENS and int(row[1].rpartition(":")[2], 16) == port]


def opened(descriptors: Path) -> set[str]:
    """Targets of a process's descriptors; none of a process that this user may not look into."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(descriptors) as entries:
        for one in entries:
            with contextlib.suppress(FileNotFoundError):  # closed since
                found.add(os.readlink(one.path))
    return found

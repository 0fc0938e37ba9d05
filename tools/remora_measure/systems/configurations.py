"""The configurations of what is measured (loadtest/peers), filled in with ports and paths."""
import os
import string
from pathlib import Path
from typing import NamedTuple

from ..repository import LOADTEST
from .certificates import MODES, OFF

PEERS = LOADTEST / "peers"
# Features that the sidecar of a run has enabled: only the defaults, or everything for several endpoints.
FEATURES = (PLAIN, MESH) = ("off", "mesh")
# Protocols between the sidecar, its clients and the application; gRPC calls use HTTP/2.
PROTOCOLS = (HTTP1, H2, GRPC, TCP) = ("http1", "h2", "grpc", "tcp")
OVER_HTTP2 = (H2, GRPC)
# The sidecar's, in loadtest/peers.
BY_PROTOCOL = {HTTP1: "remora.yaml", H2: "h2/remora-h2.yaml", GRPC: "h2/remora-h2.yaml", TCP: "h2/remora-tcp.yaml"}
MTLS_BY_HTTP2 = "mtls-h2/remora-mtls-h2.yaml"
# The application's, where there are several endpoints; it listens on the same port of each.
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


class Ports(NamedTuple):
    front: int
    backend: int
    admin: int


FIXED_PORTS = Ports(18080, 18081, 19990)


def write_config(name: str, work: Path, ports: Ports, **more: object) -> Path:
    """Writes one configuration, which may lie in a folder of loadtest/peers, and returns its path."""
    text = string.Template((PEERS / name).read_text()).substitute(ports._asdict(), work=work, **more)
    path = work / Path(name).name
    path.write_text(text)
    return path


def mode_of(name: str) -> str:
    """The mode of TLS that a configuration is for."""
    ending = name.partition(".")[0].rpartition("-")[2]
    return ending if ending in MODES else OFF


def write_configs(work: Path, ports: Ports = FIXED_PORTS, body_bytes: int = 1024, mode: str | None = None) -> None:
    """Writes all of them, or those for a mode of TLS, and the body that nginx answers with."""
    for name in os.listdir(PEERS):
        if (PEERS / name).is_file() and mode in (None, mode_of(name)):
            write_config(name, work, ports)
    work.chmod(0o755)  # nginx's worker may run as another user
    # the second is where rewritten requests lead
    for folder in (work / "www", work / "www/rewritten"):
        folder.mkdir(exist_ok=True)
        (folder / "body").write_bytes(b"x" * body_bytes)

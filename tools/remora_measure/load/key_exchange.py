"""A client in Go that makes full TLS handshakes with one key exchange, X25519MLKEM768 among them, which Python's library may not have."""
import json
import shutil
from pathlib import Path
from typing import NamedTuple

from ..command_line import say
from ..errors import DidNotEnd, RequestsFailed
from ..machine import children
from ..repository import LOADTEST
from ..systems.certificates import Tls

CLASSIC, HYBRID = "X25519", "X25519MLKEM768"
SOURCE = LOADTEST / "handshakes/main.go"
COMPILE_S = 180.0
# Time that it may take beyond its own.
GRACE_S = 25.0
REFUSED = 69


class Program(NamedTuple):
    """The client, compiled."""

    path: Path

    def handshakes(self, port: int, tls: Tls, group: str, seconds: float) -> int:
        """How many were made, one after the other; 0 where the server refused the first one, as without such a key exchange. Raises RequestsFailed and DidNotEnd."""
        done = children.run([self.path, "-port", str(port), "-tls", tls.directory, "-group", group, "-seconds", f"{seconds:g}"], seconds + GRACE_S,
                            "load of handshakes", capture_output=True, text=True)
        if done.returncode == REFUSED:
            return 0
        if done.returncode:
            raise RequestsFailed(f"a handshake failed: {done.stderr.strip()[-200:]}")
        return int(json.loads(done.stdout)["handshakes"])


def compiled(work: Path) -> Program | None:
    """None where there is no Go that compiles it in time, which is said."""
    target = work / "handshakes"
    if why := build(target):
        say(f"{HYBRID} is not measured: {why}")
        return None
    return Program(target)


def build(target: Path) -> str | None:
    """Why it could not be compiled; None where it was."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if not go:
        return "its client needs Go 1.24 or later"
    try:
        done = children.run([go, "build", "-o", target, SOURCE], COMPILE_S, "the build of its client", capture_output=True, text=True)
    except DidNotEnd as why:
        return str(why)
    return (done.stderr.strip()[-200:] or f"go ended with {done.returncode}") if done.returncode else None

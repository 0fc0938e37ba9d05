"""The kubelet of this node, where its account may get nodes/stats: a container's working set as the kubelet counts it."""
import contextlib
import http.client
import json
import os
import socket
import ssl
from pathlib import Path
from typing import Any

PORT = 10250
TOKEN = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")
# Container and CPU figures only; the kubelet looks at containers every 10 s or so.
PAGE = "/stats/summary?only_cpu_and_memory=true"
PERIOD_S = 10.0
SECONDS = 5.0
# By the downward API.
NODE_IP, NODE_NAME, POD, NAMESPACE = "NODE_IP", "NODE_NAME", "POD_NAME", "POD_NAMESPACE"
CONTAINER = "remora"


class Kubelet:
    """Owner: one thread. missing says in a line why there is no figure, where there is none."""

    def __init__(self, authority: Path) -> None:
        """authority has the certificates that the kubelet's own is verified by: a token goes to nobody else."""
        self.authority = authority
        self.missing: str | None = None

    def working_set_mb(self) -> float | None:
        """None where it does not say; missing tells why then."""
        try:
            found = working_set(self.summary(), os.environ[NAMESPACE], os.environ[POD], CONTAINER)
        except KeyError as variable:
            self.missing = f"left out: the environment has no {variable.args[0]}"
        except (OSError, http.client.HTTPException, ValueError) as trouble:
            self.missing = f"left out: {' '.join(str(trouble).split())}"
        else:
            self.missing = "left out: the kubelet does not list this container" if found is None else None
            return found
        return None

    def summary(self) -> dict[str, Any]:
        context = ssl.create_default_context(cafile=str(self.authority))
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the file may have the kubelet's own certificate
        plain = socket.create_connection((os.environ[NODE_IP], PORT), SECONDS)
        with contextlib.closing(http.client.HTTPConnection(os.environ[NODE_NAME], PORT, timeout=SECONDS)) as connection:
            # its certificate names the node, not the address
            connection.sock = context.wrap_socket(plain, server_hostname=os.environ[NODE_NAME])
            connection.request("GET", PAGE, headers={"Authorization": f"Bearer {TOKEN.read_text().strip()}"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise OSError(f"the kubelet responds with {answer.status}: {text[:200].decode(errors='replace')}")
            return json.loads(text)


def working_set(summary: dict[str, Any], namespace: str, pod: str, container: str) -> float | None:
    """In MB, of a container in the kubelet's summary; None where it is not there yet."""
    for one in summary.get("pods", []):
        if (one["podRef"]["namespace"], one["podRef"]["name"]) == (namespace, pod):
            for told in one.get("containers", []):
                if told["name"] == container and "workingSetBytes" in told.get("memory", {}):
                    return told["memory"]["workingSetBytes"] / 1e6
    return None

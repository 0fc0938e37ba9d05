"""Reads objects from a cluster's API server through one program for a whole run, because each start of kubectl takes CPU time that tests wait for."""
import atexit
import http.client
import json
import os
import socket
import subprocess
import threading
import urllib.parse

TIMEOUT_SECONDS = 120
NAMESPACED, OF_THE_CLUSTER = True, False
# By plural: the path of its group with the version, and whether its objects are in namespaces.
RESOURCES = {
    "pods": ("api/v1", NAMESPACED), "services": ("api/v1", NAMESPACED), "secrets": ("api/v1", NAMESPACED), "configmaps": ("api/v1", NAMESPACED),
    "namespaces": ("api/v1", OF_THE_CLUSTER), "nodes": ("api/v1", OF_THE_CLUSTER),
    "deployments": ("apis/apps/v1", NAMESPACED), "daemonsets": ("apis/apps/v1", NAMESPACED), "statefulsets": ("apis/apps/v1", NAMESPACED),
    "roles": ("apis/rbac.authorization.k8s.io/v1", NAMESPACED), "clusterroles": ("apis/rbac.authorization.k8s.io/v1", OF_THE_CLUSTER),
    "mutatingwebhookconfigurations": ("apis/admissionregistration.k8s.io/v1", OF_THE_CLUSTER),
}


class Refused(Exception):
    """The API server has no such object, or refuses the request; the text is its own."""


def path_of(*arguments):
    """The path of what "kubectl get" with these arguments asks for: a kind, a name, -n or --namespace, and -l."""
    words, options = [], {"-n": "default", "-l": ""}
    left = iter(arguments)
    for word in left:
        if word.startswith("-"):
            option = {"--namespace": "-n"}.get(word, word)
            if option not in options:
                raise ValueError(f"kubectl get with {word} is not supported here")
            options[option] = next(left)
        else:
            words.append(word)
    kind, *name = words
    plural = kind if kind in RESOURCES else kind + "s"
    group, is_namespaced = RESOURCES[plural]
    inside = f"/namespaces/{options['-n']}" if is_namespaced else ""
    selector = "?labelSelector=" + urllib.parse.quote(options["-l"], safe="") if options["-l"] else ""
    return f"/{group}{inside}/{'/'.join([plural, *name])}{selector}"


class Connection(http.client.HTTPConnection):
    """Connection to a socket in the file system."""

    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Api:
    """A proxy to the API server, which runs in the cluster until the end of this process. Any thread may ask."""

    def __init__(self, of):
        self.path = of.directory / f"api.{os.getpid()}"
        self.process = of.popen("kubectl", "proxy", f"--unix-socket={self.path}", stderr=subprocess.DEVNULL)
        atexit.register(self.close)
        self.lock, self.connection = threading.Lock(), Connection(self.path)
        if "Starting to serve" not in (line := self.process.stdout.readline()):
            raise RuntimeError(f"kubectl proxy did not start: {line}")

    def read(self, path):
        """The object at a path of the API, without the fields' managers, which "kubectl get" leaves out as well. Raises Refused."""
        with self.lock:
            try:
                self.connection.request("GET", path)
                response = self.connection.getresponse()
                text = response.read()
            except BaseException:
                self.connection.close()
                raise
        if response.status != 200:
            raise Refused(text.decode())
        return told(json.loads(text))

    def close(self):
        self.connection.close()
        for child in children(self.process.pid):
            os.kill(child, 9)
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.path.unlink(missing_ok=True)


def children(pid):
    """Processes that a process here has started inside, as the host numbers them."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as found:
            return [int(word) for word in found.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def told(found):
    """An object, or a list of them, each with what it is."""
    if found.get("kind", "").endswith("List"):
        for item in found["items"]:
            item.update(kind=found["kind"].removesuffix("List"), apiVersion=found["apiVersion"])
            item["metadata"].pop("managedFields", None)
    found.get("metadata", {}).pop("managedFields", None)
    return found

"""A user's configuration with other places: its listeners on free ports of this machine, its endpoints at the laboratory's backend.

Everything else stays as it is written: the file is changed node by node, and no value is read as YAML 1.1 would read it.
"""
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import CouldNotRun
from .access_log import GRPC, H2, HTTP1
from .certificates import MTLS, OFF, TLS

try:
    import yaml
except ImportError:
    yaml = None

SPOKEN = {"http1": (HTTP1,), "http2": (H2, GRPC), "auto": (HTTP1, H2, GRPC), "detect": (HTTP1, H2, GRPC)}
# Where a cluster's endpoints come from instead of a list.
SOURCES = ("resolver", "dest", "original-destination")
CLIENT, APPLICATION = "spiffe://loadtest.example/client", "spiffe://loadtest.example/app"
# Each endpoint has a loopback address of its own, up to this number.
MOST_ADDRESSES = 64


class Endpoints(NamedTuple):
    """The port of the backend without TLS, with TLS, and with client certificates; 0 for a backend that is not needed."""

    plain: int
    tls: int = 0
    mtls: int = 0


class Listener(NamedTuple):
    """A listener for requests: the kinds that it takes, and its mode of TLS."""

    name: str
    kinds: Sequence[str]
    mode: str


class Configuration:
    """A configuration as a tree of YAML nodes. Raises CouldNotRun where it cannot be measured elsewhere."""

    def __init__(self, text: str) -> None:
        if yaml is None:
            raise CouldNotRun("no PyYAML, which reads the configuration: apt-get install python3-yaml")
        try:
            self.root = yaml.compose(text)
        except yaml.YAMLError as why:
            raise CouldNotRun(f"--config: {' '.join(str(why).split())}") from None
        if not isinstance(self.root, yaml.MappingNode):
            raise CouldNotRun("--config: it is no mapping of keys")
        self.clusters: dict[str, Any] = {key.value: node for key, node in getattr(child(self.root, "clusters"), "value", ())}
        for name, cluster in self.clusters.items():
            if child(cluster, "template"):
                raise CouldNotRun(f"--config: cluster {name} is a template, whose endpoints depend on the hosts of requests")

    def listeners(self) -> list[Listener]:
        """Returns the listeners for requests; tunnels are not loaded."""
        found = []
        for number, node in enumerate(self.listener_nodes(), 1):
            kinds = SPOKEN.get(text_of(node, "protocol", "http1"))
            if kinds:
                found.append(Listener(text_of(node, "name", f"listener-{number}"), kinds, listener_mode(child(node, "tls"))))
        return found

    def listener_nodes(self) -> list[Any]:
        return list(getattr(child(self.root, "listeners"), "value", ()))

    def modes(self) -> set[str]:
        """How the endpoints of the clusters are reached."""
        return {cluster_mode(child(cluster, "tls")) for cluster in self.clusters.values()}

    def addresses(self) -> list[str]:
        """The loopback addresses that stand for endpoints."""
        most = max((len(getattr(child(cluster, "endpoints"), "value", ())) for cluster in self.clusters.values()), default=1)
        return [f"127.0.0.{number}" for number in range(1, 1 + max(1, min(most, MOST_ADDRESSES)))]

    def retarget(self, loaded: str, front: int, admin: int, free: Callable[[], int], endpoints: Endpoints, certificates: Path | None,
                 profile: bool = False) -> str:
        """The text with those ports; free() returns another one for each further listener. certificates has those of the laboratory. With profile, the admin
        listener allows profiles."""
        put(self.root, "admin", {"address": f"127.0.0.1:{admin}", **({"profile": True} if profile else {})})
        if health := child(self.root, "health"):
            put(health, "address", f"127.0.0.1:{free()}")
            drop(health, "socket")
        drop(self.root, "takeover")
        if log := child(self.root, "access-log"):
            drop(log, "output")
        for number, node in enumerate(self.listener_nodes(), 1):
            name = text_of(node, "name", f"listener-{number}")
            put(node, "address", f"127.0.0.1:{front if name == loaded else free()}")
            for key in ("socket", "proxy-protocol", "announce"):
                drop(node, key)
            secure_listener(node, certificates)
        for name, cluster in self.clusters.items():
            self.retarget_cluster(name, cluster, endpoints, certificates)
        return yaml.serialize(self.root)

    def retarget_cluster(self, name: str, cluster: Any, endpoints: Endpoints, certificates: Path | None) -> None:
        mode = cluster_mode(child(cluster, "tls"))
        port = {OFF: endpoints.plain, TLS: endpoints.tls, MTLS: endpoints.mtls}[mode]
        addresses = self.addresses()
        if (listed := child(cluster, "endpoints")) is None:
            put(cluster, "endpoints", [f"{addresses[0]}:{port}"])
        else:
            if len(listed.value) > MOST_ADDRESSES:
                raise CouldNotRun(f"--config: cluster {name} has more than {MOST_ADDRESSES} endpoints")
            for number, node in enumerate(listed.value):
                address = f"{addresses[number]}:{port}"
                if isinstance(node, yaml.MappingNode):
                    put(node, "address", address)
                else:
                    listed.value[number] = made(address)
        for key in SOURCES:
            drop(cluster, key)
        if mode != OFF and certificates:
            tls = child(cluster, "tls")
            for key in ("crl", "server-name"):
                drop(tls, key)
            put(tls, "trust", str(certificates / "ca.crt"))
            put(tls, "peer-names", [APPLICATION])
            if mode == MTLS:
                put(tls, "certificate", own_certificate(certificates))


def listener_mode(tls: Any) -> str:
    if not isinstance(tls, getattr(yaml, "MappingNode", ())):
        return OFF
    return TLS if text_of(tls, "client-certificates", "off") == "off" else MTLS


def cluster_mode(tls: Any) -> str:
    if not isinstance(tls, getattr(yaml, "MappingNode", ())):
        return OFF
    return MTLS if child(tls, "certificate") else TLS


def secure_listener(node: Any, certificates: Path | None) -> None:
    """Other certificates, and the identity of the load's client wherever one is required."""
    tls = child(node, "tls")
    if not certificates or listener_mode(tls) == OFF:
        return
    drop(tls, "crl")
    put(tls, "certificates", [own_certificate(certificates)])
    if child(tls, "trust"):
        put(tls, "trust", str(certificates / "ca.crt"))
    for part in (node, *getattr(child(node, "routes"), "value", ())):
        if child(part, "require-identity"):
            put(part, "require-identity", [CLIENT])


def own_certificate(certificates: Path) -> Mapping[str, str]:
    return {"chain": str(certificates / "sidecar.crt"), "key": str(certificates / "sidecar.key")}


def child(node: Any, key: str) -> Any:
    """The value of a key; None where the node has none."""
    return next((value for name, value in pairs(node) if name.value == key), None)


def pairs(node: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, yaml.MappingNode):
        yield from node.value


def text_of(node: Any, key: str, default: str) -> str:
    found = child(node, key)
    return found.value if isinstance(found, yaml.ScalarNode) else default


def put(node: Any, key: str, value: object) -> None:
    """Replaces the value of a key in its place, or adds the key."""
    for number, (name, _) in enumerate(node.value):
        if name.value == key:
            node.value[number] = (name, made(value))
            return
    node.value.append((made(key), made(value)))


def drop(node: Any, key: str) -> None:
    if isinstance(node, yaml.MappingNode):
        node.value[:] = [(name, value) for name, value in node.value if name.value != key]


def made(value: object) -> Any:
    return yaml.compose(json.dumps(value))


def chosen(listeners: Sequence[Listener], asked: str | None, seen: Iterable[str | None]) -> Listener:
    """The listener to load: the one that is asked for, the only one, or that with most of the requests seen. Raises CouldNotRun."""
    by_name = {one.name: one for one in listeners}
    if not by_name:
        raise CouldNotRun("--config: it has no listener for requests")
    if asked:
        if asked not in by_name:
            raise CouldNotRun(f"--listener: there is no {asked}; there are {', '.join(by_name)}")
        return by_name[asked]
    if len(by_name) == 1:
        return listeners[0]
    counts = dict.fromkeys(by_name, 0)
    for name in seen:
        if name in counts:
            counts[name] += 1
    most = max(counts, key=lambda name: counts[name])
    if not counts[most]:
        raise CouldNotRun(f"--listener NAME: the configuration has several: {', '.join(by_name)}")
    return by_name[most]

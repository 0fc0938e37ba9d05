"""Objects that the tests apply: the sidecar as a native sidecar by hand, and the example application next to it."""
import copy

from cluster import APP_IMAGE, IMAGE

PORT, GRPC_PORT, APP_PORT, HEALTH_PORT = 8080, 8082, 8081, 15020
RESTRICTED = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
# The sidecar's cluster is a Service, SERVICE: what runs in the pod reaches others through it.
OUTBOUND = """\
listeners:
  - name: outbound
    address: "127.0.0.1:8080"
    direction: outbound
    cluster: web
clusters:
  web:
    endpoints: ["SERVICE:80"]
"""
THROUGH = f"http://127.0.0.1:{PORT}/"
# No retries: what a request meets is what its client sees.
CONFIGURATION = """\
admin: {address: "127.0.0.1:9990"}
health: {address: "0.0.0.0:15020"}
reload: {watch: true}
listeners:
  - name: inbound
    address: "0.0.0.0:8080"
    cluster: app
  - name: grpc
    address: "0.0.0.0:8082"
    protocol: http2
    cluster: grpc
clusters:
  app:
    endpoints: ["127.0.0.1:8081"]
  grpc:
    protocol: http2
    endpoints: ["127.0.0.1:8081"]
"""


def config_map(text=CONFIGURATION, name="remora"):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"remora.yaml": text}}


def probe(path, **more):
    return {"httpGet": {"path": path, "port": HEALTH_PORT}, **more}


def sidecar(image=IMAGE, memory="64Mi", rps=1000, drain=("drain", "--inbound", "--delay", "5s", "--wait", "20s"), mounts=()):
    """The sidecar's container, an init container that restarts."""
    container = {
        "name": "remora", "image": image, "imagePullPolicy": "Never", "restartPolicy": "Always",
        "args": ["run", "--config", "/etc/remora/remora.yaml"],
        "env": [{"name": "REMORA_RPS", "value": str(rps)}],
        "ports": [{"name": "http", "containerPort": PORT}, {"name": "health", "containerPort": HEALTH_PORT}],
        "startupProbe": probe("/ready", periodSeconds=1, failureThreshold=60),
        "readinessProbe": probe("/ready", periodSeconds=1),
        "livenessProbe": probe("/live", periodSeconds=5, timeoutSeconds=5),
        "resources": {"requests": {"cpu": "50m", "memory": memory}, "limits": {"memory": memory}},
        "securityContext": RESTRICTED,
        "volumeMounts": [{"name": "remora", "mountPath": "/etc/remora", "readOnly": True}, *mounts],
    }
    if drain:
        container["lifecycle"] = {"preStop": {"exec": {"command": ["/opt/remora/bin/remora", *drain]}}}
    return copy.deepcopy(container)


def application(*options, name="app", command="serve", memory="64Mi", sleep=None):
    """The example application's container; sleep is the seconds of its preStop hook."""
    container = {
        "name": name, "image": APP_IMAGE, "imagePullPolicy": "Never", "args": [command, *options],
        "resources": {"requests": {"cpu": "20m", "memory": "16Mi"}, "limits": {"memory": memory}},
        "securityContext": RESTRICTED,
    }
    if command == "serve":
        container["readinessProbe"] = {"tcpSocket": {"port": APP_PORT}, "periodSeconds": 1}
    if sleep:
        container["lifecycle"] = {"preStop": {"sleep": {"seconds": sleep}}}
    return copy.deepcopy(container)


def pod_spec(*containers, remora=None, init=(), volumes=(), grace=40, account=None, **more):
    """A pod's spec with the sidecar as its first init container; remora=False leaves it out."""
    first = [] if remora is False else [remora or sidecar()]
    spec = {
        "terminationGracePeriodSeconds": grace,
        "automountServiceAccountToken": account is not None,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "initContainers": [*first, *init],
        "containers": list(containers) or [application()],
        "volumes": [*([] if remora is False else [{"name": "remora", "configMap": {"name": "remora"}}]), *volumes],
        **more,
    }
    if account:
        spec["serviceAccountName"] = account
    return spec


def pod(name, spec, **labels):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name, **labels}}, "spec": spec}


def template(name, spec):
    return {"metadata": {"labels": {"app": name}}, "spec": spec}


def deployment(name, spec, replicas=3):
    """A rolling update takes no pod away before another is ready."""
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template(name, spec),
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}}


def service(name, port=PORT):
    ports = [{"name": "http", "port": 80, "targetPort": port}, {"name": "grpc", "port": 81, "targetPort": GRPC_PORT}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": {"app": name}, "ports": ports}}


def four_containers(text):
    """(names of three, configuration, containers): the application and three more, each of which a route of the configuration leads to."""
    names = {"one": 9001, "two": 9002, "three": 9003}
    routes = "".join(f"      - {{match: {{prefix: /{name}}}, cluster: {name}}}\n" for name in names)
    clusters = "".join(f"  {name}:\n    endpoints: [\"127.0.0.1:{port}\"]\n" for name, port in names.items())
    containers = [application(), *(application("--listen", f":{port}", "--name", name, name=name) for name, port in names.items())]
    for one, port in zip(containers[1:], names.values()):
        one["readinessProbe"]["tcpSocket"]["port"] = port
    return list(names), text.replace("    cluster: app\n", "    routes:\n" + routes + "      - {cluster: app}\n", 1) + clusters, containers

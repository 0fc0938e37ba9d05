"""The injector as its manifests install it, for the tests that need one: with the image under test, and with settings of their own."""
import json
import unittest

from cluster import IMAGE, REPOSITORY, ClusterTest

SYSTEM, NAME = "remora-system", "remora-injector"
MANIFESTS = REPOSITORY / "deploy/kustomize/injector"
SETTINGS = {"image": IMAGE, "images": [{"name": IMAGE, "runtime": "i386-client", "architectures": ["amd64"]}]}
LABELS = {"remora.io/inject": "enabled"}


# Settings of the installed injector, which a class takes over from the class before. None without one, or when a test has changed it.
state = None


def ensure(cluster, settings):
    """Installs the injector, unless the class before had the same settings; it is removed when the module ends."""
    global state
    if state is None or settings is None and state != "shipped":
        uninstall(cluster)
        unittest.addModuleCleanup(uninstall, cluster)
        install(cluster, settings)
    elif settings not in (None, state):
        configure(cluster, settings)
        roll_out(cluster)
    state = settings or "shipped"


def install(cluster, settings=None, image=IMAGE):
    """Applies the manifests, and waits for the replicas of exactly these settings."""
    rendered = cluster.kubectl("kustomize", MANIFESTS).stdout
    for text in ("image: remora:i386", "name: remora:i386"):
        assert text in rendered, text
    cluster.load(image)
    cluster.kubectl("wait", "--for=delete", f"namespace/{SYSTEM}", "--timeout=60s", check=False)
    cluster.apply(rendered.replace("remora:i386", image))
    if settings:
        configure(cluster, settings)
    roll_out(cluster)


def configure(cluster, settings):
    """Gives the injector other settings, which JSON is YAML for, and restarts it."""
    patch = json.dumps({"data": {"injector.yaml": json.dumps(settings)}})
    cluster.kubectl("patch", "configmap", NAME, "-n", SYSTEM, "--type=merge", "-p", patch)
    cluster.kubectl("rollout", "restart", f"deployment/{NAME}", "-n", SYSTEM)


def roll_out(cluster):
    """Waits until the replicas are new ones, and those before are gone: while they drain, they still answer."""
    cluster.kubectl("rollout", "status", f"deployment/{NAME}", "-n", SYSTEM, "--timeout=120s", seconds=150)
    for pod in cluster.get("pods", "-n", SYSTEM)["items"]:
        if "deletionTimestamp" in pod["metadata"]:
            cluster.kubectl("wait", "--for=delete", f"pod/{pod['metadata']['name']}", "-n", SYSTEM, "--timeout=60s")


def uninstall(cluster):
    """In the order of docs/upgrades-kubernetes.md: first what would refuse pods without the rest."""
    global state
    state = None
    cluster.kubectl("delete", "mutatingwebhookconfiguration", NAME, "--ignore-not-found")
    # the next class installs into the same namespace
    cluster.kubectl("delete", "-k", MANIFESTS, "--ignore-not-found", "--timeout=110s", check=False)


def annotated(workload, **annotations):
    """A pod, or a workload's pods, with annotations of the injector; an underscore stands for a hyphen."""
    holder = workload if workload["kind"] == "Pod" else workload["spec"].get("jobTemplate", workload)["spec"]["template"]
    own = holder["metadata"].setdefault("annotations", {})
    own.update({f"remora.io/{name.replace('_', '-')}": value for name, value in annotations.items()})
    return workload


class InjectorTest(ClusterTest):
    """A labelled namespace, and the injector with the settings of a class."""

    labels = LABELS
    one_namespace = True
    settings = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ensure(cls.cluster, cls.settings)

    def describe(self):
        super().describe()
        for arguments in (("get", "pods", "-o", "wide"), ("logs", "-l", f"app.kubernetes.io/name={NAME}", "--tail=40", "--prefix")):
            print(self.cluster.kubectl(*arguments, "-n", SYSTEM, check=False).stdout)

    def assert_injected(self, pods, image=None, capture=False):
        """The sidecar is first in each pod, but for capture, and a native one."""
        self.assertTrue(pods)
        for one in pods:
            names = [each["name"] for each in one["spec"]["initContainers"]]
            first = one["spec"]["initContainers"][names.index("remora")]
            self.assertEqual(["remora-capture", "remora"] if capture else ["remora"], names[:names.index("remora") + 1])
            self.assertEqual(("Always", image or IMAGE), (first["restartPolicy"], first["image"]))
            self.assertIn("remora.io/status", one["metadata"]["annotations"])

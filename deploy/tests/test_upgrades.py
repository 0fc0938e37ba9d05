"""Another version of the injector than that which injected the pods: upgrade and rollback under load, pods of both versions, and removal.

REMORA_OLD_IMAGE names an image of an earlier version; without it, the image under test is the old one as well, by another name."""
import copy
import json
import os
import unittest

import injector
from cluster import IMAGE, run
from injector import NAME, SYSTEM, InjectorTest, annotated, configure, roll_out
from manifests import application, config_map, deployment, pod, service
from test_injected import ANNOTATIONS, WITHOUT_HEALTH, bare

OLD_IMAGE = os.environ.get("REMORA_OLD_IMAGE") or "remora-old:1"
STATUS = "remora.io/status"


def settings(*names):
    """Settings whose first image is the default."""
    return {"image": names[0], "images": [{"name": name, "runtime": "i386-client", "architectures": ["amd64"]} for name in names]}


OLD, NEW = settings(OLD_IMAGE), settings(IMAGE, OLD_IMAGE)


class Versions(InjectorTest):
    """The injector of one version, and pods that another one injected."""

    settings = OLD

    @classmethod
    def setUpClass(cls):
        if OLD_IMAGE == "remora-old:1":
            run(["docker", "tag", IMAGE, OLD_IMAGE])
            cls.addClassCleanup(run, ["docker", "rmi", OLD_IMAGE])
        cls.images = (IMAGE, OLD_IMAGE)
        super().setUpClass()

    @classmethod
    def use(cls, image, wanted):
        """Makes the injector that of an image, with its settings."""
        if injector.state == (image, wanted):
            return
        injector.state = None
        cls.cluster.kubectl("set", "image", f"deployment/{NAME}", "-n", SYSTEM, f"remora-injector={image}")
        configure(cls.cluster, wanted)
        roll_out(cls.cluster)
        injector.state = (image, wanted)

    def images_of(self, label):
        return {one["spec"]["initContainers"][0]["image"] for one in self.pods(label)}

    def identities(self, label):
        """Containers with their restarts: what a running pod is."""
        return {(one["containerID"], one["restartCount"]) for each in self.pods(label)
                for one in each["status"]["containerStatuses"] + each["status"]["initContainerStatuses"]}

    def dry_run(self, one):
        one = copy.deepcopy(one)
        one["metadata"]["namespace"] = self.namespace
        done = self.cluster.kubectl("create", "--dry-run=server", "-o", "json", "-f", "-", stdin=json.dumps(one), check=False)
        return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr

    def gone(self):
        self.watch("pods", "-l", "app=web").until("no pod is terminating", lambda pods: pods and not any(
            "deletionTimestamp" in one["metadata"] for one in pods))

    def test_upgrade_and_rollback_lose_no_request(self):
        self.use(OLD_IMAGE, OLD)
        web = annotated(deployment("web", bare(application("--linger", "5s"))), **ANNOTATIONS, probes="off")
        self.apply(config_map(WITHOUT_HEALTH), service("web"), web)
        self.rolled_out("deployment/web")
        self.assert_injected(self.pods("app=web"), OLD_IMAGE)
        url = f"http://{self.service_address('web')}/"
        self.await_answers(url, 3)
        steady = self.load(url, "--rps", "300")
        steady.await_requests(300)
        before = self.identities("app=web")

        self.use(IMAGE, NEW)
        self.assertEqual(before, self.identities("app=web"), "running pods stay as they are")
        self.kubectl("scale", "deployment/web", "--replicas=4")
        self.rolled_out("deployment/web")
        self.assertEqual({OLD_IMAGE, IMAGE}, self.images_of("app=web"), "old and new sidecars serve one Service")
        self.assertLess(before, self.identities("app=web"))
        steady.await_requests(300)
        self.kubectl("rollout", "restart", "deployment/web")
        self.rolled_out("deployment/web")
        self.gone()
        self.assert_injected(self.pods("app=web"))

        before = self.identities("app=web")
        self.use(OLD_IMAGE, OLD)
        self.assertEqual(before, self.identities("app=web"), "running pods of the newer version stay as well")
        self.kubectl("delete", "pod", self.pods("app=web")[0]["metadata"]["name"])
        self.rolled_out("deployment/web")
        self.assertEqual({OLD_IMAGE, IMAGE}, self.images_of("app=web"))
        self.kubectl("rollout", "restart", "deployment/web")
        self.rolled_out("deployment/web")
        self.gone()
        self.assert_injected(self.pods("app=web"), OLD_IMAGE)
        steady.await_requests(300)
        counts = self.assert_clean(steady)
        self.assertGreaterEqual(len(counts["answers"]), 10)

    def template_of(self, made):
        """The pod as its owner would write it down: with what the injection added."""
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "again", "annotations": made["metadata"]["annotations"]},
                "spec": {key: value for key, value in made["spec"].items() if key not in ("nodeName", "serviceAccountName", "serviceAccount", "tolerations")}}

    def injected_by(self, image, wanted):
        self.use(image, wanted)
        made, told = self.dry_run(annotated(pod("again", bare(application("--linger", "5s"))), **ANNOTATIONS))
        self.assertIsNotNone(made, told)
        return made

    def test_manifest_that_another_version_injected_gets_the_sidecar_of_this_one(self):
        by_new = self.injected_by(IMAGE, NEW)
        by_old = self.injected_by(OLD_IMAGE, OLD)
        self.assertNotEqual(*(one["spec"]["initContainers"][0]["image"] for one in (by_new, by_old)))
        for injection, this, other in ((by_old, by_old, by_new), (by_new, by_new, by_old)):
            image = injection["spec"]["initContainers"][0]["image"]
            with self.subTest(injector=image):
                self.use(image, OLD if image == OLD_IMAGE else NEW)
                for given in (this, other):
                    made, told = self.dry_run(self.template_of(given))
                    self.assertIsNotNone(made, told)
                    for part in ("initContainers", "containers", "volumes"):
                        self.assertEqual(this["spec"][part], made["spec"][part])
                    self.assertEqual(this["metadata"]["annotations"][STATUS], made["metadata"]["annotations"][STATUS])

    def test_image_that_the_older_injector_does_not_know_is_refused_with_its_name(self):
        self.use(OLD_IMAGE, OLD)
        made, told = self.dry_run(annotated(pod("named", bare(application())), image=IMAGE))
        self.assertIsNone(made)
        for word in ("remora.io/image", IMAGE, OLD_IMAGE):
            self.assertIn(word, told)
        self.use(IMAGE, NEW)
        for image in (IMAGE, OLD_IMAGE):
            made, told = self.dry_run(annotated(pod("named", bare(application())), image=image))
            self.assertEqual(image, made["spec"]["initContainers"][0]["image"], told)


class Removed(InjectorTest):
    """The removal that docs/upgrades-kubernetes.md describes."""

    def everything(self):
        """All objects of the cluster whose name or group is Remora's, by kind."""
        kinds = self.cluster.kubectl("api-resources", "--verbs=list", "-o", "name").stdout.split()
        listed = self.cluster.kubectl("get", ",".join(kind for kind in kinds if not kind.startswith("events")), "-A", "--ignore-not-found", "-o",
                                      'jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\\n"}{end}').stdout.split()
        return [one for one in listed if "remora" in one and "/remora-example/" not in one]

    def test_removal_leaves_nothing_and_lets_pods_start_from_its_first_step_on(self):
        present = self.everything()
        for kind in ("MutatingWebhookConfiguration", "ClusterRole", "ClusterRoleBinding", "Namespace"):
            self.assertTrue(any(one.startswith(kind + "/") for one in present), (kind, present))
        self.apply(annotated(pod("before", bare(application()))))
        self.ready("before")
        injector.state = None
        self.cluster.kubectl("delete", "mutatingwebhookconfiguration", NAME)
        # the injector still runs, and nobody asks it
        self.apply(pod("between", bare(application())))
        self.ready("between")
        self.assertEqual([], self.get("pod", "between")["spec"].get("initContainers", []))
        self.cluster.kubectl("delete", "--ignore-not-found", "-k", injector.MANIFESTS, "--timeout=110s")
        self.cluster.kubectl("delete", "namespace", SYSTEM, "--ignore-not-found", "--timeout=60s")
        self.assertEqual([], self.everything())
        self.apply(pod("after", bare(application())))
        self.ready("after")
        self.assertEqual([], self.get("pod", "after")["spec"].get("initContainers", []))
        self.assertTrue(all(one["ready"] for one in self.get("pod", "before")["status"]["initContainerStatuses"]), "its sidecar runs on")


if __name__ == "__main__":
    unittest.main()

"""Runs docs/quickstart-kubernetes.md as its reader does: its blocks in one shell, against the cluster of the tests instead of kind's."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from cluster import REPOSITORY, TOOL, ClusterTest

sys.path.insert(0, str(REPOSITORY / "docs/tutorials"))
from test_tutorials import BLOCK, MARK, is_printed, script_of  # noqa: E402

PAGE = REPOSITORY / "docs/quickstart-kubernetes.md"
SECONDS = 400
# kind's part, and the images, which are there: a reader builds them in minutes.
BEGIN = """
kind() {{ [ "$1" = create ] || [ "$1" = delete ] || for image in "${{@:3}}"; do docker save "$image" | {tool} load {directory} >/dev/null; done; }}
kubectl() {{ {tool} exec {directory} kubectl "$@"; }}
make() {{ docker image inspect remora:i386 >/dev/null; }}
"""


class Quickstart(ClusterTest):
    def setUp(self):
        self.namespace = "remora-example"
        self.addCleanup(self.cluster.kubectl, "delete", "namespace", self.namespace, "--ignore-not-found", "--timeout=100s", check=False)

    def test_each_block_works_as_it_is_written(self):
        blocks = BLOCK.findall(PAGE.read_text())
        script = BEGIN.format(tool=TOOL, directory=self.cluster.directory) + script_of(blocks)
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["bash", "-c", script], cwd=REPOSITORY, env={**os.environ, "HOME": home, "DOCKER_CONFIG": f"{home}/.docker"}, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
        self.assertEqual(0, done.returncode, done.stdout)
        printed = {int(re.match(r"\d+", part).group()): part for part in done.stdout.split(f"{MARK} ")[1:]}
        last, checked = None, 0
        for number, (language, _, wanted) in enumerate(blocks):
            if language == "sh":
                last = number
            elif language == "text":
                for line in wanted.splitlines():
                    with self.subTest(line=line):
                        self.assertTrue(is_printed(line, printed[last]), printed[last])
                        checked += 1
        self.assertGreaterEqual(checked, 10)


if __name__ == "__main__":
    unittest.main()

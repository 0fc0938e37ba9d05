"""Runs each tutorial as its reader does: blocks of sh in one shell, blocks with a title as files, blocks of text as output.

The translations of docs/other-proxies.md are checked as well.
"""
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r'(?ms)^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$')
PORT = re.compile(r"\b(?:8080|8081|8082|8443|9990|9991|9992)\b")
MARK = "@@ block"


def free_ports(names):
    """A free port for each of the tutorial's own, as another program may have these."""
    sockets = {name: socket.socket() for name in names}
    for each in sockets.values():
        each.bind(("127.0.0.1", 0))
    ports = {name: str(each.getsockname()[1]) for name, each in sockets.items()}
    for each in sockets.values():
        each.close()
    return ports


def script_of(blocks):
    """The blocks as one script, which marks where the output of each begins."""
    lines = ["set -euo pipefail"]
    for number, (language, title, text) in enumerate(blocks):
        if title:
            lines.append(f"cat > {title} <<'@@end'\n{text}@@end")
        elif language == "sh":
            # the jars are there already: ./measure builds them before the test
            lines.append(f"echo '{MARK} {number}'\n" + text.replace("make build\n", "").replace("./measure ", "scripts/python -m remora_measure "))
    return "\n".join(lines)


def is_printed(line, output):
    """Whether a line of the output begins with a line of the page, where ... stands for anything."""
    wanted = ".*".join(map(re.escape, line.split("...")))
    return any(re.match(wanted, printed) for printed in output.splitlines())


def end(shell):
    """Ends what a script left; what measures gets the time to end its sidecars, which have groups of their own."""
    with contextlib.suppress(ProcessLookupError):
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(timeout=20)
        os.killpg(shell.pid, signal.SIGKILL)


def run(page):
    """(problems, output): lines of a text block that the sh block before it did not print, and a script that failed."""
    text = page.read_text()
    ports = free_ports(sorted(set(PORT.findall(text))))
    blocks = BLOCK.findall(PORT.sub(lambda port: ports[port.group()], text))
    with tempfile.TemporaryDirectory() as home:
        # a group of its own, so that nothing survives a script that failed
        shell = subprocess.Popen(["bash", "-c", script_of(blocks)], cwd=ROOT, env={**os.environ, "HOME": home}, text=True, start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output, _ = shell.communicate(timeout=600)
        finally:
            end(shell)
    printed = {int(part.split("\n", 1)[0]): part for part in output.split(f"{MARK} ")[1:]}
    problems = [] if shell.returncode == 0 else [f"the script ended with {shell.returncode}"]
    last = None
    for number, (language, _, wanted) in enumerate(blocks):
        if language == "sh":
            last = number
        elif language == "text":
            problems += [f"block {number}: no line '{line}'" for line in wanted.splitlines() if not is_printed(line, printed.get(last, ""))]
    return problems, output


class Tutorials(unittest.TestCase):
    def test_each_works_as_it_is_written(self):
        pages = sorted(Path(__file__).parent.glob("*.md"))
        self.assertGreaterEqual(len(pages), 3)
        for page in pages:
            with self.subTest(page=page.name):
                problems, output = run(page)
                self.assertEqual([], problems, output)


class OtherProxies(unittest.TestCase):
    """The translations of docs/other-proxies.md, each a whole configuration."""

    def test_each_translation_is_a_configuration(self):
        configurations = [text for _, title, text in BLOCK.findall((ROOT / "docs/other-proxies.md").read_text()) if title]
        self.assertEqual(15, len(configurations))
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test",
                            "-keyout", f"{directory}/tls.key", "-out", f"{directory}/tls.crt"], check=True, capture_output=True)
            Path(directory, "ca.crt").write_bytes(Path(directory, "tls.crt").read_bytes())
            for text in configurations:
                checked = subprocess.run([ROOT / "proxy/bin/remora", "check", "-"], input=text.replace("/etc/remora", directory), text=True, capture_output=True)
                self.assertEqual(0, checked.returncode, text + checked.stdout + checked.stderr)


class Runner(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "page.md"
            page.write_text(text)
            return run(page)[0]

    def test_missing_output_is_a_problem(self):
        self.assertEqual(["block 1: no line 'two'"], self.problems("```sh\necho one\n```\n```text\none\ntwo\n```\n"))

    def test_a_failed_command_is_a_problem(self):
        self.assertEqual(["the script ended with 1"], self.problems("```sh\nfalse\n```\n"))

    def test_a_titled_block_is_a_file(self):
        self.assertEqual([], self.problems('```yaml title="~/a.yaml"\nkey: 8080\n```\n```sh\ngrep -c key ~/a.yaml\n! grep 80[8]0 ~/a.yaml\n```\n```text\n1\n```\n'))


if __name__ == "__main__":
    unittest.main()

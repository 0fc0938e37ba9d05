"""Runs scripts of tlsfuzzer against the listeners of a sidecar, and compares what fails with the list of what is known to.

    tlsfuzzer.py --source FOLDER --runs FILE --known FILE --library NAME [--conversations N] [--only SCRIPT] -- COMMAND...

COMMAND starts the sidecar; the name of its configuration file is added. FOLDER has the folders tlsfuzzer and scripts, which are changed, and this
Python the packages that they need. After each script the sidecar has to be alive and to serve, and after all of them no connection may be left.
"""
import argparse
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# What a script may take. Some open hundreds of connections.
SECONDS = 180
GCM = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"


class Application(BaseHTTPRequestHandler):
    """The cluster of the listeners. An answer is one record, because many scripts expect no second one."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


class ApplicationServer(ThreadingHTTPServer):
    """Says nothing about requests whose client has gone, as those of many scripts do."""
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


def free_ports(number):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_material(folder):
    """An authority, and of it certificates for the listeners and for a client: rsa, ecdsa, client. It signs by RSA, as many scripts accept nothing else."""
    kinds = {"rsa": ["rsa", "-pkeyopt", "rsa_keygen_bits:2048"], "ecdsa": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]}
    kinds["client"] = kinds["rsa"]
    request = folder / "request.cnf"
    request.write_text("[req]\ndistinguished_name = name\n[name]\n", encoding="utf-8")

    def certificate(name, kind, *more):
        openssl("req", "-x509", "-config", str(request), "-newkey", *kind, "-nodes", "-days", "30", "-subj", f"/CN={name}",
                "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt"), *more)

    certificate("authority", kinds["rsa"], "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    issuer = ["-CA", str(folder / "authority.crt"), "-CAkey", str(folder / "authority.key")]
    for name, kind in kinds.items():
        certificate(name, kind, *issuer, "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    return folder


class Sidecar:
    """The process, with a listener for each kind of certificate, and one that requires certificates of clients."""

    def __init__(self, command, folder):
        application = ApplicationServer(("127.0.0.1", 0), Application)
        threading.Thread(target=application.serve_forever, daemon=True).start()
        material = make_material(folder)
        ports = free_ports(5)
        self.ports = dict(zip(["rsa", "ecdsa", "client", "optional"], ports))
        self.admin = ports[4]
        lines = ["admin:", f"  address: 127.0.0.1:{self.admin}", "listeners:"]
        for name, port in self.ports.items():
            kind = "ecdsa" if name == "ecdsa" else "rsa"
            lines += [f"  - name: {name}", f"    address: 127.0.0.1:{port}", "    cluster: app", "    tls:",
                      f"      certificates: [{{ chain: {material}/{kind}.crt, key: {material}/{kind}.key }}]"]
            if name in ("client", "optional"):
                lines += [f"      client-certificates: {'required' if name == 'client' else 'optional'}", f"      trust: {material}/authority.crt"]
        lines += ["clusters:", "  app:", f'    endpoints: ["127.0.0.1:{application.server_address[1]}"]', ""]
        configuration = folder / "sidecar.yaml"
        configuration.write_text("\n".join(lines), encoding="utf-8")
        self.log = folder / "sidecar.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*command, str(configuration)], stdout=log, stderr=subprocess.STDOUT)
        self.context = ssl.create_default_context(cafile=str(material / "authority.crt"))
        deadline = time.monotonic() + 60
        while not self.serves():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the sidecar does not serve:\n" + self.log.read_text(errors="replace"))
            time.sleep(0.2)

    def serves(self):
        """True if a client that behaves gets its answer."""
        try:
            with socket.create_connection(("127.0.0.1", self.ports["rsa"]), 10) as plain, self.context.wrap_socket(plain, server_hostname="localhost") as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                return connection.recv(4096).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def connections(self):
        """How many connections to a listener there are on the side of the sidecar."""
        count = 0
        ports = {f"{port:04X}" for port in self.ports.values()}
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            _, local, _, state = line.split()[:4]
            if local.split(":")[1] in ports and state in ("01", "08"):
                count += 1
        return count

    def resident(self):
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")).group(1))


def run_script(arguments, sidecar, listener, script, words):
    """How many conversations there were, and what failed; None if the script did not end as scripts do."""
    material = sidecar.log.parent
    words = [word.replace("@CERTIFICATE", str(material / "client.crt")).replace("@KEY", str(material / "client.key")).replace("@GCM", GCM) for word in words]
    command = [sys.executable, f"scripts/{script}.py", "-h", "127.0.0.1", "-p", str(sidecar.ports[listener]), *words]
    if arguments.conversations:
        command += ["-n", str(arguments.conversations)]
    try:
        done = subprocess.run(command, cwd=arguments.source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                              env={**os.environ, "PYTHONPATH": str(arguments.source), "PYTHONDONTWRITEBYTECODE": "1"})
        text = done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace") + "\ntimed out"
    if arguments.output:
        (arguments.output / f"{listener}-{script}.txt").write_text(text, encoding="utf-8")
    return result_of(text)


def result_of(text):
    """How many conversations there were, and what failed; None if the script did not end as scripts do, or has counted other failures than are seen here."""
    counts = {name: int(count) for name, count in re.findall(r"^(TOTAL|FAIL|XFAIL|XPASS): (\d+)$", text, re.MULTILINE)}
    failed = failures(text)
    # those that a script expects to fail are among them
    return (counts["TOTAL"], failed) if len(counts) == 4 and len(failed) == counts["FAIL"] + counts["XFAIL"] + counts["XPASS"] else None


def failures(text):
    """What failed, as "conversation: error"."""
    found, name, error, in_traceback = [], "", "", False
    for line in [*text.splitlines(), "the end ..."]:
        if line == "Traceback (most recent call last):":
            in_traceback = True
        elif in_traceback and re.match(r"[A-Za-z_][\w.]*(:|$)", line):
            # the last one of a chain says what it came to
            error, in_traceback = line.split(": ", 1)[-1], False
        elif line == "XPASS-expected failure but test passed":
            error = "expected to fail, and passed"
        elif line.endswith("..."):
            if error:
                found.append(f"{name}: {error}")
            name, error, in_traceback = line[:-3].rstrip(), "", False
    return found


def modernize(folder):
    """Has the scripts offer ECDHE with AES-GCM where they would offer it with CBC, which no listener speaks."""
    for path in sorted((folder / "tlsfuzzer" / "_apps").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"TLS_ECDHE_RSA_WITH_AES_(128|256)_CBC_SHA(256|384)?\b", GCM, text), encoding="utf-8")


def read_lines(path):
    return [line for line in Path(path).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--runs", required=True)
    parser.add_argument("--known", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--conversations", type=int, default=0)
    parser.add_argument("--only", default="*")
    parser.add_argument("--output", type=Path)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    known = [line.split("\t") for line in read_lines(arguments.known)]
    totals = {"runs": 0, "conversations": 0, "failed as known": 0}
    wrong = []
    modernize(arguments.source)
    with tempfile.TemporaryDirectory() as folder:
        sidecar = Sidecar(arguments.command, Path(folder))
        try:
            for line in read_lines(arguments.runs):
                listener, script, *words = line.split()
                if not fnmatchcase(script, arguments.only):
                    continue
                result = run_script(arguments, sidecar, listener, script, words)
                totals["runs"] += 1
                if result is None:
                    wrong.append(f"{listener} {script}: no result")
                else:
                    patterns = [pattern for library, of, pattern, _ in known if library in ("*", arguments.library) and fnmatchcase(script, of)]
                    # what has to work always is never known to fail
                    unknown = [name for name in result[1] if name.startswith("sanity:") or not any(fnmatchcase(name, pattern) for pattern in patterns)]
                    totals["conversations"] += result[0]
                    totals["failed as known"] += len(result[1]) - len(unknown)
                    wrong += [f"{listener} {script}: {name}" for name in unknown]
                if sidecar.process.poll() is not None or not sidecar.serves():
                    wrong.append(f"{listener} {script}: the sidecar does not serve afterwards")
                    break
                print(f"{listener} {script}: {'no result' if result is None else f'{result[0]} conversations, {len(result[1])} failed'}; {sidecar.resident()} KiB", flush=True)
            deadline = time.monotonic() + 90
            while sidecar.connections() and time.monotonic() < deadline:
                time.sleep(1)
            if sidecar.connections():
                wrong.append(f"{sidecar.connections()} connections are left")
        finally:
            sidecar.process.terminate()
            sidecar.process.wait(30)
    print(f"tlsfuzzer with {arguments.library}: " + ", ".join(f"{number} {what}" for what, number in totals.items()) + f", {len(wrong)} not known")
    for line in wrong:
        print(f"  {line}")
    return 1 if wrong or not totals["conversations"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""TLS in a run: an authority of its own, and the certificates of the application, the sidecar and the client, made by openssl."""
import concurrent.futures
import os
import ssl
from pathlib import Path
from typing import NamedTuple

from ..errors import CouldNotRun
from ..machine import children, http2

OFF, TLS, MTLS = "off", "tls", "mtls"
MODES = (OFF, TLS, MTLS)
# Client certificates, and HTTP/2 on both sides.
MTLS_H2 = "mtls-h2"
# The names by which the two configurations in loadtest/peers ask for the application and for the client.
HOST = "DNS:localhost,IP:127.0.0.1"
NAMES = {"app": f"{HOST},URI:spiffe://loadtest.example/app", "sidecar": f"{HOST},URI:spiffe://loadtest.example/sidecar",
         "client": "URI:spiffe://loadtest.example/client"}
DAYS = "30"
# Bound for one of many certificates, those before it included.
CLIENTS_S = 600.0
# Password of the generator's key store, which requires one.
PASSWORD = "loadtest"
# Without what the system's configuration of openssl would put into a certificate.
CONFIGURATION = "[req]\ndistinguished_name = name\n[name]\n"


class Tls(NamedTuple):
    """Certificates in a directory: ca.crt, and NAME.crt with NAME.key of app, sidecar and client; client.p12 has the last for Gatling."""

    mode: str
    directory: Path

    @property
    def is_mutual(self) -> bool:
        return self.mode in (MTLS, MTLS_H2)

    @property
    def configuration(self) -> str:
        """The sidecar's, as it is called in loadtest/peers."""
        return f"remora-{self.mode}.yaml"

    def context(self, is_http2: bool = False) -> ssl.SSLContext:
        """Of a client of ours, which verifies whom it talks to, and asks for HTTP/2 alone if it speaks that. Threads may share it."""
        context = ssl.create_default_context(cafile=str(self.directory / "ca.crt"))
        if is_http2:
            context.set_alpn_protocols([http2.ALPN])
        if self.is_mutual:
            context.load_cert_chain(self.directory / "client.crt", self.directory / "client.key")
        return context

    def clients(self) -> list[ssl.SSLContext]:
        """Of distinct clients, each with a certificate of its own; empty before make_clients()."""
        found = []
        for number in range(len(list(self.directory.glob("clients/*.crt")))):
            context = ssl.create_default_context(cafile=str(self.directory / "ca.crt"))
            context.load_cert_chain(self.directory / f"clients/{number}.crt", self.directory / f"clients/{number}.key")
            found.append(context)
        return found

    def generator_settings(self) -> dict[str, object]:
        """System properties by which Gatling shows the client's certificate."""
        store = {"type": "PKCS12", "file": self.directory / "client.p12", "password": PASSWORD}
        return {f"gatling.ssl.keyStore.{key}": value for key, value in store.items()} if self.is_mutual else {}


def make(mode: str, work: Path) -> Tls | None:
    """Certificates below a run's folder; None for a run without TLS. Raises CouldNotRun."""
    if mode == OFF:
        return None
    directory = work / "tls"
    directory.mkdir()
    (directory / "openssl.cnf").write_text(CONFIGURATION)
    issue(directory, "ca", "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign")
    for name, names in NAMES.items():
        issue(directory, name, "basicConstraints=critical,CA:FALSE", f"subjectAltName={names}", issuer="ca")
    openssl(directory, "pkcs12", "-export", "-in", "client.crt", "-inkey", "client.key", "-out", "client.p12",
            "-passout", f"pass:{PASSWORD}")
    for path in directory.iterdir():
        path.chmod(0o644)  # a sidecar in a container is another user, and nobody else trusts this authority
    directory.chmod(0o755)
    return Tls(mode, directory)


def make_clients(tls: Tls, count: int) -> None:
    """So many certificates of the client, each with a key and a serial number of its own. Raises CouldNotRun."""
    (tls.directory / "clients").mkdir()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for made in [pool.submit(issue, tls.directory, f"clients/{number}", "basicConstraints=critical,CA:FALSE", f"subjectAltName={NAMES['client']}",
                                 issuer="ca") for number in range(count)]:
            made.result(CLIENTS_S)


def issue(directory: Path, name: str, *extensions: str, issuer: str | None = None) -> None:
    signed = ("-CA", f"{issuer}.crt", "-CAkey", f"{issuer}.key") if issuer else ()
    added = [word for extension in extensions for word in ("-addext", extension)]
    openssl(directory, "req", "-x509", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name.rpartition('/')[2]}", "-days", DAYS, *signed, *added)


def openssl(directory: Path, *words: str) -> None:
    try:
        done = children.run(["openssl", *words], cwd=directory, capture_output=True, text=True)
    except FileNotFoundError:
        raise CouldNotRun("no openssl command, which --tls needs: apt-get install openssl") from None
    if done.returncode:
        raise CouldNotRun(f"openssl {words[0]}: {done.stderr.strip()[-500:]}")

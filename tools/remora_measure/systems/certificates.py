"""TLS in a run: an authority of its own, and the certificates of the application, the sidecar and the client, made by openssl."""
import ssl
import subprocess
from pathlib import Path
from typing import NamedTuple

from ..errors import CouldNotRun

OFF, TLS, MTLS = "off", "tls", "mtls"
MODES = (OFF, TLS, MTLS)
# The names by which the two configurations in loadtest/peers ask for the application and for the client.
HOST = "DNS:localhost,IP:127.0.0.1"
NAMES = {"app": f"{HOST},URI:spiffe://loadtest.example/app", "sidecar": f"{HOST},URI:spiffe://loadtest.example/sidecar",
         "client": "URI:spiffe://loadtest.example/client"}
DAYS = "30"
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
        return self.mode == MTLS

    @property
    def configuration(self) -> str:
        """The sidecar's, as it is called in loadtest/peers."""
        return f"remora-{self.mode}.yaml"

    def context(self) -> ssl.SSLContext:
        """Of a client of ours, which verifies whom it talks to."""
        context = ssl.create_default_context(cafile=str(self.directory / "ca.crt"))
        if self.is_mutual:
            context.load_cert_chain(self.directory / "client.crt", self.directory / "client.key")
        return context

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


def issue(directory: Path, name: str, *extensions: str, issuer: str | None = None) -> None:
    signed = ("-CA", f"{issuer}.crt", "-CAkey", f"{issuer}.key") if issuer else ()
    added = [word for extension in extensions for word in ("-addext", extension)]
    openssl(directory, "req", "-x509", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", f"{name}.key", "-out", f"{name}.crt", "-subj", f"/CN={name}", "-days", DAYS, *signed, *added)


def openssl(directory: Path, *words: str) -> None:
    try:
        done = subprocess.run(["openssl", *words], cwd=directory, capture_output=True, text=True)
    except FileNotFoundError:
        raise CouldNotRun("no openssl command, which --tls needs: apt-get install openssl") from None
    if done.returncode:
        raise CouldNotRun(f"openssl {words[0]}: {done.stderr.strip()[-500:]}")

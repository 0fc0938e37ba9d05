"""Certificates of a mesh for the tests: an authority, and leaves with SPIFFE names, by openssl."""
import tempfile
from pathlib import Path

from cluster import run, secret


class Authority:
    """A certificate authority whose leaves name workloads by URI."""

    def __init__(self, name="mesh"):
        self.kept = tempfile.TemporaryDirectory(prefix="authority.")
        self.work = Path(self.kept.name)
        self.serial = 100
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-days", "30",
                     "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")

    def openssl(self, *arguments):
        run(["openssl", *arguments], cwd=self.work)

    def text(self, name):
        return (self.work / name).read_text()

    def leaf(self, uri, dns=None):
        """The files of a leaf as a Secret of kind kubernetes.io/tls has them; each has a serial of its own."""
        self.serial += 1
        names = f"URI:{uri}" + (f",DNS:{dns}" if dns else "")
        (self.work / "leaf.ext").write_text(f"extendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\nsubjectAltName={names}\n")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf")
        self.openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", str(self.serial), "-days", "20",
                     "-extfile", "leaf.ext", "-out", "leaf.crt")
        return {"tls.crt": self.text("leaf.crt"), "tls.key": self.text("leaf.key"), "ca.crt": self.text("ca.crt")}

    def secret(self, name, uri, dns=None):
        return secret(name, self.leaf(uri, dns), "kubernetes.io/tls")

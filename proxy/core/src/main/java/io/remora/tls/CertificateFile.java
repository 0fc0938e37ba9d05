package io.remora.tls;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the certificates of a PEM file. */
final class CertificateFile {
    /** Where distributions keep the bundle of those that a system trusts. */
    private static final String[] SYSTEM = {
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem"
    };

    private CertificateFile() {}

    /** All of them in DER, in the order of the file; one or more. */
    static List<byte[]> read(String path) throws IOException {
        List<byte[]> certificates = new ArrayList<>();
        List<Pem> blocks = Pem.read(path);
        for (Pem block : blocks) {
            if (block.label().equals("CERTIFICATE") || block.label().equals("X509 CERTIFICATE")) {
                try {
                    CertificateInfo.of(block.der());
                } catch (TlsException e) {
                    throw new MaterialException("line " + block.line() + ": not a certificate: malformed DER");
                }
                certificates.add(block.der());
            }
        }
        if (certificates.isEmpty()) {
            throw new MaterialException("has no PEM block of a certificate" + Pem.labels(blocks));
        }
        return List.copyOf(certificates);
    }

    /** A certificate and those above it, each issued by the next. */
    static List<byte[]> readChain(String path) throws IOException {
        List<byte[]> chain = read(path);
        for (int i = 1; i < chain.size(); i++) {
            if (!CertificateInfo.of(chain.get(i - 1)).isIssuedBy(CertificateInfo.of(chain.get(i)))) {
                throw new MaterialException("certificate " + (i + 1) + " is not the issuer of certificate " + i
                        + ", expected the own one first and each issuer behind it");
            }
        }
        return chain;
    }

    /** The file of those that the system trusts, null where it has none. */
    static @Nullable String systemPath() {
        for (String path : SYSTEM) {
            if (new File(path).canRead()) {
                return path;
            }
        }
        return null;
    }

    /** Those that the system trusts. */
    static List<byte[]> readSystem() throws IOException {
        IOException first = null;
        for (String path : SYSTEM) {
            try {
                return read(path);
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        throw new MaterialException(
                "the system has no bundle of certificates: " + (first == null ? "" : first.getMessage()));
    }
}

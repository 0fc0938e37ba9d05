package io.remora.tls;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the certificates of a PEM file. */
final class CertificateFile {
    /** Paths where distributions keep the bundle of certificates that a system trusts. */
    private static final String[] SYSTEM = {
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem"
    };

    /** Labels of certificates in other forms: OpenSSL's own, which says what they are good for, and bundles. */
    private static final List<String> OTHER_FORMS = List.of("TRUSTED CERTIFICATE", "PKCS7", "CMS");

    private CertificateFile() {}

    static List<byte[]> read(String path) throws IOException {
        return read(Pem.read(path));
    }

    /** Reads all of them, in DER, in the order of the file; one or more. */
    static List<byte[]> read(List<Pem> blocks) throws IOException {
        List<byte[]> certificates = new ArrayList<>();
        for (Pem block : blocks) {
            if (block.label().equals("CERTIFICATE") || block.label().equals("X509 CERTIFICATE")) {
                try {
                    CertificateInfo.of(block.der());
                } catch (TlsException e) {
                    throw new MaterialException("line " + block.line() + ": not a certificate: malformed DER");
                }
                certificates.add(block.der());
                block.use();
            } else if (OTHER_FORMS.contains(block.label())) {
                throw new MaterialException("line " + block.line() + ": certificates as " + block.label()
                        + " are not supported, convert them with openssl x509, or openssl pkcs7 -print_certs");
            }
        }
        if (certificates.isEmpty()) {
            throw new MaterialException("has no PEM block of a certificate" + Pem.labels(blocks));
        }
        return List.copyOf(certificates);
    }

    /** Reads a certificate and those above it, each issued by the next. */
    static List<byte[]> readChain(List<Pem> blocks) throws IOException {
        List<byte[]> chain = read(blocks);
        for (int i = 1; i < chain.size(); i++) {
            if (!CertificateInfo.of(chain.get(i - 1)).isIssuedBy(CertificateInfo.of(chain.get(i)))) {
                throw new MaterialException("certificate " + (i + 1) + " is not the issuer of certificate " + i
                        + ", expected the certificate first, followed by its issuers in order");
            }
        }
        return chain;
    }

    /** Returns the path of the system's bundle, null where it has none. */
    static @Nullable String systemPath() {
        for (String path : SYSTEM) {
            if (new File(path).canRead()) {
                return path;
            }
        }
        return null;
    }

    /** Reads the certificates that the system trusts. */
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

package io.remora.webhook;

import io.remora.tls.CertificateInfo;
import io.remora.tls.PemText;
import java.io.IOException;
import java.util.List;

/**
 * A certificate with its private key, as PEM. Immutable.
 *
 * @param pem the own certificate first, then the rest of its chain or bundle
 * @param key PKCS#8
 */
record Certificate(String pem, String key) {
    /** Stands for a missing one. */
    static final Certificate NONE = new Certificate("", "");

    /** Returns the validity and the names of the own certificate. */
    CertificateInfo info() throws IOException {
        return CertificateInfo.of(der().get(0));
    }

    List<byte[]> der() throws IOException {
        return PemText.certificates(pem);
    }

    /** Hides the key. */
    @Override
    public String toString() {
        return "certificate";
    }
}

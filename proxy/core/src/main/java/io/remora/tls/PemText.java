package io.remora.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** PEM as text in memory, such as a Secret of Kubernetes has: read, and written (RFC 7468). Pure functions. */
public final class PemText {
    public static final String CERTIFICATE = "CERTIFICATE";
    public static final String PRIVATE_KEY = "PRIVATE KEY";
    private static final int LINE_CHARS = 64;

    private PemText() {}

    /** Reads all certificates, in DER, in their order; one or more. */
    public static List<byte[]> certificates(String text) throws IOException {
        return CertificateFile.read(Pem.blocks(text));
    }

    /** Reads the only private key, as PKCS#8 in DER. */
    public static byte[] key(String text) throws IOException {
        return KeyFile.read(Pem.blocks(text), null);
    }

    /** Writes one block. */
    public static String write(String label, byte[] der) {
        Base64.Encoder lines = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'});
        String body = new String(lines.encode(der), StandardCharsets.US_ASCII);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }
}

package io.remora.tls;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The X-Forwarded-Client-Cert element of a certificate: who took it (By), its digest, its subject and its names. It has
 * the certificate itself where that is wanted.
 *
 * <p>Cost: made once for each connection, and only where the field is sent. Bounds: {@value #MAX_CHARS} characters,
 * beyond which the certificate itself is left out first, and then subject and names. Spec: Envoy's documentation of the
 * field. Nothing in a value can end it: names that have quotes or backslashes are left out, a subject has neither, and
 * the certificate is percent-encoded.
 */
final class ForwardedCertificate {
    private static final int MAX_CHARS = 8_192;
    private static final String CERT = ";Cert=\"-----BEGIN%20CERTIFICATE-----%0A";
    /** Length of a line of PEM (RFC 7468 2). */
    private static final int LINE_CHARS = 64;

    private static final String HEX = "0123456789abcdef";

    private ForwardedCertificate() {}

    /**
     * @param certificate in DER
     * @param own in DER, null where it is not known
     * @param pem whether the certificate itself is wanted
     * @return empty where it cannot be told
     */
    static String of(byte[] certificate, byte @Nullable [] own, boolean pem) {
        try {
            StringBuilder text = new StringBuilder();
            if (own != null) {
                names(text, "By", SubjectNames.of(own).uris());
            }
            pair(text, "Hash").append(digest(certificate));
            int least = text.length();
            CertificateInfo info = CertificateInfo.of(certificate);
            pair(text, "Subject")
                    .append('"')
                    .append(DistinguishedName.of(info.subject()))
                    .append('"');
            names(text, "URI", info.names().uris());
            names(text, "DNS", info.names().dns());
            if (text.length() > MAX_CHARS) {
                return text.substring(0, least);
            }
            String encoded = pem ? encoded(certificate) : "";
            return text.length() + encoded.length() > MAX_CHARS
                    ? text.toString()
                    : text.insert(least, encoded).toString();
        } catch (TlsException e) {
            return "";
        }
    }

    /** Returns whether an element has the certificate itself. */
    static boolean hasPem(String element) {
        // no value has a quote in it, and none that is quoted as a whole goes on behind its end like this
        return element.contains(CERT);
    }

    /**
     * Returns the element's pair with the certificate as PEM. All but unreserved characters are percent-encoded (RFC
     * 3986 2.1).
     */
    private static String encoded(byte[] certificate) {
        String base64 = Base64.getEncoder().encodeToString(certificate);
        StringBuilder text = new StringBuilder(base64.length() * 5 / 4).append(CERT);
        for (int i = 0; i < base64.length(); i++) {
            char c = base64.charAt(i);
            switch (c) {
                case '+' -> text.append("%2B");
                case '/' -> text.append("%2F");
                case '=' -> text.append("%3D");
                default -> text.append(c);
            }
            if (i % LINE_CHARS == LINE_CHARS - 1 && i + 1 < base64.length()) {
                text.append("%0A");
            }
        }
        return text.append("%0A-----END%20CERTIFICATE-----%0A\"").toString();
    }

    private static StringBuilder pair(StringBuilder text, String key) {
        return text.append(text.length() == 0 ? "" : ";").append(key).append('=');
    }

    private static void names(StringBuilder text, String key, Iterable<String> names) {
        for (String name : names) {
            if (name.indexOf('"') < 0 && name.indexOf('\\') < 0) {
                boolean quoted = name.indexOf(',') >= 0 || name.indexOf(';') >= 0 || name.indexOf('=') >= 0;
                String quote = quoted ? "\"" : "";
                pair(text, key).append(quote).append(name).append(quote);
            }
        }
    }

    private static String digest(byte[] certificate) throws TlsException {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate);
            byte[] hex = new byte[2 * digest.length];
            for (int i = 0; i < digest.length; i++) {
                hex[2 * i] = (byte) HEX.charAt(digest[i] >> 4 & 15);
                hex[2 * i + 1] = (byte) HEX.charAt(digest[i] & 15);
            }
            return new String(hex, StandardCharsets.ISO_8859_1);
        } catch (NoSuchAlgorithmException e) {
            throw new TlsException(TlsFailure.INTERNAL, e.toString());
        }
    }
}

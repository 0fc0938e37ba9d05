package io.remora.tls;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * What X-Forwarded-Client-Cert says of a certificate: who took it (By), its digest, its subject and its names.
 *
 * <p>Cost: made once for each connection, and only where the field is sent. Bounds: {@value #MAX_CHARS} characters, beyond which there are
 * no subject and no names. Spec: Envoy's documentation of the field. Nothing in a value can end it: names that have quotes
 * or backslashes are left out, and a subject has neither.
 */
final class ForwardedCertificate {
    private static final int MAX_CHARS = 8_192;
    private static final String HEX = "0123456789abcdef";

    private ForwardedCertificate() {}

    /**
     * @param certificate in DER
     * @param own in DER, null where it is not known
     * @return empty where it cannot be told
     */
    static String of(byte[] certificate, byte @Nullable [] own) {
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
            return text.length() > MAX_CHARS ? text.substring(0, least) : text.toString();
        } catch (TlsException e) {
            return "";
        }
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

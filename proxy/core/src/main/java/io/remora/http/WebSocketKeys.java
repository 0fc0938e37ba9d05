package io.remora.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The two fields by which HTTP/1.1 proves that both sides mean a WebSocket. A request that came without them needs a key of ours where
 * it goes on in HTTP/1.1, and an answer from HTTP/2 needs the proof. Loaded only where a WebSocket crosses HTTP/2.
 *
 * <p>Thread safe. Spec: RFC 6455 sections 4.1 and 4.2.2, RFC 8441 section 5.
 */
public final class WebSocketKeys {
    public static final FieldName KEY = FieldName.of("Sec-WebSocket-Key");
    public static final FieldName ACCEPT = FieldName.of("Sec-WebSocket-Accept");
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_OCTETS = 16;

    private WebSocketKeys() {}

    /**
     * Returns a key that nobody has used before. A guess of it harms nobody, as it only tells one answer from another.
     */
    public static String newKey() {
        byte[] octets = new byte[KEY_OCTETS];
        ThreadLocalRandom.current().nextBytes(octets);
        return Base64.getEncoder().encodeToString(octets);
    }

    /** Returns the proof of a server that has understood {@code key}. */
    public static String accept(String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1").digest((key + GUID).getBytes(StandardCharsets.ISO_8859_1));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has it", e);
        }
    }

    /** Returns whether the response answers the request, by its only key and the only proof. */
    public static boolean agree(Fields request, Fields response) {
        String key = request.get(KEY);
        List<String> proofs = response.getAll(ACCEPT);
        return key != null && proofs.size() == 1 && proofs.get(0).equals(accept(key));
    }
}

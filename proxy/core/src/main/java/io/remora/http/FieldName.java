package io.remora.http;

import io.remora.text.Ascii;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The name of a field, ready to be compared with octets and to be written as octets. Immutable.
 *
 * <p>The names that the sidecar itself reads or writes are constants with a small number. The number lets {@link
 * Fields} find at once whether a message has them. Any other name is compared octet by octet.
 */
public final class FieldName {
    /** The number of every name that is not a constant of this class. */
    static final int UNKNOWN = 31;

    private static final int LONGEST = 23;
    private static final FieldName[][] BY_LENGTH = new FieldName[LONGEST + 1][0];

    public static final FieldName ALLOW = known(0, "Allow");
    public static final FieldName CONNECTION = known(1, "Connection");
    public static final FieldName CONTENT_LENGTH = known(2, "Content-Length");
    public static final FieldName CONTENT_TYPE = known(3, "Content-Type");
    public static final FieldName DATE = known(4, "Date");
    public static final FieldName EXPECT = known(5, "Expect");
    public static final FieldName FORWARDED = known(6, "Forwarded");
    public static final FieldName HOST = known(7, "Host");
    public static final FieldName KEEP_ALIVE = known(8, "Keep-Alive");
    public static final FieldName MAX_FORWARDS = known(9, "Max-Forwards");
    public static final FieldName PROXY_CONNECTION = known(10, "Proxy-Connection");
    public static final FieldName REFERER = known(11, "Referer");
    public static final FieldName REMORA_ERROR = known(12, "Remora-Error");
    public static final FieldName RETRY_AFTER = known(13, "Retry-After");
    public static final FieldName SEC_WEBSOCKET_KEY1 = known(14, "Sec-WebSocket-Key1");
    public static final FieldName SEC_WEBSOCKET_KEY2 = known(15, "Sec-WebSocket-Key2");
    public static final FieldName TE = known(16, "TE");
    public static final FieldName TRAILER = known(17, "Trailer");
    public static final FieldName TRANSFER_ENCODING = known(18, "Transfer-Encoding");
    public static final FieldName UPGRADE = known(19, "Upgrade");
    public static final FieldName USER_AGENT = known(20, "User-Agent");
    public static final FieldName VIA = known(21, "Via");
    public static final FieldName X_FORWARDED_FOR = known(22, "X-Forwarded-For");
    public static final FieldName X_FORWARDED_HOST = known(23, "X-Forwarded-Host");
    public static final FieldName X_FORWARDED_PROTO = known(24, "X-Forwarded-Proto");
    public static final FieldName X_REQUEST_ID = known(25, "X-Request-Id");
    public static final FieldName X_FORWARDED_CLIENT_CERT = known(26, "X-Forwarded-Client-Cert");
    public static final FieldName TRACEPARENT = known(27, "traceparent");
    public static final FieldName TRACESTATE = known(28, "tracestate");

    final String text;
    final byte[] octets;
    final byte[] lower;
    final int id;

    private FieldName(int id, String text) {
        this.id = id;
        this.text = text;
        this.octets = text.getBytes(StandardCharsets.ISO_8859_1);
        this.lower = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            lower[i] = Octets.toLower(octets[i]);
        }
    }

    private static FieldName known(int id, String text) {
        FieldName name = new FieldName(id, text);
        FieldName[] before = BY_LENGTH[text.length()];
        FieldName[] after = new FieldName[before.length + 1];
        System.arraycopy(before, 0, after, 0, before.length);
        after[before.length] = name;
        BY_LENGTH[text.length()] = after;
        return name;
    }

    /**
     * The constant of this name, or a new name where there is none.
     *
     * @throws IllegalArgumentException where it is not a token
     */
    public static FieldName of(String text) {
        FieldName name = new FieldName(UNKNOWN, text);
        if (text.isEmpty() || Octets.endOfToken(name.octets, 0, text.length()) < text.length()) {
            throw new IllegalArgumentException("not the name of a field: " + text);
        }
        FieldName known = find(name.octets, 0, text.length());
        return known == null ? name : known;
    }

    /** Returns whether a field may have this name. */
    public static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isTokenCharacter(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** The number of the name in {@code octets}, all of them token characters; {@link #UNKNOWN} for no constant. */
    static int idOf(byte[] octets, int from, int to) {
        FieldName found = find(octets, from, to);
        return found == null ? UNKNOWN : found.id;
    }

    /** The constant with the name in {@code octets}, all of them token characters; null for none. */
    public static @Nullable FieldName find(byte[] octets, int from, int to) {
        int length = to - from;
        if (length <= LONGEST) {
            for (FieldName candidate : BY_LENGTH[length]) {
                if ((octets[from] | 0x20) == candidate.lower[0] && candidate.matches(octets, from)) {
                    return candidate;
                }
            }
        }
        return null;
    }

    /** Returns whether {@code octets} hold this name, letter case aside. */
    boolean is(byte[] octetsOfName, int from, int to) {
        return to - from == lower.length && matches(octetsOfName, from);
    }

    // the last octets differ most: X-Forwarded-For, X-Forwarded-Foo
    private boolean matches(byte[] octetsOfName, int from) {
        for (int i = lower.length - 1; i >= 0; i--) {
            if (Octets.toLower(octetsOfName[from + i]) != lower[i]) {
                return false;
            }
        }
        return true;
    }

    public int length() {
        return octets.length;
    }

    @Override
    public String toString() {
        return text;
    }
}

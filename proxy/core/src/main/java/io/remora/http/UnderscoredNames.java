package io.remora.http;

/**
 * Tells which names of a request's fields are dangerous with an underscore. Applications behind a CGI-like interface
 * cannot tell it from a hyphen. The sidecar would not treat such a name as the field that the application sees. These
 * names are refused, no matter what the listener's {@code underscores-in-headers} says of the others.
 */
public final class UnderscoredNames {
    private static final byte[][] PREFIXES = {lower("x-forwarded-"), lower("remora-")};

    /** Names about framing, connections, forwarding and identity, in addition to those of {@link FieldName}. */
    private static final byte[][] OTHERS = {
        lower("authorization"),
        lower("client-ip"),
        lower("cookie"),
        lower("proxy-authorization"),
        lower("true-client-ip"),
        lower("x-client-ip"),
        lower("x-host"),
        lower("x-original-host"),
        lower("x-original-url"),
        lower("x-real-ip"),
        lower("x-rewrite-url"),
    };

    private UnderscoredNames() {}

    private static byte[] lower(String text) {
        return Octets.of(text).array;
    }

    /** Returns whether a token equals a name that matters to the sidecar once its underscores are read as hyphens. */
    public static boolean isConfusable(byte[] octets, int from, int to) {
        byte[] read = new byte[to - from];
        for (int i = 0; i < read.length; i++) {
            read[i] = folded(octets[from + i]);
        }
        return isKnown(read) || isAmong(OTHERS, read) || hasPrefix(read);
    }

    /** Returns whether a line has this name once underscores are read as hyphens in both. */
    public static boolean isTwin(Fields fields, int index, FieldName name) {
        int from = fields.nameStart(index);
        if (fields.nameEnd(index) - from != name.octets.length) {
            return false;
        }
        byte[] octets = fields.array();
        for (int i = 0; i < name.octets.length; i++) {
            if (folded(octets[from + i]) != folded(name.octets[i])) {
                return false;
            }
        }
        return true;
    }

    private static byte folded(byte octet) {
        return octet == '_' ? (byte) '-' : Octets.toLower(octet);
    }

    private static boolean isKnown(byte[] name) {
        FieldName known = FieldName.find(name, 0, name.length);
        return known != null
                && known != FieldName.ALLOW
                && known != FieldName.CONTENT_TYPE
                && known != FieldName.DATE
                && known != FieldName.REFERER
                && known != FieldName.RETRY_AFTER
                && known != FieldName.USER_AGENT;
    }

    private static boolean isAmong(byte[][] names, byte[] name) {
        for (byte[] candidate : names) {
            if (Octets.equalsIgnoreCase(name, 0, name.length, candidate)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasPrefix(byte[] name) {
        for (byte[] prefix : PREFIXES) {
            if (name.length > prefix.length && Octets.equalsIgnoreCase(name, 0, prefix.length, prefix)) {
                return true;
            }
        }
        return false;
    }
}

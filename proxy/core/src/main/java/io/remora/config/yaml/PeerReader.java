package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.text.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the networks and the identities of peers, wherever they stand. Loaded only where they are configured. */
public final class PeerReader {
    private static final int V4_BITS = 32;
    private static final int V6_BITS = 128;
    private static final int MAX_IDENTITY_CHARS = 2_048;
    private static final String SPIFFE = "spiffe://";
    /** Stands in a configuration that will not be used for an identity that has been reported. */
    private static final String REPORTED = "";

    private PeerReader() {}

    /** Reads a network. No bit behind the prefix may be set, because such a text was meant as another network. */
    public static String cidr(Node node, Problems problems) {
        String text = node.kind == Node.Kind.TEXT ? node.text : "";
        int slash = text.indexOf('/');
        IpAddress address = new IpAddress();
        if (!address.parse(slash < 0 ? text : text.substring(0, slash))) {
            problems.at(
                    node, "network is " + node.quoted() + ", expected one such as 10.0.0.0/8, fd00::/8 or 10.1.2.3");
            return "";
        }
        if (slash < 0) {
            return text;
        }
        int bits = text.indexOf(':') < 0 ? V4_BITS : V6_BITS;
        int length = length(text, slash + 1);
        if (length < 0 || length > bits) {
            problems.at(
                    node, "network " + node.quoted() + " has no prefix, expected 0 to " + bits + " after the slash");
            return "";
        }
        if (hasBitsBehind(address, V6_BITS - bits + length)) {
            problems.at(node, "network " + node.quoted() + " has bits set after its prefix, expected zeros");
        }
        return text;
    }

    private static int length(String text, int from) {
        int length = 0;
        for (int i = from; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9 || length > V6_BITS || length == 0 && i > from) {
                return -1;
            }
            length = length * 10 + digit;
        }
        return from == text.length() ? -1 : length;
    }

    private static boolean hasBitsBehind(IpAddress address, int length) {
        long inHigh = length >= 64 ? 0 : -1L >>> length;
        long inLow = length >= V6_BITS ? 0 : length <= 64 ? -1L : -1L >>> (length - 64);
        return (address.high() & inHigh) != 0 || (address.low() & inLow) != 0;
    }

    // ---- identities

    /** The identities under a key; none where it is not given. */
    public static List<String> identities(Section section, Key key, Problems problems) {
        if (!section.has(key)) {
            return List.of();
        }
        List<String> identities = new ArrayList<>();
        for (Node node : section.requiredList(key, "a list of at least one identity")) {
            identities.add(identity(node, problems));
        }
        return identities.isEmpty() ? List.of(REPORTED) : List.copyOf(identities);
    }

    /** An identity, or a pattern for some. */
    static String identity(Node node, Problems problems) {
        if (node.kind == Node.Kind.TEXT && isIdentity(node.text)) {
            // what certificates have of DNS names is in lower case by the time it is compared
            return node.text.indexOf(':') < 0 ? node.text.toLowerCase(Locale.ROOT) : node.text;
        }
        String expected = ", expected a URI, a DNS name, or spiffe://DOMAIN/PATH/* for all below a path";
        problems.at(node, "identity is " + node.quoted() + expected);
        return REPORTED;
    }

    private static boolean isIdentity(String text) {
        boolean prefix = text.endsWith("/*");
        String exact = prefix ? text.substring(0, text.length() - 2) : text;
        for (int i = 0; i < exact.length(); i++) {
            char character = exact.charAt(i);
            if (character <= ' ' || character > '~' || character == '*') {
                return false;
            }
        }
        if (exact.startsWith(SPIFFE)) {
            return isSpiffe(exact, prefix);
        }
        return !prefix && !exact.isEmpty() && exact.length() <= MAX_IDENTITY_CHARS;
    }

    /** A trust domain, and a path of segments behind it (SPIFFE-ID 2). */
    private static boolean isSpiffe(String text, boolean prefix) {
        int path = text.indexOf('/', SPIFFE.length());
        int end = path < 0 ? text.length() : path;
        for (int i = SPIFFE.length(); i < end; i++) {
            char character = text.charAt(i);
            boolean isName = character >= 'a' && character <= 'z' || character >= '0' && character <= '9';
            if (!isName && ".-_".indexOf(character) < 0) {
                return false;
            }
        }
        boolean hasPath = path >= 0 || prefix;
        return end > SPIFFE.length() && hasPath && text.length() <= MAX_IDENTITY_CHARS && !text.endsWith("/");
    }
}

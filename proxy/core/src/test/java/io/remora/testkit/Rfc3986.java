package io.remora.testkit;

import java.util.Locale;

/**
 * An independent reading of RFC 3986 for tests: its algorithms step by step, on strings, as the text has them, without a thought for cost.
 */
public final class Rfc3986 {
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private static final String HEX = "0123456789abcdefABCDEF";

    private Rfc3986() {}

    /** 6.2.2: letter case of triplets, then encoding, then dot segments. */
    public static String normalized(String path) {
        return withoutDotSegments(decoded(path));
    }

    private static boolean isTriplet(String text, int at) {
        boolean whole = text.charAt(at) == '%' && at + 2 < text.length();
        return whole && HEX.indexOf(text.charAt(at + 1)) >= 0 && HEX.indexOf(text.charAt(at + 2)) >= 0;
    }

    /** 6.2.2.1 and 6.2.2.2. */
    private static String decoded(String text) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            if (!isTriplet(text, at)) {
                out.append(text.charAt(at++));
                continue;
            }
            String triplet = text.substring(at, at + 3).toUpperCase(Locale.ROOT);
            String octet = String.valueOf((char) Integer.parseInt(triplet.substring(1), 16));
            out.append(UNRESERVED.contains(octet) ? octet : triplet);
            at += 3;
        }
        return out.toString();
    }

    /** 5.2.4, by its letters. */
    static String withoutDotSegments(String path) {
        String input = path;
        String output = "";
        while (!input.isEmpty()) {
            if (input.startsWith("../")) {
                input = input.substring(3);
            } else if (input.startsWith("./")) {
                input = input.substring(2);
            } else if (input.startsWith("/./")) {
                input = input.substring(2);
            } else if (input.equals("/.")) {
                input = "/";
            } else if (input.startsWith("/../")) {
                input = input.substring(3);
                output = output.substring(0, Math.max(output.lastIndexOf('/'), 0));
            } else if (input.equals("/..")) {
                input = "/";
                output = output.substring(0, Math.max(output.lastIndexOf('/'), 0));
            } else if (input.equals(".") || input.equals("..")) {
                input = "";
            } else {
                int end = input.indexOf('/', 1);
                end = end < 0 ? input.length() : end;
                output += input.substring(0, end);
                input = input.substring(end);
            }
        }
        return output;
    }

    /** How many kinds of servers {@link #resolved} knows. */
    public static final int HABITS = 32;

    /**
     * Resolves a path as a server does with habits of its own, by the bits of {@code habits}: it cuts parameters off (1), decodes all of
     * it once (2), takes backslashes for slashes (4), cuts off what has become a parameter (8), merges slashes (16).
     */
    public static String resolved(String path, int habits) {
        String text = (habits & 1) == 0 ? path : path.replaceAll(";[^/]*", "");
        text = (habits & 2) == 0 ? decoded(text) : whollyDecoded(text);
        text = (habits & 4) == 0 ? text : text.replace('\\', '/');
        text = (habits & 8) == 0 ? text : text.replaceAll(";[^/]*", "");
        text = (habits & 16) == 0 ? text : text.replaceAll("/+", "/");
        return withoutDotSegments(text);
    }

    private static String whollyDecoded(String text) {
        StringBuilder all = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            if (isTriplet(text, at)) {
                all.append((char) Integer.parseInt(text.substring(at + 1, at + 3), 16));
                at += 2;
            } else {
                all.append(text.charAt(at));
            }
        }
        return all.toString();
    }
}

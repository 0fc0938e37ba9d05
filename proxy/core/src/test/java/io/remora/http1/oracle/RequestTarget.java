package io.remora.http1.oracle;

import org.jspecify.annotations.Nullable;

/**
 * A request target taken apart: what the backend is asked for, and the authority where the target names one.
 *
 * <p>Spec: RFC 9112 section 3.2. The path and query are never decoded or normalised (RFC 9110 7.7); what may not stand
 * in a target is refused, not repaired.
 *
 * @param path origin-form with its query, or {@code *}
 * @param authority of an absolute-form target, null for the other forms
 */
public record RequestTarget(String path, @Nullable String authority) {
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";

    /**
     * @param method as received; only OPTIONS may ask for {@code *}
     * @return null where the target is not valid for the method
     */
    public static @Nullable RequestTarget parse(String target, String method) {
        if (target.isEmpty() || !hasOnlyTargetCharacters(target)) {
            return null;
        }
        if (target.charAt(0) == '/') {
            return new RequestTarget(target, null);
        }
        if (target.equals("*")) {
            return method.equals("OPTIONS") ? new RequestTarget(target, null) : null;
        }
        return parseAbsolute(target, method);
    }

    private static @Nullable RequestTarget parseAbsolute(String target, String method) {
        int start = target.regionMatches(true, 0, HTTP, 0, HTTP.length())
                ? HTTP.length()
                : target.regionMatches(true, 0, HTTPS, 0, HTTPS.length()) ? HTTPS.length() : -1;
        if (start < 0) {
            return null;
        }
        int end = start;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        String authority = target.substring(start, end);
        if (authority.isEmpty() || !HostField.isValid(authority)) {
            return null;
        }
        return new RequestTarget(pathOfAbsolute(target.substring(end), method), authority);
    }

    // RFC 9112 3.2.1 and 3.2.4: an empty path is sent as "/", or as "*" where OPTIONS asks about the whole server
    private static String pathOfAbsolute(String rest, String method) {
        if (rest.isEmpty()) {
            return method.equals("OPTIONS") ? "*" : "/";
        }
        return rest.charAt(0) == '?' ? "/" + rest : rest;
    }

    private static boolean hasOnlyTargetCharacters(String target) {
        for (int i = 0; i < target.length(); i++) {
            char character = target.charAt(i);
            if (character <= ' ' || character >= 0x7f || character == '#') {
                return false;
            }
        }
        return true;
    }
}

package io.remora.admin;

/** The parts of a request's target. Pure functions. Spec: RFC 9112 3.2. */
final class RequestTarget {
    private static final String SCHEME = "http://";

    private RequestTarget() {}

    /** The authority of a target in absolute form, which takes precedence over Host; empty for any other form. */
    static String authority(String target) {
        return absolute(target) ? target.substring(SCHEME.length(), authorityEnd(target)) : "";
    }

    /** The path without the query; empty if the target has no path. */
    static String path(String target) {
        int from = absolute(target) ? authorityEnd(target) : 0;
        int query = target.indexOf('?', from);
        return target.substring(from, query < 0 ? target.length() : query);
    }

    /** The value of a query parameter, not decoded; empty if there is none. */
    static String parameter(String target, String name) {
        int at = target.indexOf('?');
        while (at >= 0) {
            int end = target.indexOf('&', at + 1);
            if (target.startsWith(name + '=', at + 1)) {
                return target.substring(at + name.length() + 2, end < 0 ? target.length() : end);
            }
            at = end;
        }
        return "";
    }

    private static boolean absolute(String target) {
        return target.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    private static int authorityEnd(String target) {
        for (int at = SCHEME.length(); at < target.length(); at++) {
            char c = target.charAt(at);
            if (c == '/' || c == '?') {
                return at;
            }
        }
        return target.length();
    }
}

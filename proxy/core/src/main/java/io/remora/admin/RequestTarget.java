package io.remora.admin;

/** The parts of a request's target in origin form. Pure functions. Spec: RFC 9112 3.2.1. */
final class RequestTarget {
    private RequestTarget() {}

    /** The path without the query. */
    static String path(String target) {
        int query = target.indexOf('?');
        return target.substring(0, query < 0 ? target.length() : query);
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
}

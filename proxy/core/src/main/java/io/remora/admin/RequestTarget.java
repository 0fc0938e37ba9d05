package io.remora.admin;

import java.util.ArrayList;
import java.util.List;

/** The parts of a request's target in origin form. Pure functions. Spec: RFC 9112 3.2.1. */
final class RequestTarget {
    private RequestTarget() {}

    /** The path without the query. */
    static String path(String target) {
        int query = target.indexOf('?');
        return target.substring(0, query < 0 ? target.length() : query);
    }

    /** Returns the query's parameters as they came, each a name with its value; none without a query. */
    static List<String> parameters(String target) {
        List<String> parameters = new ArrayList<>(1);
        int at = target.indexOf('?');
        while (at >= 0) {
            int end = target.indexOf('&', at + 1);
            parameters.add(target.substring(at + 1, end < 0 ? target.length() : end));
            at = end;
        }
        return parameters;
    }

    /** The value of a query parameter, not decoded; empty if there is none. */
    static String parameter(String target, String name) {
        for (String parameter : parameters(target)) {
            if (parameter.startsWith(name + '=')) {
                return parameter.substring(name.length() + 1);
            }
        }
        return "";
    }
}

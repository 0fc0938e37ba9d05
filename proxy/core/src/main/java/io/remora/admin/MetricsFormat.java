package io.remora.admin;

import io.remora.http.FieldList;
import io.remora.http.FieldName;
import io.remora.http.Fields;

/**
 * Choice of the format of metrics by a scraper's request. Pure functions, loaded only where both formats are available.
 *
 * <p>Spec: RFC 9110 sections 12.4.2 and 12.5.1.
 */
final class MetricsFormat {
    static final String OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final FieldName ACCEPT = FieldName.of("Accept");
    private static final String OPEN_TYPE = "application/openmetrics-text";
    /** Ranges that the text format is in, the most specific one first, whose weight counts. */
    private static final String[] TEXT_TYPES = {"text/plain", "text/*", "*/*"};
    /** Weights have three digits after the point. */
    private static final int MOST = 1_000;

    private MetricsFormat() {}

    /**
     * Tells if the request names OpenMetrics, and not with a lower weight than the text format. A client that names
     * neither gets text.
     */
    static boolean isOpen(Fields fields) {
        int open = 0;
        int[] text = {-1, -1, -1};
        for (String range : FieldList.elements(fields, ACCEPT)) {
            int end = endOf(range, 0);
            String type = range.substring(0, end).trim();
            int weight = weight(range, end);
            if (type.equalsIgnoreCase(OPEN_TYPE) && isKnown(parameter(range, end, "version"))) {
                open = Math.max(open, weight);
            }
            for (int i = 0; i < text.length; i++) {
                text[i] = type.equalsIgnoreCase(TEXT_TYPES[i]) ? Math.max(text[i], weight) : text[i];
            }
        }
        int other = text[0] >= 0 ? text[0] : Math.max(text[1] >= 0 ? text[1] : text[2], 0);
        return open > 0 && open >= other;
    }

    private static boolean isKnown(String version) {
        return version.isEmpty() || version.equals("1.0.0");
    }

    private static int endOf(String range, int from) {
        int end = range.indexOf(';', from);
        return end < 0 ? range.length() : end;
    }

    /** The value of a parameter after the type, without its quotes; empty for none. */
    private static String parameter(String range, int from, String name) {
        for (int at = from; at < range.length(); at = endOf(range, at + 1)) {
            String one = range.substring(at + 1, endOf(range, at + 1)).trim();
            int equals = one.indexOf('=');
            if (equals > 0 && one.substring(0, equals).trim().equalsIgnoreCase(name)) {
                String value = one.substring(equals + 1).trim();
                boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
                return quoted ? value.substring(1, value.length() - 1) : value;
            }
        }
        return "";
    }

    /** Returns the weight in thousandths; an invalid weight counts as 0. */
    private static int weight(String range, int from) {
        String text = parameter(range, from, "q");
        if (text.isEmpty()) {
            return MOST;
        }
        int weight = 0;
        int unit = MOST;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.' ? i != 1 : c < '0' || c > '9' || unit == 0) {
                return 0;
            }
            if (c != '.') {
                weight += (c - '0') * unit;
                unit /= 10;
            }
        }
        return Math.min(weight, MOST);
    }
}

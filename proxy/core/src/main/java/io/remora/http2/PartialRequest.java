package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import org.jspecify.annotations.Nullable;

/**
 * The part of a refused request's head that could be read, for the access log: it goes nowhere else. Pure functions.
 *
 * <p>Bounds: a kilobyte of the target and of each field.
 */
final class PartialRequest {
    private static final int MOST_OCTETS = 1_024;
    private static final int MOST_METHOD = 32;
    private static final AsciiString[] LOGGED = {
        AsciiString.cached("referer"),
        AsciiString.cached("user-agent"),
        AsciiString.cached("traceparent"),
        AsciiString.cached("x-request-id")
    };

    private PartialRequest() {}

    static String method(@Nullable AsciiString method) {
        if (method == null || method.length() > MOST_METHOD || !FieldRules.isToken(method)) {
            return "-";
        }
        int from = method.arrayOffset();
        return Methods.of(method.array(), from, from + method.length());
    }

    static Octets cut(AsciiString text) {
        return FieldRules.octets(text.subSequence(0, Math.min(text.length(), MOST_OCTETS)));
    }

    static Fields logged(SectionLines lines) {
        Fields kept = new Fields();
        for (int i = 0; i < lines.count(); i++) {
            for (AsciiString name : LOGGED) {
                if (lines.name(i).equals(name) && FieldRules.isValue(lines.value(i))) {
                    kept.add(FieldName.of(name.toString()), cut(lines.value(i)).toString());
                }
            }
        }
        return kept;
    }
}

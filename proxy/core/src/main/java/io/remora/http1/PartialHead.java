package io.remora.http1;

import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The part of a refused request's head that could be read, for the access log: it goes nowhere else. Pure functions.
 *
 * <p>Bounds: a kilobyte of the target and of each field.
 */
final class PartialHead {
    private static final Octets NOTHING = Octets.of("-");
    private static final int MOST_OCTETS = 1_024;
    private static final int MOST_METHOD = 32;
    private static final byte[] OLD_VERSION = Octets.of(" HTTP/1.0").array;
    private static final FieldName[] LOGGED = {
        FieldName.REFERER, FieldName.USER_AGENT, FieldName.TRACEPARENT, FieldName.X_REQUEST_ID
    };

    private PartialHead() {}

    /**
     * @param start of the request line
     * @param fields that have been read, null for none
     */
    static Http1Request of(byte[] octets, int start, int end, @Nullable Fields fields) {
        int methodEnd = Octets.endOfToken(octets, start, end);
        boolean read =
                methodEnd > start && methodEnd < end && octets[methodEnd] == ' ' && methodEnd - start <= MOST_METHOD;
        int targetEnd = read ? endOfTarget(octets, methodEnd + 1, end) : start;
        boolean targeted = read && targetEnd > methodEnd + 1;
        return new Http1Request(
                read ? Methods.of(octets, start, methodEnd) : "-",
                targeted ? copy(octets, methodEnd + 1, targetEnd) : NOTHING,
                fields == null ? Octets.of("") : host(fields),
                !targeted || !isOld(octets, targetEnd, end),
                fields == null ? new Fields() : logged(fields),
                BodyLength.NONE,
                ConnectionOptions.CLOSE);
    }

    private static int endOfTarget(byte[] octets, int from, int end) {
        int at = from;
        while (at < end && octets[at] > ' ' && octets[at] != 0x7f) {
            at++;
        }
        return at;
    }

    private static boolean isOld(byte[] octets, int at, int end) {
        int to = at + OLD_VERSION.length;
        return to <= end && Arrays.equals(octets, at, to, OLD_VERSION, 0, OLD_VERSION.length);
    }

    private static Octets host(Fields fields) {
        String host = fields.get(FieldName.HOST);
        return Octets.of(host == null ? "" : cut(host));
    }

    private static Fields logged(Fields fields) {
        Fields kept = new Fields();
        for (FieldName name : LOGGED) {
            String value = fields.get(name);
            if (value != null) {
                kept.add(name, cut(value));
            }
        }
        return kept;
    }

    private static String cut(String value) {
        return value.length() <= MOST_OCTETS ? value : value.substring(0, MOST_OCTETS);
    }

    private static Octets copy(byte[] octets, int from, int to) {
        return Octets.of(Arrays.copyOfRange(octets, from, Math.min(to, from + MOST_OCTETS)));
    }
}

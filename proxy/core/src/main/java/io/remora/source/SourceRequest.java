package io.remora.source;

import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A question to a server: a GET. Immutable.
 *
 * @param host for the Host field
 * @param tokenField in which the token stands
 * @param token with what stands before it in the field; null for none
 */
record SourceRequest(
        String target,
        String host,
        String tokenField,
        @Nullable String token) {
    private static final String HEX = "0123456789ABCDEF";

    /** The head, new each time: it is changed when it is written. */
    RequestHead head() {
        Fields fields = new Fields();
        fields.set(FieldName.HOST, host);
        fields.set(FieldName.USER_AGENT, "remora");
        fields.set(FieldName.of("Accept"), "application/json");
        if (token != null) {
            fields.set(FieldName.of(tokenField), token);
        }
        return new RequestHead("GET", Octets.of(target), Octets.of(host), "1.1", fields, BodyLength.NONE);
    }

    /** The text as a part of a path or of a query (RFC 3986 2.1). */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (octet & 0xff);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (letter || c == '-' || c == '.' || c == '_' || c == '~') {
                escaped.append(c);
            } else {
                escaped.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return escaped.toString();
    }

    /** Returns the request without the token, so that no log can have it. */
    @Override
    public String toString() {
        return "GET " + target;
    }
}

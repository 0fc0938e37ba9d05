package io.remora.finagle;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestDtab;

/** Takes unjudged dtabs out of requests, because servers behind the endpoint may trust them. */
final class DtabFields {
    /** The prefix of the names that Finagle wrote before and still reads: X-Dtab-00-A. */
    private static final byte[] OLD = "x-dtab-".getBytes(US_ASCII);

    /** The field by which linkerd's proxies hand their dtabs on. */
    private static final FieldName CONTEXT = FieldName.of("l5d-ctx-dtab");

    private DtabFields() {}

    /**
     * @param judged whether those that a sidecar takes have been judged, and stay
     */
    static void strip(Fields fields, boolean judged) {
        fields.removePrefixed(OLD);
        fields.remove(CONTEXT);
        for (int i = 0; !judged && i < RequestDtab.FIELDS.size(); i++) {
            fields.remove(RequestDtab.FIELDS.get(i));
        }
    }
}

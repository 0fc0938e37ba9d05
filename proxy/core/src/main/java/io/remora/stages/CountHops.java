package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.MaxForwards;
import io.remora.http.RequestHead;
import io.remora.http.Rule;

/**
 * Counts Max-Forwards down, and answers OPTIONS and TRACE that may travel no further. TRACE is refused: a reflection
 * could show what the client must not see.
 *
 * <p>Spec: RFC 9110 section 7.6.2.
 */
public final class CountHops extends Stage {
    private static final String METHODS = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS";
    private static final int OK = 200;
    private static final int METHOD_NOT_ALLOWED = 405;

    @Override
    public boolean pass(StagedRequest exchange) {
        RequestHead head = exchange.head();
        long forwards = MaxForwards.of(head);
        if (forwards == MaxForwards.INVALID) {
            exchange.fail(Failure.BAD_REQUEST, Rule.MAX_FORWARDS);
            return false;
        }
        if (forwards == 0) {
            Fields fields = new Fields();
            fields.add(FieldName.ALLOW, METHODS);
            exchange.respond(head.method.equals("TRACE") ? METHOD_NOT_ALLOWED : OK, fields, null);
            return false;
        }
        if (forwards > 0) {
            MaxForwards.decrement(head, forwards);
        }
        return true;
    }
}

package io.remora.exchange;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.concurrent.TimeUnit;

/**
 * How long the caller says that it waits, and the field by which the next hop learns what is left of that.
 *
 * <p>Owner: the exchange.
 */
public final class CallerDeadline {
    private final FieldName field;
    private final boolean withUnit;
    final long waitsNs;

    /**
     * @param withUnit whether it was written with a unit, as what is passed on is then
     */
    public CallerDeadline(FieldName field, long waitsNs, boolean withUnit) {
        this.field = field;
        this.waitsNs = waitsNs;
        this.withUnit = withUnit;
    }

    /** Says in a request's fields what is left. */
    void tell(Fields fields, long leftNs) {
        long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs));
        fields.set(field, withUnit ? leftMs + "ms" : Long.toString(leftMs));
    }
}

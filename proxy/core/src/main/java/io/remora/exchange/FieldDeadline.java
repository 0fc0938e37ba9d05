package io.remora.exchange;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.concurrent.TimeUnit;

/** The caller's deadline as a field of the operator's choice has it. Owner: the exchange. */
public final class FieldDeadline extends CallerDeadline {
    private final FieldName field;
    private final boolean withUnit;

    /**
     * @param withUnit whether it was written with a unit, as what is passed on is then
     */
    public FieldDeadline(FieldName field, long waitsNs, boolean withUnit) {
        super(waitsNs);
        this.field = field;
        this.withUnit = withUnit;
    }

    @Override
    protected void say(Fields fields, long leftNs) {
        long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs));
        fields.set(field, withUnit ? leftMs + "ms" : Long.toString(leftMs));
    }
}

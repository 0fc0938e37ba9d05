package io.remora.stages;

import io.remora.exchange.FieldDeadline;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.WaitText;

/**
 * Learns from a field how long the caller waits. What cannot be read, and what stands there twice, says nothing and is passed on as
 * it is.
 */
public final class CallerWait extends Stage {
    private final FieldName field;

    public CallerWait(String field) {
        this.field = FieldName.of(field);
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Fields fields = exchange.head().fields;
        int at = fields.indexOf(field, 0);
        if (at >= 0 && fields.indexOf(field, at + 1) < 0) {
            String text = fields.value(at);
            long waitsNs = WaitText.ns(text);
            if (waitsNs != WaitText.NONE) {
                exchange.callerDeadline(new FieldDeadline(field, waitsNs, !WaitText.isPlain(text)));
            }
        }
        return true;
    }
}

package io.remora.feature.rewrite;

import io.remora.exchange.Filter;
import io.remora.exchange.StagedRequest;
import io.remora.http.ResponseHead;

/** Changes the fields of one exchange's response. */
final class ResponseEdits extends Filter {
    private final StagedRequest exchange;
    private final FieldEdits edits;

    ResponseEdits(StagedRequest exchange, FieldEdits edits) {
        this.exchange = exchange;
        this.edits = edits;
    }

    @Override
    public void responseHead(ResponseHead head) {
        edits.apply(head.fields, exchange);
    }
}

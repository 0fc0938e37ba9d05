package io.remora.feature.mirror;

import io.remora.http.FieldName;
import io.remora.http.RequestHead;

/** A request's head as its copy has it: the same as the endpoint gets, with a mark. */
final class MirroredHead extends RequestHead {
    private static final FieldName MARK = FieldName.of("Remora-Mirror");

    MirroredHead(RequestHead head, String route) {
        super(
                head.method,
                head.sentTarget(),
                head.sentAuthority(),
                head.protocol,
                head.fields.copy(),
                head.bodyLength());
        fields.set(MARK, route);
        // all of it is there when it is sent
        fields.remove(FieldName.EXPECT);
        if (head.takesTrailers()) {
            takeTrailers();
        }
        neverIndexAs(head);
    }
}

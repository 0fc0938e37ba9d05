package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestDtab;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the dtab from a request, which says where the name of its cluster leads. The fields stay in the request, as
 * they are for services behind the backend as well.
 */
public final class TakeDtab extends Stage {
    private final List<String> allowed;

    /**
     * @param allowed beginnings of the names that requests may delegate to
     */
    public TakeDtab(List<String> allowed) {
        this.allowed = allowed;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Fields fields = exchange.head().fields;
        List<String> texts = null;
        for (FieldName name : RequestDtab.FIELDS) {
            for (int at = fields.indexOf(name, 0); at >= 0; at = fields.indexOf(name, at + 1)) {
                texts = texts == null ? new ArrayList<>(1) : texts;
                texts.add(fields.value(at));
            }
        }
        if (texts != null) {
            exchange.requestDtab(new RequestDtab(texts, allowed));
        }
        return true;
    }
}

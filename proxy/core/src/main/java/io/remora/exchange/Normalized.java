package io.remora.exchange;

import io.remora.http.FieldList;
import io.remora.http.HopByHop;
import io.remora.http.Names;
import io.remora.http.RequestHead;
import io.remora.http.Upgrade;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request's fields made what the backend gets, and what they said before that is asked about later.
 *
 * <p>Order: upgrade and nominated names are read before the hop-by-hop fields that hold them go.
 *
 * @param upgrade whether the connection may turn into a tunnel
 * @param nominated names in the client's Connection field, which bind the trailers too
 * @param requestId null where the request has none
 */
record Normalized(
        boolean upgrade, List<String> nominated, @Nullable String requestId) {
    static final Normalized NOTHING = new Normalized(false, List.of(), null);

    /** Edits the head's fields in place. */
    static Normalized of(RequestHead head, ListenerContext context, String client, boolean http11) {
        boolean upgrade = Upgrade.isWanted(head, http11);
        List<String> nominated =
                head.facts.hasConnection() ? FieldList.elements(head.fields, Names.CONNECTION) : NOTHING.nominated;
        HopByHop.stripRequest(head);
        if (upgrade) {
            Upgrade.restore(head.fields);
        }
        if (!http11 && head.facts.expectsContinue()) {
            // RFC 9110 10.1.1: an expectation from HTTP/1.0 is ignored
            head.fields.remove(Names.EXPECT);
        }
        context.via().append(head.fields, http11);
        context.forwarding().apply(head, client);
        String requestId =
                context.requestIds().apply(head, context.config().headers().requestId());
        return new Normalized(upgrade, nominated, requestId);
    }
}

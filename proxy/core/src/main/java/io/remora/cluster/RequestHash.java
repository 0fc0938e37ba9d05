package io.remora.cluster;

import io.remora.balance.Draw;
import io.remora.balance.Hash;
import io.remora.http.CookiePairs;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.stream.StreamClient;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the part of a request that the cluster's configuration names, and so decides where the request goes. A request
 * without that part gets any number.
 *
 * <p>Owner: one event loop. Cost: one pass over what is hashed; no allocation.
 */
final class RequestHash {
    private final BalancerConfig.Hash of;
    private final FieldName field;
    /** The name of the cookie, null where the whole field is hashed. */
    private final byte @Nullable [] cookie;

    private final Draw draw;

    RequestHash(BalancerConfig config, Draw draw) {
        String name = config.hashName();
        boolean isCookie = config.hash() == BalancerConfig.Hash.COOKIE;
        this.of = config.hash();
        this.field = FieldName.of(isCookie || name == null ? "Cookie" : name);
        this.cookie = isCookie && name != null ? Octets.of(name).array : null;
        this.draw = draw;
    }

    long of(RequestHead head, StreamClient client) {
        return switch (of) {
            case PATH -> path(head.target);
            case CLIENT -> Hash.of(client.attributes().clientAddress());
            case HEADER, COOKIE -> field(head.fields);
            case NONE -> draw.next();
        };
    }

    private static long path(Octets target) {
        return Hash.of(target.array, target.start, RequestHead.endOfPath(target));
    }

    private long field(Fields fields) {
        for (int line = fields.indexOf(field, 0); line >= 0; line = fields.indexOf(field, line + 1)) {
            int from = fields.valueStart(line);
            int to = fields.valueEnd(line);
            if (cookie == null) {
                return Hash.of(fields.array(), from, to);
            }
            int value = CookiePairs.value(cookie, fields.array(), from, to);
            if (value >= 0) {
                return Hash.of(fields.array(), value, CookiePairs.end(fields.array(), value, to));
            }
        }
        return draw.next();
    }
}

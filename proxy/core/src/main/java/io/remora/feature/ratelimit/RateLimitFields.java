package io.remora.feature.ratelimit;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.concurrent.TimeUnit;

/**
 * Fields that tell a client of a limit. Loaded only where one is exceeded, or always told.
 *
 * <p>Spec: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4, of May 2026; Retry-After is RFC 9110 10.2.3. A
 * client of gRPC that repeats calls follows its own field, gRFC A6.
 */
final class RateLimitFields {
    static final FieldName POLICY = FieldName.of("RateLimit-Policy");
    static final FieldName LIMIT = FieldName.of("RateLimit");
    private static final FieldName PUSHBACK = FieldName.of("grpc-retry-pushback-ms");
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MS_NS = 1_000_000L;

    private RateLimitFields() {}

    static Fields of(RateLimitConfig limit, long waitNs, boolean grpc) {
        Fields fields = new Fields();
        fields.add(FieldName.RETRY_AFTER, Long.toString(seconds(waitNs)));
        fields.add(POLICY, policy(limit));
        fields.add(LIMIT, state(limit, 0, waitNs));
        if (grpc) {
            fields.add(PUSHBACK, Long.toString((waitNs + MS_NS - 1) / MS_NS));
        }
        return fields;
    }

    private static long seconds(long ns) {
        return (ns + SECOND_NS - 1) / SECOND_NS;
    }

    // of the characters that a name may have none needs an escape
    static String policy(RateLimitConfig limit) {
        return '"' + limit.name() + "\";q=" + limit.requests() + ";w=" + TimeUnit.NANOSECONDS.toSeconds(limit.perNs());
    }

    /**
     * @param left requests that pass at once
     * @param inNs in how long there are more; what a burst allows for beyond the quota is not told, as no window has as many
     */
    static String state(RateLimitConfig limit, long left, long inNs) {
        return '"' + limit.name() + "\";r=" + Math.min(left, limit.requests()) + ";t=" + seconds(inNs);
    }
}

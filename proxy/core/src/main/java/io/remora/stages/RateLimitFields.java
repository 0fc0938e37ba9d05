package io.remora.stages;

import io.remora.config.RateLimitConfig;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.concurrent.TimeUnit;

/**
 * What a client is told of the limit that has refused it. Loaded only where one is exceeded.
 *
 * <p>Spec: draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4, of May 2026; Retry-After is RFC 9110 10.2.3. A client of gRPC that
 * repeats calls goes by its own field, gRFC A6.
 */
final class RateLimitFields {
    private static final FieldName POLICY = FieldName.of("RateLimit-Policy");
    private static final FieldName LIMIT = FieldName.of("RateLimit");
    private static final FieldName PUSHBACK = FieldName.of("grpc-retry-pushback-ms");
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MS_NS = 1_000_000L;

    private RateLimitFields() {}

    static Fields of(RateLimitConfig limit, long waitNs, boolean grpc) {
        String seconds = Long.toString((waitNs + SECOND_NS - 1) / SECOND_NS);
        // of the characters that a name may have none needs an escape
        String name = '"' + limit.name() + '"';
        Fields fields = new Fields();
        fields.add(FieldName.RETRY_AFTER, seconds);
        fields.add(POLICY, name + ";q=" + limit.requests() + ";w=" + TimeUnit.NANOSECONDS.toSeconds(limit.perNs()));
        fields.add(LIMIT, name + ";r=0;t=" + seconds);
        if (grpc) {
            fields.add(PUSHBACK, Long.toString((waitNs + MS_NS - 1) / MS_NS));
        }
        return fields;
    }
}

package io.remora.feature.ratelimit;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.UnderscoredNames;
import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A rate limit as one event loop sees it: says which key a request has. Requests without one share a bucket: those whose client has no
 * address, and those in which the field is absent or stands more than once, an underscore taken for a hyphen, since the application may
 * take another of them than was counted here.
 *
 * <p>Owner: an event loop. Cost: no allocation.
 */
final class LoopLimiter {
    private static final byte[] NOTHING = {};
    private static final int HALF = 64;
    /** Number of clients with a cached hash of their address; a power of two. */
    private static final int KNOWN = 16;

    private final RateLimiter limiter;
    private final RateLimitConfig config;
    private final KeyHash hash;
    private final IpAddress address = new IpAddress();
    private final @Nullable String[] clients = new String[KNOWN];
    private final long[] hashes = new long[KNOWN];
    /** Null where the key is no field. */
    private final @Nullable FieldName field;

    private final long highMask;
    private final long lowMask;

    /** Hash of the key that was used last. */
    private long asked;

    /**
     * @param config as the snapshot has it, which may tell others of it than the one that the buckets began with
     */
    public LoopLimiter(RateLimiter limiter, RateLimitConfig config) {
        this.limiter = limiter;
        this.config = config;
        this.hash = limiter.hash();
        String name = config.header();
        this.field = name == null ? null : FieldName.of(name);
        this.highMask = mask(Math.min(config.ipv6Prefix(), HALF));
        this.lowMask = mask(Math.max(config.ipv6Prefix() - HALF, 0));
    }

    /** Returns so many ones, with zeros after them. */
    private static long mask(int ones) {
        return ones == 0 ? 0 : -1L << (HALF - ones);
    }

    public RateLimitConfig config() {
        return config;
    }

    /**
     * Takes a token for a request; tells how long to wait, 0 where it was taken.
     *
     * @param client its address, without brackets or port
     */
    public long take(Fields fields, String client, long nowNs) {
        return switch (config.by()) {
            case ALL -> limiter.take(nowNs);
            case CLIENT -> takeOf(ofClient(client), nowNs);
            case HEADER -> takeOf(ofField(fields), nowNs);
        };
    }

    private long takeOf(long hashed, long nowNs) {
        asked = hashed;
        return limiter.take(hashed, nowNs);
    }

    /** Returns the time until the bucket that was used last is full again. */
    public long fullInNs(long nowNs) {
        return config.by() == RateLimitConfig.By.ALL ? limiter.fullInNs(nowNs) : limiter.fullInNs(asked, nowNs);
    }

    /** Returns the number of requests that pass at once with a bucket that is full in {@code inNs}. */
    public long left(long inNs) {
        return limiter.left(inNs);
    }

    private long ofClient(String client) {
        // a client's next request has the same text, which has kept its hash
        int at = client.hashCode() & KNOWN - 1;
        if (client.equals(clients[at])) {
            return hashes[at];
        }
        long hashed = hashOf(client);
        // what is longer is no address, and would be kept alive
        if (client.length() <= IpAddress.LONGEST) {
            clients[at] = client;
            hashes[at] = hashed;
        }
        return hashed;
    }

    private long hashOf(String client) {
        if (!address.parse(client)) {
            return hash.of(NOTHING, 0, 0);
        }
        return address.isV4()
                ? hash.of(address.high(), address.low())
                : hash.of(address.high() & highMask, address.low() & lowMask);
    }

    private long ofField(Fields fields) {
        int at = field == null ? -1 : fields.indexOf(field, 0);
        if (field == null || at < 0 || hasTwin(fields, field, at)) {
            return hash.of(NOTHING, 0, 0);
        }
        return hash.of(fields.array(), fields.valueStart(at), fields.valueEnd(at));
    }

    private static boolean hasTwin(Fields fields, FieldName field, int at) {
        for (int i = 0; i < fields.size(); i++) {
            if (i != at && UnderscoredNames.isTwin(fields, i, field)) {
                return true;
            }
        }
        return false;
    }
}

package io.remora.dns;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answer of a server about a name: its records, or that there are none. Immutable. */
public final class DnsAnswer {
    private final List<DnsRecord> records;
    private final List<DnsRecord> additional;
    private final long ttlSeconds;
    private final boolean exists;
    private final @Nullable String alias;

    private DnsAnswer(
            List<DnsRecord> records,
            List<DnsRecord> additional,
            long ttlSeconds,
            boolean exists,
            @Nullable String alias) {
        this.records = records;
        this.additional = additional;
        this.ttlSeconds = ttlSeconds;
        this.exists = exists;
        this.alias = alias;
    }

    static DnsAnswer of(List<DnsRecord> records, List<DnsRecord> additional, long ttlSeconds) {
        return new DnsAnswer(records, additional, ttlSeconds, true, null);
    }

    static DnsAnswer ofNoSuchName() {
        return new DnsAnswer(List.of(), List.of(), Long.MAX_VALUE, false, null);
    }

    /** Creates an answer that says what the name is an alias of, and has no record of that target. */
    static DnsAnswer ofAlias(String target, long ttlSeconds) {
        return new DnsAnswer(List.of(), List.of(), ttlSeconds, true, target);
    }

    /** Returns the same answer, which holds no longer than the aliases that led to it. */
    DnsAnswer within(long mostSeconds) {
        return ttlSeconds <= mostSeconds ? this : new DnsAnswer(records, additional, mostSeconds, exists, alias);
    }

    /** False where the server says that the name does not exist, which holds for every type (RFC 8020). */
    public boolean exists() {
        return exists;
    }

    /** Null where the answer is whole. */
    @Nullable
    String alias() {
        return alias;
    }

    /** Returns the records of the type in question; empty where the name does not exist or has none. */
    public List<DnsRecord> records() {
        return records;
    }

    /** Returns for how long the records hold; {@link Long#MAX_VALUE} where there are none. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /**
     * Returns the addresses of a service's host that came with the answer; none where they need a question of their
     * own.
     */
    public DnsAnswer addressesOf(String target, DnsType type) {
        List<DnsRecord> found = new ArrayList<>();
        long ttl = Long.MAX_VALUE;
        for (DnsRecord record : additional) {
            if (record.is(type) && record.owner.equals(target)) {
                found.add(record);
                ttl = Math.min(ttl, record.ttlSeconds);
            }
        }
        return of(found, List.of(), ttl);
    }
}

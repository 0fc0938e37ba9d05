package io.remora.dns;

import java.util.ArrayList;
import java.util.List;

/** What a server says of a name: its records, or that there are none. Immutable. */
public final class DnsAnswer {
    private final List<DnsRecord> records;
    private final List<DnsRecord> additional;
    private final long ttlSeconds;

    DnsAnswer(List<DnsRecord> records, List<DnsRecord> additional, long ttlSeconds) {
        this.records = records;
        this.additional = additional;
        this.ttlSeconds = ttlSeconds;
    }

    /** Of the type that was asked for; empty where the name does not exist or has none. */
    public List<DnsRecord> records() {
        return records;
    }

    /** For how long they hold; {@link Long#MAX_VALUE} where there are none. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /** The addresses of a service's host that came with the answer; none where they have to be asked for. */
    public DnsAnswer addressesOf(String target, DnsType type) {
        List<DnsRecord> found = new ArrayList<>();
        long ttl = Long.MAX_VALUE;
        for (DnsRecord record : additional) {
            if (record.is(type) && record.owner.equals(target)) {
                found.add(record);
                ttl = Math.min(ttl, record.ttlSeconds);
            }
        }
        return new DnsAnswer(found, List.of(), ttl);
    }
}

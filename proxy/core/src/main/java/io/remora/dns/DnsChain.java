package io.remora.dns;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The records that a name leads to, over aliases where it is one. Immutable. Bounds: 16 aliases in a row. */
final class DnsChain {
    private static final int MAX_ALIASES = 16;

    private final List<DnsRecord> records;
    private final long ttlSeconds;
    private final @Nullable String target;

    private DnsChain(List<DnsRecord> records, long ttlSeconds, @Nullable String target) {
        this.records = records;
        this.ttlSeconds = ttlSeconds;
        this.target = target;
    }

    /**
     * @throws DnsException where aliases lead in a circle
     */
    static DnsChain of(List<DnsRecord> answers, String name, DnsType type) throws DnsException {
        String current = name;
        long ttlSeconds = Long.MAX_VALUE;
        for (int aliases = 0; aliases <= MAX_ALIASES; aliases++) {
            List<DnsRecord> found = new ArrayList<>();
            DnsRecord next = null;
            for (DnsRecord record : answers) {
                if (record.owner.equals(current)) {
                    if (record.is(type)) {
                        found.add(record);
                        ttlSeconds = Math.min(ttlSeconds, record.ttlSeconds);
                    } else if (record.is(DnsType.CNAME)) {
                        next = record;
                    }
                }
            }
            if (!found.isEmpty() || next == null) {
                return new DnsChain(found, ttlSeconds, aliases > 0 ? current : null);
            }
            ttlSeconds = Math.min(ttlSeconds, next.ttlSeconds);
            current = next.target();
        }
        throw new DnsException("too many aliases");
    }

    List<DnsRecord> records() {
        return records;
    }

    /** The shortest of all on the way. */
    long ttlSeconds() {
        return ttlSeconds;
    }

    /** The name at the end of the aliases; null where there are none. */
    @Nullable
    String target() {
        return target;
    }
}

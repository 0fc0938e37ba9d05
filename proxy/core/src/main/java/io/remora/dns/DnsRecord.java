package io.remora.dns;

import java.util.Arrays;

/**
 * One record of an answer. Immutable; nobody writes to its octets.
 *
 * <p>A class, because a record's own methods are put together from many others at their first call.
 */
public final class DnsRecord implements Comparable<DnsRecord> {
    private static final byte[] NONE = {};

    /** Owner of the record: a name in lower case, without the dot of the root. */
    final String owner;

    final int type;
    final long ttlSeconds;
    private final byte[] address;
    private final int priority;
    private final int weight;
    private final int port;
    private final String target;

    private DnsRecord(
            String owner,
            int type,
            long ttlSeconds,
            byte[] address,
            int priority,
            int weight,
            int port,
            String target) {
        this.owner = owner;
        this.type = type;
        this.ttlSeconds = ttlSeconds;
        this.address = address;
        this.priority = priority;
        this.weight = weight;
        this.port = port;
        this.target = target;
    }

    static DnsRecord ofAddress(String owner, int type, long ttlSeconds, byte[] address) {
        return new DnsRecord(owner, type, ttlSeconds, address, 0, 0, 0, "");
    }

    static DnsRecord ofAlias(String owner, long ttlSeconds, String target) {
        return new DnsRecord(owner, DnsType.CNAME.code, ttlSeconds, NONE, 0, 0, 0, target);
    }

    static DnsRecord ofService(String owner, long ttlSeconds, int priority, int weight, int port, String target) {
        return new DnsRecord(owner, DnsType.SRV.code, ttlSeconds, NONE, priority, weight, port, target);
    }

    boolean is(DnsType wanted) {
        return type == wanted.code;
    }

    /** Returns the address in an A or AAAA record, 4 or 16 octets. */
    public byte[] address() {
        return address.clone();
    }

    /** Returns the priority of an SRV record; lower ones are used first. */
    public int priority() {
        return priority;
    }

    /** Returns the weight of an SRV record, 0 or more. */
    public int weight() {
        return weight;
    }

    /** Returns the port of an SRV record. */
    public int port() {
        return port;
    }

    /** Returns the target of an SRV or CNAME record: a name in lower case, empty for the root. */
    public String target() {
        return target;
    }

    /** First what is used first: by priority, then the heavier one; what else there is makes the order the same each time. */
    @Override
    public int compareTo(DnsRecord other) {
        int order = Integer.compare(priority, other.priority);
        order = order == 0 ? Integer.compare(other.weight, weight) : order;
        order = order == 0 ? target.compareTo(other.target) : order;
        order = order == 0 ? Integer.compare(port, other.port) : order;
        return order == 0 ? Arrays.compareUnsigned(address, other.address) : order;
    }
}

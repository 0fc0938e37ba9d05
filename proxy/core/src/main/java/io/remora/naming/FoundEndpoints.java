package io.remora.naming;

import io.remora.dns.DnsAnswer;
import io.remora.dns.DnsRecord;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The endpoints that answers of DNS stand for, each once.
 *
 * <p>Owner: one look at a name. Bounds: 1,024; any beyond these are left out.
 */
final class FoundEndpoints implements Comparator<Endpoint> {
    static final int MAX_ENDPOINTS = 1_024;

    private final Described described = new Described();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final Map<String, Endpoint> known = new HashMap<>();

    boolean isFull() {
        return endpoints.size() >= MAX_ENDPOINTS;
    }

    boolean isEmpty() {
        return endpoints.isEmpty();
    }

    void add(DnsAnswer answer, int port, int weight, int priority) {
        for (DnsRecord record : sorted(answer)) {
            if (isFull()) {
                return;
            }
            Endpoint endpoint = described.of(address(record), port, weight, "", priority);
            if (known.putIfAbsent(endpoint.name(), endpoint) == null) {
                endpoints.add(endpoint);
            }
        }
    }

    /** Returns the endpoints by name: servers give their records in another order each time. */
    List<Endpoint> sorted() {
        endpoints.sort(this);
        return endpoints;
    }

    /**
     * Returns the records in an order of their own. Servers turn their records around: the ones that are left out, and
     * the one of two namesakes that counts, must not turn with them.
     */
    static List<DnsRecord> sorted(DnsAnswer answer) {
        List<DnsRecord> records = new ArrayList<>(answer.records());
        Collections.sort(records);
        return records;
    }

    private static InetAddress address(DnsRecord record) {
        try {
            return InetAddress.getByAddress(record.address());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not 4 or 16 octets", e);
        }
    }

    @Override
    public int compare(Endpoint one, Endpoint other) {
        return one.name().compareTo(other.name());
    }
}

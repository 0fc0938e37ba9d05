package io.remora.naming;

import io.remora.config.DnsSource;
import io.remora.dns.DnsAnswer;
import io.remora.dns.DnsClient;
import io.remora.dns.DnsException;
import io.remora.dns.DnsRecord;
import io.remora.dns.DnsType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One look at a name: its endpoints of this moment, always in the same order, and for how long they hold.
 *
 * <p>Owner: one thread, which it blocks. Bounds: 60 seconds; 1,024 endpoints, and as many hosts of services; what is beyond
 * is left out. Spec: RFC 2782 for services.
 */
final class DnsLookup implements Comparator<Endpoint> {
    static final int MAX_ENDPOINTS = 1_024;

    /** More than a name takes on which three servers are silent, and not that for each host of a service. */
    private static final long MAX_MS = 60_000;

    private final DnsSource source;
    private final DnsClient client;
    private final Described described = new Described();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final Map<String, Endpoint> known = new HashMap<>();
    private long ttlSeconds = Long.MAX_VALUE;

    DnsLookup(DnsSource source, DnsClient client) {
        this.source = source;
        this.client = client;
    }

    /**
     * Asks, and asks on where that is needed.
     *
     * @return none where DNS says that there are none
     * @throws DnsException where one of the questions has no answer: a part of the endpoints would pass for all
     */
    List<Endpoint> run() throws DnsException {
        return run(MAX_MS);
    }

    /** The same within a time. */
    List<Endpoint> run(long withinMs) throws DnsException {
        client.begin(withinMs);
        // all that is asked for is asked of one name before the next: two names are two applications
        for (String candidate : client.candidates(source.name())) {
            boolean found = source.isService() ? services(candidate) : addresses(null, candidate, source.port(), 1, 0);
            if (found) {
                break;
            }
        }
        endpoints.sort(this);
        return endpoints;
    }

    /** {@link Long#MAX_VALUE} where there is no endpoint. */
    long ttlSeconds() {
        return ttlSeconds;
    }

    /** Whether the name has any, be it one that says that there is none. */
    private boolean services(String name) throws DnsException {
        DnsAnswer services = client.ask(name, DnsType.SRV);
        ttlSeconds = Math.min(ttlSeconds, services.ttlSeconds());
        for (DnsRecord service : sorted(services)) {
            // the root says that there is no such service; a port of 0 is nobody's
            if (!service.target().isEmpty() && service.port() > 0 && endpoints.size() < MAX_ENDPOINTS) {
                boolean found =
                        addresses(services, service.target(), service.port(), service.weight(), service.priority());
                if (!found) {
                    // its address may come at any time
                    ttlSeconds = 0;
                }
            }
        }
        return !services.records().isEmpty();
    }

    /**
     * @param with an answer with which the addresses may have come, and to which the name belongs; null where it is one's own
     * @return whether the name has any
     */
    private boolean addresses(@Nullable DnsAnswer with, String name, int port, int weight, int priority)
            throws DnsException {
        DnsSource.Family family = source.family();
        boolean found = false;
        if (family != DnsSource.Family.IPV6) {
            found = add(ask(with, name, DnsType.A), port, weight, priority);
        }
        boolean wanted = family == DnsSource.Family.AUTO ? !found : family != DnsSource.Family.IPV4;
        if (wanted) {
            found |= add(ask(with, name, DnsType.AAAA), port, weight, priority);
        }
        return found;
    }

    private DnsAnswer ask(@Nullable DnsAnswer with, String name, DnsType type) throws DnsException {
        DnsAnswer came = with == null ? null : with.addressesOf(name, type);
        return came == null || came.records().isEmpty() ? client.ask(name, type) : came;
    }

    /** Whether there are any, known ones among them. */
    private boolean add(DnsAnswer answer, int port, int weight, int priority) {
        ttlSeconds = Math.min(ttlSeconds, answer.ttlSeconds());
        for (DnsRecord record : sorted(answer)) {
            if (endpoints.size() >= MAX_ENDPOINTS) {
                break;
            }
            Endpoint endpoint = described.of(address(record), port, weight, "", priority);
            if (known.putIfAbsent(endpoint.name(), endpoint) == null) {
                endpoints.add(endpoint);
            }
        }
        return !answer.records().isEmpty();
    }

    /** Servers turn their records around: what is left out, and which of two namesakes counts, must not turn with them. */
    private static List<DnsRecord> sorted(DnsAnswer answer) {
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

    /** By name: servers give their records in another order each time. */
    @Override
    public int compare(Endpoint one, Endpoint other) {
        return one.name().compareTo(other.name());
    }
}

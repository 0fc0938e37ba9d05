package io.remora.naming;

import io.remora.discovery.DnsSource;
import io.remora.discovery.DnsSource.Family;
import io.remora.dns.DnsAnswer;
import io.remora.dns.DnsClient;
import io.remora.dns.DnsException;
import io.remora.dns.DnsRecord;
import io.remora.dns.DnsType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One look at a name: its endpoints of this moment, always in the same order, and for how long they hold.
 *
 * <p>Where some questions have an answer and others have none, the endpoints are those of the answers, and {@link
 * KeptAnswers} stand in for those that are missing (RFC 4074).
 *
 * <p>Owner: one thread, which it blocks. Bounds: 60 seconds; 1,024 endpoints, and as many hosts of services; any beyond
 * these are left out. Spec: RFC 2782 for services.
 */
final class DnsLookup {
    /** More than a name takes on which three servers are silent, and not that for each host of a service. */
    private static final long MAX_MS = 60_000;

    private static final DnsType[] FAMILIES = {DnsType.A, DnsType.AAAA};

    private final DnsSource source;
    private final DnsClient client;
    private final KeptAnswers kept;
    private final @Nullable Early early;
    private final FoundEndpoints found = new FoundEndpoints();
    private long ttlSeconds = Long.MAX_VALUE;
    private @Nullable DnsException missing;

    /** A resolver that still has no answer, and would rather have a part of one soon. */
    interface Early {
        /** There are endpoints, and there may be more. */
        void some(List<Endpoint> endpoints);
    }

    /**
     * @param early learns of the first endpoints where the rest takes longer; null where no caller waits
     */
    DnsLookup(DnsSource source, DnsClient client, KeptAnswers kept, @Nullable Early early) {
        this.source = source;
        this.client = client;
        this.kept = kept;
        this.early = early;
    }

    /**
     * Asks, and asks on where that is needed.
     *
     * @return none where DNS says that there are none
     * @throws DnsException where there may be endpoints, and none is known
     */
    List<Endpoint> run() throws DnsException {
        return run(MAX_MS);
    }

    /** Looks the name up within a time. */
    List<Endpoint> run(long withinMs) throws DnsException {
        client.begin(withinMs);
        kept.begin();
        // all types are queried at one name before the next: two names are two applications
        for (String candidate : client.candidates(source.name())) {
            boolean has = source.isService() ? services(candidate) : addresses(null, candidate, source.port(), 1, 0);
            if (has) {
                break;
            }
        }
        if (missing != null && found.isEmpty()) {
            throw missing;
        }
        kept.end();
        return found.sorted();
    }

    /** {@link Long#MAX_VALUE} where there is no endpoint. */
    long ttlSeconds() {
        return ttlSeconds;
    }

    /** Why there may be more endpoints; empty where these are all. */
    String missing() {
        return missing == null ? "" : String.valueOf(missing.getMessage());
    }

    /** Adds the name's SRV records. Returns whether it has any, even one that says that there is no such service. */
    private boolean services(String name) throws DnsException {
        DnsAnswer services = client.answer(name, DnsType.SRV);
        ttlSeconds = Math.min(ttlSeconds, services.ttlSeconds());
        for (DnsRecord service : FoundEndpoints.sorted(services)) {
            // the root says that there is no such service; a port of 0 is nobody's
            if (!service.target().isEmpty() && service.port() > 0 && !found.isFull()) {
                host(services, service);
            }
        }
        return !services.records().isEmpty();
    }

    private void host(DnsAnswer services, DnsRecord service) {
        String name = service.target();
        try {
            if (!addresses(services, name, service.port(), service.weight(), service.priority())) {
                // its address may come at any time
                ttlSeconds = 0;
            }
        } catch (DnsException e) {
            for (DnsType type : FAMILIES) {
                failed(name, type, e, service.port(), service.weight(), service.priority());
            }
        }
    }

    /**
     * @param with an answer with which the addresses may have come, and to which the name belongs; null where it is one's own
     * @return whether the name has any
     * @throws DnsException where it may have some, and none is known
     */
    private boolean addresses(@Nullable DnsAnswer with, String name, int port, int weight, int priority)
            throws DnsException {
        HostAddresses host = new HostAddresses(client, with, name);
        ask(host, name, port, weight, priority);
        boolean has = host.has(DnsType.A) || host.has(DnsType.AAAA);
        for (DnsType type : FAMILIES) {
            DnsException failure = host.failure(type);
            if (failure != null && !has) {
                throw failure;
            }
        }
        for (DnsType type : FAMILIES) {
            DnsAnswer answer = host.answer(type);
            DnsException failure = host.failure(type);
            if (answer != null) {
                kept.answered(name, type, answer);
                ttlSeconds = Math.min(ttlSeconds, answer.ttlSeconds());
                found.add(answer, port, weight, priority);
            } else if (failure != null) {
                failed(name, type, failure, port, weight, priority);
            }
        }
        return has;
    }

    private void ask(HostAddresses host, String name, int port, int weight, int priority) {
        Family family = source.family();
        if (family == Family.BOTH) {
            Early waiting = source.isService() ? null : early;
            host.askBoth(
                    waiting == null
                            ? null
                            : new HostAddresses.Early() {
                                @Override
                                public void some(DnsAnswer answer) {
                                    FoundEndpoints some = new FoundEndpoints();
                                    some.add(answer, port, weight, priority);
                                    waiting.some(some.sorted());
                                }
                            });
            return;
        }
        host.ask(family == Family.IPV6 ? DnsType.AAAA : DnsType.A);
        boolean isOpen = family == Family.AUTO && !host.has(DnsType.A) && !host.isDenied();
        // IPv4 addresses that have been there are likelier to serve than IPv6 addresses that were never wanted
        boolean isKept = host.failure(DnsType.A) != null && kept.insteadOf(name, DnsType.A, System.nanoTime()) != null;
        if (isOpen && !isKept) {
            host.ask(DnsType.AAAA);
        }
    }

    /** Notes a question without an answer; its last answer stands in for one. */
    private void failed(String name, DnsType type, DnsException why, int port, int weight, int priority) {
        missing = missing == null ? why : missing;
        DnsAnswer last = kept.insteadOf(name, type, System.nanoTime());
        if (last != null) {
            found.add(last, port, weight, priority);
        }
    }
}

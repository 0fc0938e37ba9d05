package io.remora.source;

import io.remora.discovery.DnsSource.Family;
import io.remora.naming.Described;
import io.remora.naming.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The EndpointSlices of one service, joined: an endpoint may stand in several, and in each slice are those of one kind of address.
 *
 * <p>Owner: the source's thread. Bounds: {@link Places#MAX_ENDPOINTS}, and as many slices.
 */
final class Slices {
    private final @Nullable String port;
    private final Family family;
    private final Described described = new Described();
    /** Slices by name, in an order that does not change. */
    private final TreeMap<String, Slice> slices = new TreeMap<>();

    private int members;

    Slices(@Nullable String port, Family family) {
        this.port = port;
        this.family = family;
    }

    void clear() {
        slices.clear();
        members = 0;
    }

    void put(Slice slice) throws IOException {
        remove(slice.name);
        slices.put(slice.name, slice);
        members += slice.members.size();
        if (members > Places.MAX_ENDPOINTS || slices.size() > Places.MAX_ENDPOINTS) {
            throw new SourceException("more than " + Places.MAX_ENDPOINTS + " endpoints");
        }
    }

    void remove(String name) {
        Slice gone = slices.remove(name);
        if (gone != null) {
            members -= gone.members.size();
        }
    }

    /** Tells if there are endpoints, none of them with the wanted port. */
    boolean lacksPort() {
        boolean lacks = false;
        for (Slice slice : slices.values()) {
            if (slice.hasAddresses() && !slice.members.isEmpty()) {
                if (slice.port(port) > 0) {
                    return false;
                }
                lacks = true;
            }
        }
        return lacks;
    }

    /** Returns the endpoints that are ready, or, where none is, those that still serve while they end. */
    List<Endpoint> endpoints() {
        List<Endpoint> ready = endpoints(true);
        return ready.isEmpty() ? endpoints(false) : ready;
    }

    private List<Endpoint> endpoints(boolean ready) {
        Map<String, Endpoint> found = new TreeMap<>();
        if (family != Family.IPV6) {
            add(found, ready, false);
        }
        boolean wanted = family == Family.AUTO ? found.isEmpty() : family != Family.IPV4;
        if (wanted) {
            add(found, ready, true);
        }
        return new ArrayList<>(found.values());
    }

    private void add(Map<String, Endpoint> found, boolean ready, boolean ipV6) {
        for (Slice slice : slices.values()) {
            int number = slice.hasAddresses() && slice.isIpV6() == ipV6 ? slice.port(port) : 0;
            for (int i = 0; number > 0 && i < slice.members.size(); i++) {
                Slice.Member member = slice.members.get(i);
                if (ready ? member.ready : member.leaving) {
                    Endpoint endpoint = described.of(member.address, number, 1, member.zone, 0);
                    found.putIfAbsent(endpoint.name(), endpoint);
                }
            }
        }
    }
}

package io.remora.naming;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Endpoints with their metadata from a source: the one place that knows how that is kept.
 *
 * <p>Owner: one source. Bounds: one object for each set of zone and priority that it uses.
 */
public final class Described {
    private final Map<String, Map<String, String>> shared = new HashMap<>();

    /**
     * @param zone empty for none
     * @param priority 0 for those that are used first
     */
    public Endpoint of(InetAddress address, int port, int weight, String zone, int priority) {
        String host = address.getHostAddress();
        String name = host.indexOf(':') < 0 ? host + ':' + port : '[' + host + "]:" + port;
        return of(name, new InetSocketAddress(address, port), Math.max(1, weight), zone, priority);
    }

    /** Returns an endpoint that has a name of its own. */
    Endpoint of(String name, SocketAddress address, int weight, String zone, int priority) {
        return new Endpoint(name, address, weight, metadata(zone, priority));
    }

    private Map<String, String> metadata(String zone, int priority) {
        if (zone.isEmpty() && priority == 0) {
            return Map.of();
        }
        String key = priority + "/" + zone;
        Map<String, String> known = shared.get(key);
        if (known == null) {
            String number = Integer.toString(priority);
            known = zone.isEmpty()
                    ? Map.of(Endpoint.PRIORITY, number)
                    : Map.of(Endpoint.ZONE, zone, Endpoint.PRIORITY, number);
            shared.put(key, known);
        }
        return known;
    }

    /** Returns whether two answers name the same endpoints with the same weights and metadata, in the same order. */
    static boolean areSame(List<Endpoint> some, List<Endpoint> others) {
        boolean same = some.size() == others.size();
        for (int i = 0; same && i < some.size(); i++) {
            Endpoint one = some.get(i);
            Endpoint other = others.get(i);
            same = one.name().equals(other.name())
                    && one.weight() == other.weight()
                    && one.metadata().equals(other.metadata());
        }
        return same;
    }

    /** Returns the answer itself, or the one before where that is the same. */
    public static Addr settled(Addr before, List<Endpoint> endpoints) {
        return settled(before, endpoints, "");
    }

    /**
     * Returns the answer itself, which may be a part, or the one before where that is the same.
     *
     * @param missing as in {@link Addr.Bound}
     */
    static Addr settled(Addr before, List<Endpoint> endpoints, String missing) {
        if (endpoints.isEmpty()) {
            return before instanceof Addr.Empty ? before : new Addr.Empty();
        }
        boolean same = before instanceof Addr.Bound bound
                && areSame(bound.endpoints(), endpoints)
                && bound.missing().equals(missing);
        return same ? before : new Addr.Bound(List.copyOf(endpoints), missing);
    }
}

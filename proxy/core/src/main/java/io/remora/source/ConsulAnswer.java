package io.remora.source;

import io.remora.config.model.EndpointConfig;
import io.remora.json.JsonReader;
import io.remora.naming.Described;
import io.remora.naming.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service in an answer of Consul's health endpoint.
 *
 * <p>Owner: the source's thread. Bounds: {@link Places#MAX_ENDPOINTS}.
 */
final class ConsulAnswer {
    /** State of an instance, the worst of its checks. */
    private static final int PASSING = 0;

    private static final int WARNING = 1;
    private static final int CRITICAL = 2;

    private final boolean passingOnly;
    private final Places places = new Places();
    private final Described described = new Described();
    /** Endpoints by name, which puts them into an order. */
    private final TreeMap<String, Endpoint> endpoints = new TreeMap<>();
    /** Number of instances whose address is none. */
    private int nameless;

    private @Nullable String nodeAddress;
    private @Nullable String nodeZone;
    private @Nullable String metaZone;
    private @Nullable String address;
    private @Nullable String zone;
    private long port;
    private long passing;
    private long warning;
    private int state;

    ConsulAnswer(boolean passingOnly) {
        this.passingOnly = passingOnly;
    }

    List<Endpoint> read(JsonReader json) throws IOException {
        if (json.array()) {
            while (json.item()) {
                if (json.object()) {
                    instance(json);
                    add();
                }
            }
        }
        return new ArrayList<>(endpoints.values());
    }

    /** Returns the number of instances with a name instead of an address; such names are not resolved. */
    int nameless() {
        return nameless;
    }

    private void instance(JsonReader json) throws IOException {
        nodeAddress = null;
        nodeZone = null;
        metaZone = null;
        address = null;
        zone = null;
        port = 0;
        passing = 1;
        warning = 1;
        state = PASSING;
        for (String name = json.name(); name != null; name = json.name()) {
            switch (name) {
                case "Node" -> node(json);
                case "Service" -> service(json);
                case "Checks" -> checks(json);
                default -> json.skip();
            }
        }
    }

    private void node(JsonReader json) throws IOException {
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "Address" -> nodeAddress = json.text();
                    case "Meta" -> metaZone = member(json, "zone");
                    case "Locality" -> nodeZone = member(json, "Zone");
                    default -> json.skip();
                }
            }
        }
    }

    private void service(JsonReader json) throws IOException {
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "Address" -> address = json.text();
                    case "Port" -> port = json.whole(0);
                    case "Weights" -> weights(json);
                    case "Locality" -> zone = member(json, "Zone");
                    default -> json.skip();
                }
            }
        }
    }

    private void weights(JsonReader json) throws IOException {
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "Passing" -> passing = json.whole(1);
                    case "Warning" -> warning = json.whole(1);
                    default -> json.skip();
                }
            }
        }
    }

    private void checks(JsonReader json) throws IOException {
        if (json.array()) {
            while (json.item()) {
                String status = member(json, "Status");
                int given = status == null || status.equals("passing") ? PASSING : CRITICAL;
                state = Math.max(state, "warning".equals(status) ? WARNING : given);
            }
        }
    }

    /** The text of one member of an object. */
    private static @Nullable String member(JsonReader json, String wanted) throws IOException {
        String value = null;
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                if (name.equals(wanted)) {
                    value = json.text();
                } else {
                    json.skip();
                }
            }
        }
        return value;
    }

    private void add() throws IOException {
        long weight = state == PASSING ? passing : state == WARNING && !passingOnly ? warning : 0;
        if (weight <= 0 || port <= 0 || port > Places.MAX_PORT) {
            return;
        }
        InetAddress at = places.address(address == null || address.isEmpty() ? nodeAddress : address);
        if (at == null) {
            nameless++;
            return;
        }
        String where = zone != null ? zone : nodeZone != null ? nodeZone : metaZone;
        Endpoint endpoint =
                described.of(at, (int) port, (int) Math.min(weight, EndpointConfig.MAX_WEIGHT), Places.zone(where), 0);
        endpoints.put(endpoint.name(), endpoint);
        if (endpoints.size() > Places.MAX_ENDPOINTS) {
            throw new SourceException("more than " + Places.MAX_ENDPOINTS + " instances");
        }
    }
}

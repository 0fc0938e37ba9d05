package io.remora.source;

import io.remora.json.JsonReader;
import java.io.IOException;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Reader of EndpointSlices (discovery.k8s.io/v1), and of the Status that may come instead of one.
 *
 * <p>Owner: the source's thread. Bounds: {@link Places#MAX_ENDPOINTS} and as many ports in a slice.
 */
final class SliceReader {
    private final Places places = new Places();
    private @Nullable String address;
    private @Nullable String zone;
    private boolean ready;
    private boolean serving;
    private boolean terminating;
    private boolean servingKnown;

    Slice read(JsonReader json) throws IOException {
        Slice slice = new Slice();
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "metadata" -> metadata(json, slice);
                    case "addressType" -> slice.addressType = text(json);
                    case "endpoints" -> members(json, slice);
                    case "ports" -> ports(json, slice);
                    case "code" -> slice.code = json.whole(0);
                    case "message" -> slice.message = text(json);
                    default -> json.skip();
                }
            }
        }
        return slice;
    }

    private static String text(JsonReader json) throws IOException {
        String text = json.text();
        return text == null ? "" : text;
    }

    private static void metadata(JsonReader json, Slice slice) throws IOException {
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "name" -> slice.name = text(json);
                    case "resourceVersion" -> slice.version = text(json);
                    default -> json.skip();
                }
            }
        }
    }

    private void members(JsonReader json, Slice slice) throws IOException {
        slice.members.clear();
        if (json.array()) {
            while (json.item()) {
                if (json.object()) {
                    member(json);
                    add(slice);
                }
            }
        }
    }

    private void member(JsonReader json) throws IOException {
        address = null;
        zone = null;
        // what is not known counts as ready, and what is ready serves
        ready = true;
        servingKnown = false;
        terminating = false;
        for (String name = json.name(); name != null; name = json.name()) {
            switch (name) {
                case "addresses" -> firstAddress(json);
                case "conditions" -> conditions(json);
                case "zone" -> zone = json.text();
                default -> json.skip();
            }
        }
    }

    /** Keeps the first address, as all addresses of one endpoint are equally good. */
    private void firstAddress(JsonReader json) throws IOException {
        if (json.array()) {
            while (json.item()) {
                if (address == null) {
                    address = json.text();
                } else {
                    json.skip();
                }
            }
        }
    }

    private void conditions(JsonReader json) throws IOException {
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "ready" -> ready = json.flag(true);
                    case "serving" -> {
                        serving = json.flag(true);
                        servingKnown = true;
                    }
                    case "terminating" -> terminating = json.flag(false);
                    default -> json.skip();
                }
            }
        }
    }

    private void add(Slice slice) throws IOException {
        InetAddress at = places.address(address);
        if (at == null) {
            return;
        }
        boolean serves = servingKnown ? serving : ready;
        slice.members.add(new Slice.Member(at, Places.zone(zone), ready, serves && terminating));
        if (slice.members.size() > Places.MAX_ENDPOINTS) {
            throw new SourceException("more than " + Places.MAX_ENDPOINTS + " endpoints");
        }
    }

    private static void ports(JsonReader json, Slice slice) throws IOException {
        slice.ports.clear();
        if (json.array()) {
            while (json.item()) {
                if (json.object()) {
                    slice.ports.add(port(json));
                }
                if (slice.ports.size() > Places.MAX_ENDPOINTS) {
                    throw new SourceException("more than " + Places.MAX_ENDPOINTS + " ports");
                }
            }
        }
    }

    private static Slice.Port port(JsonReader json) throws IOException {
        Slice.Port port = new Slice.Port();
        for (String name = json.name(); name != null; name = json.name()) {
            switch (name) {
                case "name" -> port.name = text(json);
                case "port" -> port.number = number(json);
                case "protocol" -> {
                    String protocol = json.text();
                    port.isTcp = protocol == null || protocol.equals("TCP");
                }
                default -> json.skip();
            }
        }
        return port;
    }

    private static int number(JsonReader json) throws IOException {
        long number = json.whole(Slice.Port.ALL);
        return number > 0 && number <= Places.MAX_PORT || number == Slice.Port.ALL ? (int) number : 0;
    }
}

package io.remora.source;

import io.remora.config.model.LogComponent;
import io.remora.discovery.KubernetesSource;
import io.remora.json.JsonException;
import io.remora.json.JsonReader;
import io.remora.log.Log;
import io.remora.naming.Resolver;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of a service in Kubernetes: its EndpointSlices are listed once, and watched from there on.
 *
 * <p>Owner: its thread. Bounds: 8 MiB for a list and for each event. Spec: kubernetes.io/docs/reference/using-api/api-concepts.
 */
final class Kubernetes extends Source {
    /** Ten thousand endpoints fit. */
    private static final long MAX_OCTETS = 8 << 20;

    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(30);
    /** A watch that is cut sooner has failed. */
    private static final long LEAST_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int OK = 200;
    private static final int GONE = 410;

    private final String cluster;
    private final KubernetesSource source;
    private final String target;
    private final Slices slices;
    private final SliceReader reader = new SliceReader();
    /** Version up to which everything is known; null where it has to be listed. */
    private @Nullable String version;
    /** Set where a list from the server's cache suffices: it may be a little old, but costs next to nothing. */
    private boolean first = true;

    private boolean lacksPort;

    Kubernetes(
            String cluster,
            KubernetesSource source,
            String namespace,
            SourceClient client,
            Resolver.Watcher watcher,
            long seed) {
        super(client, watcher, seed);
        this.cluster = cluster;
        this.source = source;
        this.slices = new Slices(source.port(), source.family());
        this.target = "/apis/discovery.k8s.io/v1/namespaces/" + SourceRequest.escaped(namespace)
                + "/endpointslices?labelSelector="
                + SourceRequest.escaped("kubernetes.io/service-name=" + source.service());
    }

    @Override
    void ask() throws IOException {
        pace();
        String from = version;
        if (from == null) {
            list();
        } else {
            watch(from);
        }
    }

    // ---- the list

    private void list() throws IOException {
        try (CallBody answer = client.get(target + (first ? "&resourceVersion=0" : ""), ANSWER_NS)) {
            first = false;
            if (answer.status() != OK) {
                throw refusal(answer);
            }
            answer.deadline(ANSWER_NS);
            JsonReader json = new JsonReader(answer, MAX_OCTETS);
            slices.clear();
            String listed = json.document() && json.object() ? items(json) : null;
            if (listed == null || listed.isEmpty() || json.document()) {
                throw new SourceException("no list of EndpointSlices");
            }
            version = listed;
            tellAll();
        }
    }

    /** The version of the list. */
    private @Nullable String items(JsonReader json) throws IOException {
        String listed = null;
        for (String name = json.name(); name != null; name = json.name()) {
            switch (name) {
                case "metadata" -> listed = version(json);
                case "items" -> slices(json);
                default -> json.skip();
            }
        }
        return listed;
    }

    private static @Nullable String version(JsonReader json) throws IOException {
        String listed = null;
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                if (name.equals("resourceVersion")) {
                    listed = json.text();
                } else {
                    json.skip();
                }
            }
        }
        return listed;
    }

    private void slices(JsonReader json) throws IOException {
        if (json.array()) {
            while (json.item()) {
                slices.put(reader.read(json));
            }
        }
    }

    private void tellAll() {
        boolean lacks = slices.lacksPort();
        if (lacks && !lacksPort) {
            Log.warn(
                    LogComponent.CLUSTER,
                    "cluster " + cluster + ": the endpoints of " + source.service() + " have "
                            + (source.port() == null
                                    ? "several ports, and port does not say which"
                                    : "no port " + source.port()));
        }
        lacksPort = lacks;
        tell(slices.endpoints());
    }

    // ---- the watch

    private void watch(String from) throws IOException {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(source.watchNs());
        String query = "&watch=1&allowWatchBookmarks=true&resourceVersion=" + SourceRequest.escaped(from)
                + "&timeoutSeconds=" + seconds;
        try (CallBody events = client.get(target + query, ANSWER_NS)) {
            if (events.status() == GONE) {
                version = null;
                return;
            }
            if (events.status() != OK) {
                // the next tries come ever less often: a list each time would be more for a server that has too much
                throw refusal(events);
            }
            confirm();
            events.deadline(source.watchNs() + ANSWER_NS);
            follow(new JsonReader(events, MAX_OCTETS));
        }
    }

    private void follow(JsonReader json) throws IOException {
        long beganNs = System.nanoTime();
        try {
            while (version != null && json.document()) {
                event(json);
            }
        } catch (JsonException e) {
            version = null;
            throw e;
        } catch (SourceException e) {
            // what cuts a watch is often no more than a balancer's patience; the next one begins where this one stood
            version = e.isCut() ? version : null;
            if (!e.isCut() || isClosed() || System.nanoTime() - beganNs < LEAST_NS) {
                throw e;
            }
        }
    }

    private void event(JsonReader json) throws IOException {
        String type = "";
        Slice slice = new Slice();
        if (json.object()) {
            for (String name = json.name(); name != null; name = json.name()) {
                switch (name) {
                    case "type" -> type = text(json);
                    case "object" -> slice = reader.read(json);
                    default -> json.skip();
                }
            }
        }
        apply(type, slice);
    }

    private static String text(JsonReader json) throws IOException {
        String text = json.text();
        return text == null ? "" : text;
    }

    private void apply(String type, Slice slice) throws IOException {
        switch (type) {
            case "ADDED", "MODIFIED" -> {
                slices.put(slice);
                known(slice);
                tellAll();
            }
            case "DELETED" -> {
                slices.remove(slice.name);
                known(slice);
                tellAll();
            }
            case "BOOKMARK" -> {
                known(slice);
                confirm();
            }
            case "ERROR" -> {
                version = null;
                if (slice.code != GONE) {
                    throw new SourceException("the watch ends with an error " + slice.code + ": " + slice.message);
                }
            }
            default -> throw new SourceException("a watch with an event of an unknown type");
        }
    }

    private void known(Slice slice) throws IOException {
        if (slice.version.isEmpty()) {
            throw new SourceException("an event without a version");
        }
        version = slice.version;
    }

    /** Keeps everything known, which is as good as before: the next watch begins there. */
    @Override
    void forget() {}
}

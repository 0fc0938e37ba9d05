package io.remora.source;

import io.remora.config.model.LogComponent;
import io.remora.discovery.ConsulSource;
import io.remora.json.JsonReader;
import io.remora.log.Log;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The instances of a service in Consul, asked for by blocking queries: Consul holds each question until it has another answer,
 * or for a while.
 *
 * <p>Owner: its thread. Bounds: 8 MiB for an answer. Spec: developer.hashicorp.com/consul/api-docs/features/blocking.
 */
final class Consul extends Source {
    /** Ten thousand instances with some metadata fit. */
    private static final long MAX_OCTETS = 8 << 20;

    private static final long HEAD_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long BODY_NS = TimeUnit.SECONDS.toNanos(30);
    /** Share of a requested wait that Consul adds to it at most: a sixteenth. */
    private static final int JITTER_PARTS = 16;

    private static final int OK = 200;
    private static final int MAX_DIGITS = 19;
    private static final String NO_INDEX = "an answer without X-Consul-Index";

    private final String cluster;
    private final ConsulSource source;
    private final String target;
    /** Index of the last answer; 0 where the next one is to come at once. */
    private long index;

    private int nameless;

    Consul(String cluster, ConsulSource source, SourceClient client, Resolver.Watcher watcher, long seed) {
        super(client, watcher, seed);
        this.cluster = cluster;
        this.source = source;
        this.target = target(source);
    }

    private static String target(ConsulSource source) {
        StringBuilder target = new StringBuilder("/v1/health/service/")
                .append(SourceRequest.escaped(source.service()))
                .append('?')
                .append(source.passingOnly() ? "passing=1&" : "");
        if (source.datacenter() != null) {
            target.append("dc=")
                    .append(SourceRequest.escaped(source.datacenter()))
                    .append('&');
        }
        if (source.tag() != null) {
            target.append("tag=").append(SourceRequest.escaped(source.tag())).append('&');
        }
        return target.toString();
    }

    @Override
    void ask() throws IOException {
        pace();
        long waitNs = index == 0 ? 0 : source.waitNs() + source.waitNs() / JITTER_PARTS;
        String query =
                index == 0 ? "" : "index=" + index + "&wait=" + TimeUnit.NANOSECONDS.toMillis(source.waitNs()) + "ms";
        try (CallBody answer = client.get(target + query, waitNs + HEAD_NS)) {
            if (answer.status() != OK) {
                throw refusal(answer);
            }
            if (answer.isFiltered()) {
                throw new SourceException("the token may not read all of the service, or of its nodes");
            }
            answer.deadline(BODY_NS);
            long next = index(answer.index());
            ConsulAnswer instances = new ConsulAnswer(source.passingOnly());
            List<Endpoint> endpoints = read(instances, answer);
            // it began again, or it streams and leaves out what it refuses: a question that does not wait tells which
            boolean doubtful = index != 0 && (next < index || endpoints.isEmpty() || leavesOut(endpoints));
            // 0 would not be waited for
            index = doubtful ? 0 : Math.max(1, next);
            if (!doubtful) {
                warnOfNameless(instances.nameless());
                tell(endpoints);
            }
        }
    }

    private static List<Endpoint> read(ConsulAnswer instances, CallBody answer) throws IOException {
        JsonReader json = new JsonReader(answer, MAX_OCTETS);
        if (!json.document()) {
            throw new SourceException("an empty answer");
        }
        List<Endpoint> endpoints = instances.read(json);
        if (json.document()) {
            throw new SourceException("more than one JSON text in an answer");
        }
        return endpoints;
    }

    private void warnOfNameless(int instances) {
        if (instances != nameless) {
            nameless = instances;
            Log.warn(
                    LogComponent.CLUSTER,
                    "cluster " + cluster + ": " + nameless + " instances of " + source.service()
                            + " have no IP address; leaving them out");
        }
    }

    private static long index(@Nullable String text) throws IOException {
        if (text == null || text.isEmpty() || text.length() > MAX_DIGITS) {
            throw new SourceException(NO_INDEX);
        }
        long index = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                throw new SourceException(NO_INDEX);
            }
            index = index * 10 + c - '0';
        }
        // what has overflowed has gone backwards
        return index;
    }

    /** Resets the index, so that the next question has its answer at once. */
    @Override
    void forget() {
        index = 0;
    }
}

package io.remora.warmupkeys;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import java.util.List;

/**
 * Requests of the sidecar's own before it is ready. Immutable.
 *
 * @param requests for each way in which listeners take them
 * @param timeoutNs how long all of them may take together
 * @param gets that endpoints get as well
 */
public record WarmUpConfig(int requests, long timeoutNs, List<Get> gets) implements PlacedOption {
    public static final String NAME = "warm-up";

    public static final Option<WarmUpConfig> WARM_UP = Option.of(NAME);

    /**
     * Number of warm-up requests per protocol in use: HTTP/1.1 and HTTP/2, each with and without TLS. After 1,000
     * requests, the compiler has seen each method often enough.
     */
    public static final ValueKey<Integer> REQUESTS = Key.count(OperatorKeys.WARM_UP, "requests", 1, 100_000, 2_000);

    /** Maximum duration of the whole warm-up. After that, the sidecar logs a warning and becomes ready. */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(OperatorKeys.WARM_UP, "timeout", 10_000_000_000L);

    /**
     * GET requests to your endpoints after the synthetic requests, at most 64. They use the routes of a listener and
     * all features of the cluster. The sidecar logs a failed request, but becomes ready nevertheless.
     */
    public static final Key GETS = Key.optional(OperatorKeys.WARM_UP, "gets", Key.LIST);

    /** Name of the listener whose routes are used. Can be omitted if only one listener handles requests. */
    public static final Key GET_LISTENER = Key.optional(GETS, "listener", "name of a listener");

    /** Host field of the request. */
    public static final Key GET_HOST = Key.text(GETS, "host", "host, or host and port", "localhost");

    /** Path of the request, optionally with a query. Requests to this path must not have side effects. */
    public static final Key GET_PATH = Key.required(GETS, "path", "path");

    /** Number of times to send the request. */
    public static final ValueKey<Integer> GET_TIMES = Key.count(GETS, "times", 1, 10_000, 100);

    /**
     * A request that is made several times. Immutable.
     *
     * @param listener whose routes it follows
     * @param host with a port if there is one
     * @param path with a query if there is one
     */
    public record Get(String listener, String host, String path, int times) {}

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.put(REQUESTS, requests);
        out.put(TIMEOUT, timeoutNs);
        if (!gets.isEmpty()) {
            out.section(GETS);
        }
        for (Get get : gets) {
            out.item(GET_LISTENER, get.listener());
            out.text(GET_HOST, get.host());
            out.text(GET_PATH, get.path());
            out.put(GET_TIMES, get.times());
        }
    }
}

package io.remora.http2.config;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Limits;
import io.remora.config.model.Multiplexing;
import io.remora.config.model.Option;
import java.util.List;
import java.util.Locale;

/**
 * The HTTP/2 settings of connections to the endpoints of a cluster. There are none where only HTTP/1.1 is spoken.
 *
 * @param maxStreams of a connection at once, where the endpoint allows as many
 * @param windowBytes of a response that may be on its way, or wait for its client
 * @param keepAliveNs after so long without a frame a PING checks that the endpoint is there; {@link Limits#UNLIMITED}
 *     for never
 * @param neverIndexed lower-case names of a request's fields
 */
public record ClusterHttp2(Spoken spoken, int maxStreams, int windowBytes, long keepAliveNs, List<String> neverIndexed)
        implements Multiplexing, PlacedOption {
    /**
     * Maximum number of concurrent streams per connection, if the endpoint allows that many. For further requests, the
     * sidecar opens another connection. Together with {@code window}, it limits the memory that one endpoint connection
     * can use.
     */
    public static final ValueKey<Integer> MAX_STREAMS =
            Key.count(ClusterKeys.HTTP2, "max-streams", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Number of bytes of a response that can be in transit or wait for the client before the endpoint must stop
     * sending.
     */
    public static final ValueKey<Integer> WINDOW = Key.heldBytes(ClusterKeys.HTTP2, "window", 32 << 10);

    /**
     * Time without frames from the endpoint after which the sidecar sends a PING. If nothing arrives within the same
     * time again, the connection is closed. Off by default because each request has timeouts, and a connection on which
     * a request has timed out without data gets no further requests. Some servers also treat more than one PING in five
     * minutes as an attack.
     */
    public static final ValueKey<Long> KEEP_ALIVE = Key.durationOrOffNs(ClusterKeys.HTTP2, "keep-alive");

    /**
     * Names of request fields that are sensitive, at most 32. They are never indexed, in addition to {@code authorization},
     * {@code proxy-authorization}, {@code cookie} and {@code set-cookie}. See [http2.md](http2.md#sensitive-fields).
     */
    public static final Key NEVER_INDEXED = Key.optional(ClusterKeys.HTTP2, "never-indexed", NeverIndexed.TYPE);

    public static final Option<ClusterHttp2> HTTP2 = Option.of("http2");

    @Override
    public boolean alone() {
        return spoken == Spoken.HTTP2;
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.text(ClusterKeys.PROTOCOL, protocol());
        out.section(key);
        out.number(MAX_STREAMS, maxStreams);
        out.number(WINDOW, windowBytes);
        out.number(KEEP_ALIVE, keepAliveNs);
        out.unlessEmpty(NEVER_INDEXED, neverIndexed);
    }

    /** The choice between HTTP/2 and HTTP/1.1. */
    public enum Spoken {
        /** Always. */
        HTTP2,
        /** HTTP/2 where the endpoint chooses it by ALPN. */
        AUTO,
        /** HTTP/2 where the client has chosen it. */
        CLIENT
    }

    /** Returns the configuration's word for the protocol. */
    public String protocol() {
        return spoken.name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether an endpoint that is offered HTTP/2 may choose HTTP/1.1. */
    public boolean mayBeHttp1() {
        return spoken == Spoken.AUTO;
    }

    /** Returns whether each client's requests keep the version in which they came. */
    public boolean isAsClients() {
        return spoken == Spoken.CLIENT;
    }
}

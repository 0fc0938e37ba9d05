package io.remora.config.model;

import java.util.List;
import java.util.Locale;

/**
 * The HTTP/2 settings of connections to the endpoints of a cluster. There are none where only HTTP/1.1 is spoken.
 *
 * @param maxStreams of a connection at once, where the endpoint allows as many
 * @param windowBytes of a response that may be on its way, or wait for its client
 * @param keepAliveNs after so long without a frame a PING checks that the endpoint is there; {@link Limits#UNLIMITED}
 *     for never
 */
public record ClusterHttp2(Spoken spoken, int maxStreams, int windowBytes, long keepAliveNs) {
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

    /**
     * Returns the protocols that endpoints with TLS are offered; where the client decides, those for a client of
     * HTTP/1.
     */
    public List<String> alpn() {
        return switch (spoken) {
            case HTTP2 -> List.of("h2");
            case AUTO -> List.of("h2", "http/1.1");
            case CLIENT -> List.of("http/1.1");
        };
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

package io.remora.config.model;

/** The part of the sidecar that a log line is about, each with a level of its own. */
public enum LogComponent {
    /** The process: start, drain, end, the configuration, and whatever is no other part's. */
    PROCESS,
    /** Listeners and connections of clients. */
    LISTENER,
    /** Clusters, their endpoints, and where these come from. */
    CLUSTER,
    /** Handshakes and key material, on both sides. */
    TLS,
    /** Memory limits. */
    MEMORY,
    /** Log lines of Netty. */
    NETTY,
    /** Log lines of Finagle, and of the engine on it. */
    FINAGLE
}

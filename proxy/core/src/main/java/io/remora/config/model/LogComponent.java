package io.remora.config.model;

/** The part of the sidecar that a log line is about, each with a level of its own. */
public enum LogComponent {
    /** Log lines of the process: start, drain, end, the configuration, and all that belongs to no other part. */
    PROCESS,
    /** Log lines of listeners and connections of clients. */
    LISTENER,
    /** Log lines of clusters, their endpoints, and the sources of these. */
    CLUSTER,
    /** Log lines of handshakes and key material, on both sides. */
    TLS,
    /** Log lines of memory limits. */
    MEMORY,
    /** Log lines of Netty. */
    NETTY,
    /** Log lines of Finagle, and of the engine on it. */
    FINAGLE
}

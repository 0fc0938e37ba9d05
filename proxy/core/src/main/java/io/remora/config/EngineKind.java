package io.remora.config;

/** Who carries out attempts at clusters. */
public enum EngineKind {
    /** Remora's own packages. */
    NETTY,
    /** Finagle's client stack, whose jars stand beside the sidecar's where it is asked for. */
    FINAGLE
}

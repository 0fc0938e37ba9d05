package io.remora.feature.tracing;

/** The callers whose word on whether a trace is recorded is taken. */
public enum TrustedParent {
    TRUSTED,
    EVERYONE,
    NOBODY
}

package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How requests are traced.
 *
 * @param propagation the forms in which a trace is told to backends; the first one that a request has is believed
 * @param sampleMillionths of the traces of which nobody believed has decided
 * @param failures whether an exchange that fails is recorded though its trace is not
 * @param parent whose word on whether a trace is recorded is taken
 * @param service what spans call the sidecar
 */
public record TracingConfig(
        List<Propagation> propagation,
        int sampleMillionths,
        boolean failures,
        Parent parent,
        String service,
        TraceExportConfig export) {
    /** All of them. */
    public static final int EVERY = 1_000_000;

    /** How fields tell of a trace. */
    public enum Propagation {
        W3C("w3c"),
        B3("b3"),
        B3_MULTI("b3-multi");

        public final String text;

        Propagation(String text) {
            this.text = text;
        }
    }

    /** Whose word is taken. */
    public enum Parent {
        TRUSTED,
        EVERYONE,
        NOBODY
    }

    // a record's own would have the JDK generate classes, at a reload of each sidecar that has one
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TracingConfig that
                && propagation.equals(that.propagation)
                && sampleMillionths == that.sampleMillionths
                && failures == that.failures
                && parent == that.parent
                && service.equals(that.service)
                && export.equals(that.export);
    }

    @Override
    public int hashCode() {
        return 31 * propagation.hashCode() + export.hashCode();
    }
}

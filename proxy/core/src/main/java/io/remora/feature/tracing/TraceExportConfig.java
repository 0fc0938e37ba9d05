package io.remora.feature.tracing;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the export of spans.
 *
 * @param cluster the collector
 * @param queueBytes of encoded spans that may wait on one event loop; further ones are dropped and counted
 * @param intervalNs for which spans are gathered before they are sent
 * @param timeoutNs from the beginning of a delivery until it has failed
 */
public record TraceExportConfig(
        Format format, String cluster, String path, String host, int queueBytes, long intervalNs, long timeoutNs) {
    /** Format of encoded spans. */
    public enum Format {
        OTLP("/v1/traces"),
        ZIPKIN("/api/v2/spans");

        public final String path;

        Format(String path) {
            this.path = path;
        }
    }

    // a record's own would have the JDK generate classes, at a reload of each sidecar that has one
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TraceExportConfig that
                && format == that.format
                && cluster.equals(that.cluster)
                && path.equals(that.path)
                && host.equals(that.host)
                && queueBytes == that.queueBytes
                && intervalNs == that.intervalNs
                && timeoutNs == that.timeoutNs;
    }

    @Override
    public int hashCode() {
        return 31 * cluster.hashCode() + path.hashCode();
    }
}

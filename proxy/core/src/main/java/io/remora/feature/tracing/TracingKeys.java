package io.remora.feature.tracing;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ValueKey;
import io.remora.feature.tracing.TraceExportConfig.Format;

/** The keys of {@code tracing}, in the order of the page. Loaded only where they are configured. */
public final class TracingKeys {
    /** Distributed tracing. If it is off, trace fields are forwarded unchanged. See [tracing.md](tracing.md). */
    public static final Key TRACING = Key.mappingOrOff(null, Tracing.NAME);

    /**
     * Formats of trace context that the sidecar reads and sends; the default is {@code [w3c]}. {@code w3c} uses
     * traceparent and tracestate, {@code b3} uses the b3 field, and {@code b3-multi} uses the X-B3-* fields. The
     * sidecar continues the trace from the first format that a request contains, and sends all listed formats to
     * backends. Fields of other formats are forwarded unchanged.
     */
    public static final Key PROPAGATION = Key.optional(TRACING, "propagation", "list of `w3c`, `b3` and `b3-multi`");

    /**
     * Fraction of traces to record if no trusted peer has made the decision, with at most six decimal places. The
     * decision depends on the trace ID, so that sidecars with the same fraction record the same traces.
     */
    public static final Key SAMPLE = Key.text(TRACING, "sample", "`0` to `1`", "0.01");

    /**
     * Records all exchanges that fail or have a response status of 500 or above. Because a failure is only known at the
     * end of an exchange, services behind the sidecar do not record their spans.
     */
    public static final Choice<Boolean> FAILURES = Key.flag(TRACING, "failures", false);

    /**
     * Peers whose sampled flag is trusted: the peers in {@code listeners[].trust}, everyone, or nobody. Trace IDs are
     * always continued. A client that can set the flag can cause every request to be recorded.
     */
    public static final Choice<TrustedParent> PARENT =
            new Choice<>(TRACING, "parent", TrustedParent.values(), TrustedParent.TRUSTED);

    /** Service name in spans. Use the name of the service that the sidecar belongs to. */
    public static final Key SERVICE = Key.text(TRACING, "service", "name", "remora");

    /** Destination and delivery of spans. */
    public static final Key EXPORT = Key.required(TRACING, "export", Key.MAPPING);

    /** Encoding of spans: OTLP over HTTP with JSON, or Zipkin v2 JSON. */
    public static final Choice<Format> FORMAT = new Choice<>(EXPORT, "format", Format.values(), Format.OTLP);

    /** Name of the collector cluster. */
    public static final Key CLUSTER = Key.required(EXPORT, "cluster", "name of a cluster");

    /**
     * Request path at the collector. The default is {@code /v1/traces}, or {@code /api/v2/spans} with {@code format:
     * zipkin}.
     */
    public static final Key PATH = Key.optional(EXPORT, "path", "path");

    /** Host field of requests to the collector. Defaults to the cluster name. */
    public static final Key HOST = Key.optional(EXPORT, "host", "host");

    /**
     * Maximum size of the encoded spans that wait on one event loop. The same amount can be in delivery at the same
     * time. Further spans are dropped and counted. The default holds about 400 spans.
     */
    public static final ValueKey<Integer> QUEUE = Key.bytes(EXPORT, "queue", 4 << 10, 16 << 20, 256 << 10);

    /** Time to collect spans before they are sent. If almost a quarter of the queue is used, they are sent immediately. */
    public static final ValueKey<Long> INTERVAL = Key.durationNs(EXPORT, "interval", 1_000_000_000L);

    /** Timeout for a delivery. If a delivery fails, its spans are dropped and counted. */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(EXPORT, "timeout", 5_000_000_000L);

    private TracingKeys() {}
}

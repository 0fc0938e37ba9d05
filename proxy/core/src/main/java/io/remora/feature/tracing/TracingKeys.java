package io.remora.feature.tracing;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.feature.tracing.TraceExportConfig.Format;

/** The keys of {@code tracing}, in the order of the page. Loaded only where they are configured. */
public final class TracingKeys {
    /**
     * Spans of exchanges, and the fields by which they belong to a trace. While it is off, such fields pass as they come. See
     * [tracing.md](tracing.md).
     */
    public static final Key TRACING = Key.mappingOrOff(null, Tracing.NAME);

    /**
     * The forms in which traces are told to backends, {@code [w3c]} by default: {@code w3c} is traceparent and tracestate, {@code b3} the
     * field b3, and {@code b3-multi} the fields X-B3-*. A request continues the trace of the first form that it has; backends get all of
     * them. Fields of other forms pass as they come.
     */
    public static final Key PROPAGATION = Key.optional(TRACING, "propagation", "list of `w3c`, `b3` and `b3-multi`");

    /**
     * The share of traces that is recorded where no believed peer has decided, with at most six digits behind the point. It goes by the trace's
     * id, so that sidecars with the same share choose the same traces.
     */
    public static final Key SAMPLE = Key.text(TRACING, "sample", "`0` to `1`", "0.01");

    /**
     * Whether an exchange that fails, or is answered with a status of 500 or more, is always recorded. It is known at the exchange's end, so
     * that services behind the sidecar have not recorded theirs.
     */
    public static final Key FAILURES = Key.text(TRACING, "failures", "switch", "false");

    /**
     * Whose sampled flag is believed: that of peers whom {@code listeners[].trust} believes, everyone's or nobody's. A trace's id is continued in any
     * case. Whoever may set the flag can have every request recorded.
     */
    public static final Choice<TrustedParent> PARENT =
            new Choice<>(TRACING, "parent", TrustedParent.values(), TrustedParent.TRUSTED);

    /** What spans call the sidecar: the name of the service that it stands before. */
    public static final Key SERVICE = Key.text(TRACING, "service", "name", "remora");

    /** Where spans go. */
    public static final Key EXPORT = Key.required(TRACING, "export", Key.MAPPING);

    /** How spans are written: JSON of OTLP over HTTP, or of Zipkin's second version. */
    public static final Choice<Format> FORMAT = new Choice<>(EXPORT, "format", Format.values(), Format.OTLP);

    /** The cluster that is the collector. */
    public static final Key CLUSTER = Key.required(EXPORT, "cluster", "name of a cluster");

    /** Where the collector takes spans; by default {@code /v1/traces} or, with {@code format: zipkin}, {@code /api/v2/spans}. */
    public static final Key PATH = Key.optional(EXPORT, "path", "path");

    /** The Host field of deliveries; by default the cluster's name. */
    public static final Key HOST = Key.optional(EXPORT, "host", "host");

    /**
     * Encoded spans that may wait on one event loop, beside as many that are being delivered; what is beyond is dropped and counted. The default has
     * some four hundred spans.
     */
    public static final Key QUEUE = Key.bytes(EXPORT, "queue", 4 << 10, 16 << 20, 256 << 10);

    /** For how long spans are gathered before they are sent; a quarter of the queue is sent at once. */
    public static final Key INTERVAL = Key.durationNs(EXPORT, "interval", 1_000_000_000L);

    /** How long a delivery may take. What has failed is dropped and counted. */
    public static final Key TIMEOUT = Key.durationNs(EXPORT, "timeout", 5_000_000_000L);

    private TracingKeys() {}
}

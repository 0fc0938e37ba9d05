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
     * The forms in which backends receive traces, {@code [w3c]} by default. {@code w3c} is traceparent and tracestate,
     * {@code b3} the field b3, and {@code b3-multi} the fields X-B3-*. A request continues the trace of the first form
     * that it has; backends get all of them. Fields of other forms pass as they come.
     */
    public static final Key PROPAGATION = Key.optional(TRACING, "propagation", "list of `w3c`, `b3` and `b3-multi`");

    /**
     * The share of traces that is recorded if no trusted peer has decided, with at most six digits behind the point. It
     * follows from the trace's id, so that sidecars with the same share choose the same traces.
     */
    public static final Key SAMPLE = Key.text(TRACING, "sample", "`0` to `1`", "0.01");

    /**
     * Records every exchange that fails, or whose response has a status of 500 or more. The failure is known at the
     * exchange's end, so the services after the sidecar have not recorded their spans.
     */
    public static final Key FAILURES = Key.text(TRACING, "failures", "switch", "false");

    /**
     * Selects the peers whose sampled flag is trusted: those that {@code listeners[].trust} trusts, everyone or nobody.
     * A trace's id is continued in any case. A client that may set the flag can have every request recorded.
     */
    public static final Choice<TrustedParent> PARENT =
            new Choice<>(TRACING, "parent", TrustedParent.values(), TrustedParent.TRUSTED);

    /** The sidecar's name in spans: the name of the service in front of which it stands. */
    public static final Key SERVICE = Key.text(TRACING, "service", "name", "remora");

    /** Destination and delivery of spans. */
    public static final Key EXPORT = Key.required(TRACING, "export", Key.MAPPING);

    /** The encoding of spans: JSON of OTLP over HTTP, or of Zipkin's second version. */
    public static final Choice<Format> FORMAT = new Choice<>(EXPORT, "format", Format.values(), Format.OTLP);

    /** The cluster that is the collector. */
    public static final Key CLUSTER = Key.required(EXPORT, "cluster", "name of a cluster");

    /**
     * Path at which the collector takes spans; by default {@code /v1/traces} or, with {@code format: zipkin}, {@code
     * /api/v2/spans}.
     */
    public static final Key PATH = Key.optional(EXPORT, "path", "path");

    /** The Host field of deliveries; by default the cluster's name. */
    public static final Key HOST = Key.optional(EXPORT, "host", "host");

    /**
     * Bound on the encoded spans that wait on one event loop, next to as many that are being delivered. More are
     * dropped and counted. The default has some four hundred spans.
     */
    public static final Key QUEUE = Key.bytes(EXPORT, "queue", 4 << 10, 16 << 20, 256 << 10);

    /** Time in which spans are gathered before they are sent. A quarter of the queue is sent at once. */
    public static final Key INTERVAL = Key.durationNs(EXPORT, "interval", 1_000_000_000L);

    /** Time that a delivery may take. Spans of a failed delivery are dropped and counted. */
    public static final Key TIMEOUT = Key.durationNs(EXPORT, "timeout", 5_000_000_000L);

    private TracingKeys() {}
}

package io.remora.feature.tracing;

import org.jspecify.annotations.Nullable;

/** OTLP as JSON. Spec: opentelemetry-proto, trace.proto, and the OTLP specification's JSON encoding. Owner: one event loop. */
final class OtlpWriter extends SpanWriter {
    private static final int SERVER = 2;
    private static final int CLIENT = 3;
    private static final int STATUS_ERROR = 2;

    private final String head;

    OtlpWriter(JsonBuffer out, String service) {
        super(out);
        // a name has nothing that JSON escapes
        head =
                "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\""
                        + service
                        + "\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"remora\"},\"spans\":[";
    }

    @Override
    String head() {
        return head;
    }

    @Override
    String tail() {
        return "]}]}]}";
    }

    @Override
    void times(long id, long parent, String name, boolean client, long startUs, long durationUs) {
        out.raw("\"spanId\":").id(id);
        if (parent != 0) {
            out.raw(",\"parentSpanId\":").id(parent);
        }
        out.raw(",\"kind\":").number(client ? CLIENT : SERVER).raw(",\"name\":").text(name);
        out.raw(",\"startTimeUnixNano\":\"").number(startUs).raw("000\"");
        out.raw(",\"endTimeUnixNano\":\"").number(startUs + durationUs).raw("000\"");
    }

    @Override
    void peer(@Nullable String service, String address, int port) {
        // it stands in the attributes
    }

    @Override
    void attributes() {
        out.raw(",\"attributes\":[");
    }

    @Override
    void text(String key, String value) {
        out.raw("{\"key\":\"")
                .raw(key)
                .raw("\",\"value\":{\"stringValue\":")
                .text(value)
                .raw("}}");
    }

    @Override
    void number(String key, long value) {
        out.raw("{\"key\":\"")
                .raw(key)
                .raw("\",\"value\":{\"intValue\":\"")
                .number(value)
                .raw("\"}}");
    }

    @Override
    void end(@Nullable String error) {
        out.raw("]");
        if (error != null) {
            out.raw(",\"status\":{\"code\":").number(STATUS_ERROR).raw("}");
        }
        out.raw("}");
    }
}

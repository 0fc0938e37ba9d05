package io.remora.feature.tracing;

import io.remora.text.IpAddress;
import org.jspecify.annotations.Nullable;

/** Zipkin's second version, as JSON. Spec: zipkin2-api.yaml. Owner: one event loop. */
final class ZipkinWriter extends SpanWriter {
    private final String service;
    private final IpAddress ip = new IpAddress();

    ZipkinWriter(JsonBuffer out, String service) {
        super(out);
        this.service = service;
    }

    @Override
    String head() {
        return "[";
    }

    @Override
    String tail() {
        return "]";
    }

    @Override
    void times(long id, long parent, String name, boolean client, long startUs, long durationUs) {
        out.raw("\"id\":").id(id);
        if (parent != 0) {
            out.raw(",\"parentId\":").id(parent);
        }
        out.raw(client ? ",\"kind\":\"CLIENT\",\"name\":" : ",\"kind\":\"SERVER\",\"name\":")
                .text(name);
        // a duration of 0 would be one that is not known
        out.raw(",\"timestamp\":").number(startUs).raw(",\"duration\":").number(Math.max(1, durationUs));
        out.raw(",\"localEndpoint\":{\"serviceName\":").text(service).raw("}");
    }

    @Override
    void peer(@Nullable String peerService, String address, int port) {
        boolean isIp = ip.parse(address);
        if (peerService == null && !isIp) {
            return;
        }
        out.raw(",\"remoteEndpoint\":{");
        if (peerService != null) {
            out.raw("\"serviceName\":").text(peerService);
        }
        if (isIp) {
            out.raw(peerService == null ? "" : ",").raw(address.indexOf(':') < 0 ? "\"ipv4\":" : "\"ipv6\":");
            out.text(address);
        }
        if (port > 0) {
            out.raw(",\"port\":").number(port);
        }
        out.raw("}");
    }

    @Override
    void attributes() {
        out.raw(",\"tags\":{");
    }

    @Override
    void text(String key, String value) {
        out.raw("\"").raw(key).raw("\":").text(value);
    }

    @Override
    void number(String key, long value) {
        out.raw("\"").raw(key).raw("\":\"").number(value).raw("\"");
    }

    @Override
    void end(@Nullable String error) {
        attribute("error", error);
        out.raw("}}");
    }
}

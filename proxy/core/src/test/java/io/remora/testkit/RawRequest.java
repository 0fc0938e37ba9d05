package io.remora.testkit;

import org.jspecify.annotations.Nullable;

/** A request as it stood on the wire, its body without the framing. */
public record RawRequest(String method, String target, String version, Fields fields, byte[] body, Fields trailers) {
    public @Nullable String field(String name) {
        return fields.first(name);
    }

    public String bodyText() {
        return Wire.text(body);
    }

    RawRequest with(byte[] newBody, Fields newTrailers) {
        return new RawRequest(method, target, version, fields, newBody, newTrailers);
    }

    @Override
    public String toString() {
        return method + " " + target + " " + version + " " + fields.lines() + " body of " + body.length
                + trailers.lines();
    }
}

package io.remora.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response as it stood on the wire, its body without the framing.
 *
 * @param interim the 1xx responses that came before it, in order
 */
public record RawResponse(
        String version,
        int status,
        String reason,
        Fields fields,
        byte[] body,
        Fields trailers,
        List<RawResponse> interim) {
    public @Nullable String field(String name) {
        return fields.first(name);
    }

    public String bodyText() {
        return Wire.text(body);
    }

    RawResponse with(byte[] newBody, Fields newTrailers) {
        return new RawResponse(version, status, reason, fields, newBody, newTrailers, interim);
    }

    RawResponse after(List<RawResponse> newInterim) {
        return new RawResponse(version, status, reason, fields, body, trailers, List.copyOf(newInterim));
    }

    @Override
    public String toString() {
        return version + " " + status + " " + reason + " " + fields.lines() + " " + bodyText();
    }
}

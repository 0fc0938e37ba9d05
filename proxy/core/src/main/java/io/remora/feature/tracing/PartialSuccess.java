package io.remora.feature.tracing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.remora.json.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The part of a successful answer by OTLP that says which spans the collector has rejected, or warns of something. Loaded only for an answer
 * that may have it.
 *
 * <p>Spec: OTLP specification, OTLP/HTTP response, partial success; trace_service.proto, ExportTracePartialSuccess.
 */
final class PartialSuccess {
    private static final String NAME = "partialSuccess";
    private static final String REJECTED = "rejectedSpans";
    private static final String MESSAGE = "errorMessage";
    private static final int MAX_MESSAGE_CHARS = 256;

    private long rejected;
    private String message = "";

    private PartialSuccess() {}

    /** Null where it says neither. Text that is cut, or no JSON, says what has been read of it. */
    static @Nullable PartialSuccess of(byte[] answer, int length) {
        String text = new String(answer, 0, length, ISO_8859_1);
        if (!text.contains(REJECTED) && !text.contains(MESSAGE)) {
            return null;
        }
        PartialSuccess read = new PartialSuccess();
        try {
            JsonReader json = new JsonReader(new ByteArrayInputStream(answer, 0, length), length);
            if (json.document() && json.object()) {
                read.readAnswer(json);
            }
        } catch (IOException e) {
            // the status has said that the spans are taken
        }
        return read.rejected > 0 || !read.message.isEmpty() ? read : null;
    }

    private void readAnswer(JsonReader json) throws IOException {
        for (String name = json.name(); name != null; name = json.name()) {
            if (!name.equals(NAME)) {
                json.skip();
            } else if (json.object()) {
                readPart(json);
            }
        }
    }

    private void readPart(JsonReader json) throws IOException {
        for (String name = json.name(); name != null; name = json.name()) {
            if (name.equals(REJECTED)) {
                rejected = json.quotedWhole(0);
            } else if (name.equals(MESSAGE)) {
                String text = json.text();
                message = text == null ? "" : text.substring(0, Math.min(MAX_MESSAGE_CHARS, text.length()));
            } else {
                json.skip();
            }
        }
    }

    /** Spans; 0 or more. */
    long rejected() {
        return Math.max(0, rejected);
    }

    /** Empty for none. */
    String message() {
        return message;
    }
}

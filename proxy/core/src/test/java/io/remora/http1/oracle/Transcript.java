package io.remora.http1.oracle;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a parser made of a stream of octets, in a form in which two parsers can be compared. */
public final class Transcript {
    private final List<String> events = new ArrayList<>();
    private final StringBuilder body = new StringBuilder();

    /**
     * @param fields each as {@code name: value}
     */
    public void head(String head, List<String> fields) {
        events.add("head " + head);
        for (String field : fields) {
            events.add("field " + field);
        }
    }

    public void content(byte[] octets) {
        body.append(new String(octets, StandardCharsets.ISO_8859_1));
    }

    public void end(List<String> trailers) {
        endBody();
        for (String trailer : trailers) {
            String name = trailer.substring(0, trailer.indexOf(':'));
            // these are dropped sooner or later
            if (!name.equalsIgnoreCase("content-length")
                    && !name.equalsIgnoreCase("transfer-encoding")
                    && !name.equalsIgnoreCase("trailer")) {
                events.add("trailer " + trailer);
            }
        }
        events.add("end");
    }

    public void refused(Object failure) {
        endBody();
        events.add("refused " + failure);
    }

    private void endBody() {
        if (body.length() > 0) {
            events.add("body " + body);
            body.setLength(0);
        }
    }

    public boolean isRefused() {
        return !events.isEmpty() && last().startsWith("refused ");
    }

    public String last() {
        return events.isEmpty() ? "" : events.get(events.size() - 1);
    }

    /** All events but a refusal at the end. */
    public String accepted() {
        endBody();
        return String.join("\n", isRefused() ? events.subList(0, events.size() - 1) : events);
    }

    @Override
    public String toString() {
        endBody();
        return String.join("\n", events);
    }
}

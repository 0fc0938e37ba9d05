package io.remora.dashboard;

import io.remora.json.JsonTree;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A viewer of the dashboard, which applies its events as the page does. One thread at a time. */
public final class EventStream implements AutoCloseable {
    private final RawClient client;
    private final Map<String, Map<String, Object>> rows = new TreeMap<>();
    private final Map<String, List<Object>> failures = new LinkedHashMap<>();
    private int lastOctets;

    private EventStream(RawClient client) {
        this.client = client;
    }

    /** Opens the stream over a connection to the admin listener, and reads its first event. */
    public static EventStream open(RawClient client) throws IOException {
        RawResponse head = client.send("GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .responseHead();
        if (head.status() != 200) {
            throw new AssertionError(head);
        }
        EventStream stream = new EventStream(client);
        if (!stream.next().containsKey("w")) {
            throw new AssertionError("the first event has not all numbers");
        }
        return stream;
    }

    /** Reads an event, and returns it. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> next() throws IOException {
        byte[] text = data();
        lastOctets = text.length;
        Map<String, Object> event = (Map<String, Object>) JsonTree.read(text);
        if (event.containsKey("w")) {
            rows.clear();
        }
        ((List<String>) event.getOrDefault("d", List.of())).forEach(rows::remove);
        ((Map<String, Map<String, Object>>) event.get("u"))
                .forEach((id, row) -> rows.computeIfAbsent(id, absent -> new LinkedHashMap<>())
                        .putAll(row));
        ((List<List<Object>>) event.getOrDefault("f", List.of())).forEach(one -> failures.put(one.toString(), one));
        return event;
    }

    private byte[] data() throws IOException {
        InputStream in = client.input();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0) {
                throw new IOException("the stream has ended");
            }
            line.write(octet);
        }
        String text = Wire.text(line.toByteArray());
        if (!text.startsWith("data: ") || in.read() != '\n') {
            throw new AssertionError(text);
        }
        return line.toString(StandardCharsets.ISO_8859_1)
                .substring("data: ".length())
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Octets of the last event. */
    public int lastOctets() {
        return lastOctets;
    }

    /** Returns the only row of a kind that has this value, or null. */
    public Map<String, Object> row(char kind, String key, Object value) {
        return rows.entrySet().stream()
                .filter(each -> each.getKey().charAt(0) == kind)
                .map(Map.Entry::getValue)
                .filter(each -> value.equals(each.get(key)))
                .findFirst()
                .orElse(null);
    }

    /** Returns the first row of a kind; an empty one where there is none. */
    public Map<String, Object> row(char kind) {
        return rows.entrySet().stream()
                .filter(each -> each.getKey().charAt(0) == kind)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(Map.of());
    }

    /** Returns the exchanges that failed, in the order of their events. */
    public List<List<Object>> failures() {
        return List.copyOf(failures.values());
    }

    /** Reads events until the condition holds, for so many at most. */
    public EventStream until(String what, int events, Predicate<EventStream> condition) throws IOException {
        for (int i = 0; i < events; i++) {
            if (condition.test(this)) {
                return this;
            }
            next();
        }
        throw new AssertionError("not within " + events + " events: " + what + "; " + rows + failures);
    }

    @Override
    public void close() {
        client.close();
    }
}

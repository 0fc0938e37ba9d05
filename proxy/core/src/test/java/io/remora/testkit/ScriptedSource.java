package io.remora.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A server that knows the endpoints of a service, and answers as the documentation of Consul or of Kubernetes says. A question
 * that has to wait is answered once there is something new.
 *
 * <p>Thread safe.
 */
public final class ScriptedSource implements AutoCloseable {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final RecordingBackend server = RecordingBackend.start().onRequest(this::answer);
    private final List<RawRequest> questions = new ArrayList<>();
    /** Below: under the lock. */
    private String document = "[]";

    private long index = 1;
    private final List<String> events = new ArrayList<>();
    private @Nullable String raw;
    private @Nullable String toWatches;
    private boolean patient = true;

    public int port() {
        return server.port();
    }

    /** The server itself. */
    public RecordingBackend server() {
        return server;
    }

    /** All that has been asked. */
    public synchronized List<RawRequest> questions() {
        return List.copyOf(questions);
    }

    /** The targets of all that has been asked. */
    public List<String> targets() {
        return questions().stream().map(RawRequest::target).toList();
    }

    /** From now on the whole answer, with an index of its own. */
    public synchronized void set(String text, long newIndex) {
        document = text;
        index = newIndex;
    }

    /** Every question is answered by these octets and the end of the connection; null for no longer. */
    public synchronized void answerRaw(@Nullable String octets) {
        raw = octets;
    }

    /** The same for watches, and for questions that would wait, only. */
    public synchronized void answerWatches(@Nullable String octets) {
        toWatches = octets;
    }

    /** Whether a question waits for something new. */
    public synchronized void patient(boolean waits) {
        patient = waits;
    }

    /** A further event for watches: one that goes on, or the next one; {@code CUT} and {@code END} end the connection or the watch. */
    public synchronized void event(String text) {
        events.add(text);
    }

    private void answer(BackendConnection connection) throws IOException {
        RawRequest question = connection.readRequest();
        synchronized (this) {
            questions.add(question);
        }
        String target = question.target();
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(number(target, "&wait=", 0));
        while (waits(target) && !connection.ended() && System.nanoTime() - untilNs < 0) {
            LockSupport.parkNanos(PAUSE_NS);
        }
        String octets = raw(target);
        if (octets != null) {
            connection.write(octets);
            connection.close();
        } else if (target.contains("&watch=1")) {
            watch(connection, 1_000 * number(target, "&timeoutSeconds=", 300));
        } else {
            connection.write(reply());
        }
    }

    private synchronized boolean waits(String target) {
        return raw == null && toWatches == null && patient && target.contains("index=" + index + "&");
    }

    private synchronized @Nullable String raw(String target) {
        return toWatches != null && (target.contains("&watch=1") || target.contains("&wait=")) ? toWatches : raw;
    }

    private synchronized String reply() {
        return "HTTP/1.1 200 OK\r\nX-Consul-Index: " + index + "\r\nContent-Length: " + document.length() + "\r\n\r\n"
                + document;
    }

    private static long number(String target, String name, long otherwise) {
        int at = target.indexOf(name);
        if (at < 0) {
            return otherwise;
        }
        String rest = target.substring(at + name.length());
        return Long.parseLong(rest.endsWith("ms") ? rest.substring(0, rest.length() - 2) : rest);
    }

    private void watch(BackendConnection connection, long mostMs) throws IOException {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMs);
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (String event = next(untilNs); ; event = next(untilNs)) {
            if (event.equals("CUT") || connection.ended()) {
                connection.reset();
                return;
            }
            if (event.equals("END")) {
                connection.write("0\r\n\r\n");
                return;
            }
            if (event.isEmpty()) {
                LockSupport.parkNanos(PAUSE_NS);
            } else {
                connection.write(Integer.toHexString(event.length() + 1) + "\r\n" + event + "\n\r\n");
            }
        }
    }

    private synchronized String next(long untilNs) {
        if (!events.isEmpty()) {
            return events.remove(0);
        }
        return raw != null ? "CUT" : System.nanoTime() - untilNs < 0 ? "" : "END";
    }

    /** Waits until a question fits. */
    public void awaitQuestion(String what, Predicate<String> wanted) {
        if (!Await.within(
                (int) TimeUnit.SECONDS.toMillis(20), () -> targets().stream().anyMatch(wanted))) {
            throw new AssertionError("no question " + what + " among " + targets());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

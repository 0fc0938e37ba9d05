package io.remora.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server that knows the endpoints of a service, and answers as the documentation of Consul or of Kubernetes says. A question
 * that has to wait is answered once there is something new.
 *
 * <p>Thread safe.
 */
public final class ScriptedSource implements AutoCloseable {
    private final RecordingBackend server = RecordingBackend.start().onRequest(this::answer);
    private final List<RawRequest> questions = new ArrayList<>();
    /** Below: under the lock. */
    private String document = "[]";

    private long index = 1;
    private final List<String> events = new ArrayList<>();
    private @Nullable String raw;
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
        notifyAll();
    }

    /** Every question is answered by these octets and the end of the connection; null for no longer. */
    public synchronized void answerRaw(@Nullable String octets) {
        raw = octets;
        notifyAll();
    }

    /** Whether a question waits for something new. */
    public synchronized void patient(boolean waits) {
        patient = waits;
    }

    /** A further event for watches: one that goes on, or the next one; {@code CUT} and {@code END} end the connection or the watch. */
    public synchronized void event(String text) {
        events.add(text);
        notifyAll();
    }

    private void answer(BackendConnection connection) throws IOException {
        RawRequest question = connection.readRequest();
        String octets;
        long now;
        String whole;
        synchronized (this) {
            questions.add(question);
            if (raw == null && patient && question.target().contains("index=" + index + "&")) {
                await(60_000);
            }
            octets = raw;
            now = index;
            whole = document;
        }
        if (octets != null) {
            connection.write(octets);
            connection.close();
        } else if (question.target().contains("&watch=1")) {
            watch(connection);
        } else {
            connection.write("HTTP/1.1 200 OK\r\nX-Consul-Index: " + now + "\r\nContent-Length: " + whole.length()
                    + "\r\n\r\n" + whole);
        }
    }

    private void watch(BackendConnection connection) throws IOException {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (true) {
            String event;
            synchronized (this) {
                if (events.isEmpty()) {
                    await(20);
                }
                if (raw != null) {
                    event = "CUT";
                } else if (events.isEmpty()) {
                    event = "";
                } else {
                    event = events.remove(0);
                }
            }
            if (event.equals("CUT") || connection.ended()) {
                connection.reset();
                return;
            }
            if (event.equals("END")) {
                connection.write("0\r\n\r\n");
                return;
            }
            if (!event.isEmpty()) {
                connection.write(Integer.toHexString(event.length() + 1) + "\r\n" + event + "\n\r\n");
            }
        }
    }

    // whoever waits is told of each change
    private void await(long mostMs) {
        try {
            wait(mostMs);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a question fits. */
    public void awaitQuestion(String what, java.util.function.Predicate<String> wanted) {
        if (!Await.within((int) TimeUnit.SECONDS.toMillis(20), () -> targets().stream().anyMatch(wanted))) {
            throw new AssertionError("no question " + what + " among " + targets());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

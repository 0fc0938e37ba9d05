package io.remora.dashboard;

import io.remora.json.JsonTree;
import io.remora.json.JsonWriter;
import io.remora.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The page of a {@link Chromium} as its debugger sees and steers it (Chrome DevTools Protocol). One thread at a time. */
public final class DevTools implements WebSocket.Listener, AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final BlockingQueue<Map<String, Object>> answers = new LinkedBlockingQueue<>();
    private final List<Map<String, Object>> events = new CopyOnWriteArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final WebSocket socket;
    private int calls;

    public DevTools(int port) {
        HttpClient http = HttpClient.newHttpClient();
        try {
            HttpRequest list = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                    .build();
            List<?> pages = (List<?>)
                    read(http.send(list, HttpResponse.BodyHandlers.ofString()).body());
            String page = (String) ((Map<?, ?>) pages.get(0)).get("webSocketDebuggerUrl");
            socket = http.newWebSocketBuilder()
                    .buildAsync(URI.create(page), this)
                    .join();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Object read(String json) {
        try {
            return JsonTree.read(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(json, e);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
        text.append(part);
        if (last) {
            Map<String, Object> message = (Map<String, Object>) read(text.toString());
            text.setLength(0);
            if (message.containsKey("id")) {
                answers.add(message);
            } else {
                events.add(message);
            }
        }
        from.request(1);
        return null;
    }

    /** Calls a method of the protocol, and returns its result. */
    @SuppressWarnings("unchecked")
    public Map<String, Object> call(String method, Map<String, ?> parameters) {
        calls++;
        String call = JsonWriter.line(Map.of("id", (long) calls, "method", method, "params", parameters));
        socket.sendText(call, true).join();
        try {
            Map<String, Object> answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (answer == null || !Long.valueOf(calls).equals(answer.get("id")) || answer.containsKey("error")) {
                throw new AssertionError(method + ": " + answer);
            }
            return (Map<String, Object>) answer.get("result");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the value of an expression in the page, or of its promise. */
    public @Nullable Object evaluate(String expression) {
        Map<String, Object> result = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "awaitPromise", true, "returnByValue", true, "userGesture", true));
        if (result.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return ((Map<?, ?>) result.get("result")).get("value");
    }

    /** Returns the events of one kind so far, with their parameters. */
    public List<Map<?, ?>> events(String method) {
        return events.stream()
                .filter(each -> method.equals(each.get("method")))
                .<Map<?, ?>>map(each -> (Map<?, ?>) each.get("params"))
                .toList();
    }

    /** Waits until an expression in the page is true. */
    public void until(String expression) {
        if (!Await.within(1_000 * PATIENCE_SECONDS, () -> Boolean.TRUE.equals(evaluate(expression)))) {
            throw new AssertionError("never true: " + expression + "; " + evaluate("document.body.innerText"));
        }
    }

    @Override
    public void close() {
        socket.abort();
    }
}

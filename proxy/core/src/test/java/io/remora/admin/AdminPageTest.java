package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.ReferencePage;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holds docs/admin.md against what the operator's listeners answer. */
final class AdminPageTest {
    private static final String NONE = "no";

    private final LogLevel levelBefore = Log.level();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(TestControl.onLoopback(), Handshake.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
        Log.level(levelBefore);
    }

    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it. */
    @Test
    void itsTableIsWhatTheListenersAnswer() throws IOException {
        List<String> rows = new ArrayList<>();
        rows.add("| path | methods | changes state | health listener | response |");
        rows.add("|---|---|---|---|---|");
        Map<String, String> sentences = sentences();
        for (Map.Entry<String, String> page : sentences.entrySet()) {
            String path = page.getKey();
            String methods = methods(server.address(), path);
            rows.add("| `" + path + "` | " + methods + " | " + changes(path, methods) + " | "
                    + methods(server.healthAddress(), path) + " | " + page.getValue() + " |");
        }
        // the index names all but itself, /log-level twice
        assertThat(send(server.address(), "GET", "/")
                        .bodyText()
                        .lines()
                        .map(line -> line.split(" +")[1])
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(sentences.keySet().stream()
                        .filter(path -> !path.equals("/"))
                        .toList());
        ReferencePage.holds("admin.md", "pages", rows);
    }

    /** The sentence of each page, by its path. */
    private static Map<String, String> sentences() throws IOException {
        Map<String, String> paths = new LinkedHashMap<>();
        for (String source : List.of(
                "Pages",
                "AdminPages",
                "HeapPages",
                "CompilerEventsPage",
                "LongTurnsPage",
                "NativeMemoryPage",
                "ProfilePage",
                "LogLevelPage")) {
            Map<String, String> comments = ReferencePage.comments("admin/" + source + ".java");
            ReferencePage.strings("admin/" + source + ".java").forEach((name, value) -> {
                if (value.startsWith("/")) {
                    assertThat(comments).containsKey(name);
                    paths.put(value, comments.get(name));
                }
            });
        }
        return paths;
    }

    private static String methods(InetSocketAddress listener, String path) throws IOException {
        List<String> methods = new ArrayList<>();
        for (String method : List.of("GET", "HEAD", "POST")) {
            // a level, so that the page which sets one has it
            RawResponse response = send(listener, method, path + "?level=info");
            if (response.status() == 405) {
                assertThat(response.field("allow")).doesNotContain(method);
            } else if (response.status() != 404) {
                methods.add(method);
            }
        }
        return methods.isEmpty() ? NONE : String.join(", ", methods);
    }

    private static String changes(String path, String methods) {
        if (path.equals("/latency.hlog")) {
            return "GET";
        }
        return methods.contains("POST") ? "POST" : NONE;
    }

    private static RawResponse send(InetSocketAddress listener, String method, String target) throws IOException {
        try (RawClient client = RawClient.connect(listener)) {
            return client.send(method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                    .response(method);
        }
    }
}

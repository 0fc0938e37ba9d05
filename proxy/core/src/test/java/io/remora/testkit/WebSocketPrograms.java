package io.remora.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Somebody else's ends of WebSockets, and Autobahn's cases, which judge them. {@code scripts/counterparts websocket} fetches them, and the
 * system property {@code remora.test.websocket} says where they are.
 */
public final class WebSocketPrograms implements AutoCloseable {
    /** For all cases on a busy machine; those that the tests take by default need seconds. */
    private static final int PATIENCE_SECONDS = 900;

    private final Path directory;
    private final List<ServerProcess> processes = new CopyOnWriteArrayList<>();

    public WebSocketPrograms(Path directory) {
        this.directory = directory;
        for (String name : List.of("websocket.js", "websocket_judge.py", "websocket_echo.py")) {
            try (InputStream source = WebSocketPrograms.class.getResourceAsStream(name)) {
                Files.write(directory.resolve(name), source.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    // ---- servers that echo

    /** Node's ws over HTTP/1.1. */
    public int ws() {
        return start("node", "websocket.js", "server");
    }

    /** Node's ws over Node's own HTTP/2, by prior knowledge. */
    public int wsOverHttp2() {
        return start("node", "websocket.js", "server-http2");
    }

    /** Python's websockets, over HTTP/1.1. */
    public int websockets() {
        return start("python3", "websocket_echo.py");
    }

    /** Hypercorn, over either version on one port. */
    public int hypercorn() {
        int port = ServerProcess.freePort();
        return start(port, "python3", "-m", "hypercorn", "--bind", "127.0.0.1:" + port, "websocket_echo:app");
    }

    private int start(String... command) {
        int port = ServerProcess.freePort();
        List<String> words = new ArrayList<>(List.of(command));
        words.add(Integer.toString(port));
        return start(port, words.toArray(new String[0]));
    }

    private int start(int port, String... command) {
        ServerProcess process = new ServerProcess(directory, "server-" + port + ".txt", environment(command));
        processes.add(process);
        process.awaitOpen(port);
        return port;
    }

    private List<String> environment(String... command) {
        String home = Counterpart.program("websocket");
        List<String> words = new ArrayList<>(List.of("env", "NODE_PATH=" + home + "/node_modules"));
        words.add("PYTHONPATH=" + home + "/python:" + directory);
        words.add("PYTHONDONTWRITEBYTECODE=1");
        words.addAll(List.of(command));
        return words;
    }

    // ---- Autobahn's cases

    /** How each case went with the server at the port, by the case's number. */
    public Map<String, String> judgeServer(int port, String cases) {
        return judge("server", Integer.toString(port), cases);
    }

    /**
     * How each case went with Node's ws as the client.
     *
     * @param port where the cases are served
     * @param through where the client goes, which leads there
     */
    public Map<String, String> judgeClient(int port, int through, boolean overHttp2, String cases) {
        String how = overHttp2 ? "client-http2" : "client";
        return judge(
                "client",
                Integer.toString(port),
                cases,
                "node",
                directory.resolve("websocket.js").toString(),
                how,
                "ws://127.0.0.1:" + through);
    }

    private Map<String, String> judge(String... words) {
        List<String> command = environment("python3", "websocket_judge.py");
        command.addAll(List.of(words));
        String output = Command.run(directory, PATIENCE_SECONDS, command.toArray(new String[0]))
                .good();
        Map<String, String> cases = new TreeMap<>();
        for (String line : output.split("\n")) {
            int space = line.indexOf(' ');
            if (line.endsWith("}") && space > 0) {
                cases.put(line.substring(0, space), line.substring(space + 1));
            }
        }
        return cases;
    }

    /** What is not the same of two long tables. */
    public static <K, V> List<String> differences(Map<K, V> through, Map<K, V> alone) {
        List<String> differences = new ArrayList<>();
        alone.forEach((key, value) -> {
            if (!value.equals(through.get(key))) {
                differences.add(key + ": " + value + " alone, but " + through.get(key));
            }
        });
        if (through.size() != alone.size()) {
            differences.add(through.size() + " instead of " + alone.size());
        }
        return differences;
    }

    @Override
    public void close() {
        processes.forEach(ServerProcess::close);
    }
}

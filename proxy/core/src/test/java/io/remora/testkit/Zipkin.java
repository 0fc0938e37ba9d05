package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Zipkin itself, which Maven has put below target, started for one test and gone with it. Keeps spans in memory. */
public final class Zipkin implements AutoCloseable {
    private static final int START_MS = 120_000;

    private final int port = ServerProcess.freePort();
    private final ServerProcess process;

    private Zipkin(Path directory) {
        process = new ServerProcess(
                directory,
                "zipkin.txt",
                List.of(
                        "env",
                        "QUERY_PORT=" + port,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        jar().toString()));
    }

    public static Zipkin start(Path directory) {
        Zipkin zipkin = new Zipkin(directory);
        zipkin.process.await(START_MS, () -> zipkin.process.isOpen(zipkin.port) && zipkin.isUp() && zipkin.isWarm());
        return zipkin;
    }

    private static Path jar() {
        Path target = Path.of("target", "counterparts").toAbsolutePath();
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(file -> file.getFileName().toString().startsWith("zipkin-server-"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no zipkin in " + target));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isUp() {
        return answers("GET /health HTTP/1.1\r\nHost: zipkin\r\n\r\n", 200);
    }

    /** The first spans that it is told take it seconds on a slow machine, which a sidecar does not wait for. */
    private boolean isWarm() {
        return answers(
                "POST /api/v2/spans HTTP/1.1\r\nHost: zipkin\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
                202);
    }

    // while it starts, it may take a connection and not answer on it
    private boolean answers(String request, int status) {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", port))) {
            return client.send(request).response().status() == status;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** What it answers. */
    public RawResponse get(String target) {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", port))) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: zipkin\r\n\r\n")
                    .response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}

package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** A process of toxiproxy, which stands between two others and treats badly what they say to each other. */
public final class Toxiproxy implements AutoCloseable {
    private static final String PROGRAM = "toxiproxy-server";
    private static final String NAME = "between";

    private final ServerProcess process;
    private final InetSocketAddress api =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), ServerProcess.freePort());

    private Toxiproxy(Path directory) {
        process = new ServerProcess(
                directory,
                "toxiproxy.txt",
                List.of(PeerProgram.find(PROGRAM), "-host", "127.0.0.1", "-port", Integer.toString(api.getPort())));
        Await.until("toxiproxy is there", () -> {
            try (RawClient client = RawClient.connect(api)) {
                return client.socket().isConnected();
            } catch (UncheckedIOException e) {
                return false;
            }
        });
    }

    /** What is not installed and would have to be; empty where nothing is missing. */
    public static String missing() {
        return PeerProgram.find(PROGRAM).isEmpty() ? PROGRAM + " is not installed" : "";
    }

    public static Toxiproxy start(Path directory) {
        return new Toxiproxy(directory);
    }

    /** Stands before what is at the address; tells the port to connect to. */
    public int before(InetSocketAddress address) {
        int port = ServerProcess.freePort();
        ask("POST", "/proxies", """
                {"name": "NAME", "listen": "127.0.0.1:PORT", "upstream": "127.0.0.1:BEHIND", "enabled": true}
                """.replace("NAME", NAME)
                .replace("PORT", Integer.toString(port))
                .replace("BEHIND", Integer.toString(address.getPort())));
        return port;
    }

    /** From now on in both directions, on connections that are there as well. */
    public void poison(String type, String attributes) {
        for (String stream : List.of("upstream", "downstream")) {
            String toxic = "{\"name\": \"" + stream + "\", \"stream\": \"" + stream + "\", \"type\": \"" + type
                    + "\", \"attributes\": {" + attributes + "}}";
            ask("POST", "/proxies/" + NAME + "/toxics", toxic);
        }
    }

    public void heal() {
        for (String stream : List.of("upstream", "downstream")) {
            ask("DELETE", "/proxies/" + NAME + "/toxics/" + stream, "");
        }
    }

    private void ask(String method, String path, String body) {
        try (RawClient client = RawClient.connect(api)) {
            client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body);
            RawResponse answer = client.response(method);
            if (answer.status() / 100 != 2) {
                throw new AssertionError(answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts the sidecar given as a command line in front of a small application, sends it the traffic of its daily life, and drains it:
 * the classes that it loads meanwhile are those which the image's archive holds. Ends with 1 where an answer is not the expected one.
 */
final class Training {
    private static final int CONNECTIONS = 4;
    private static final int ROUNDS = 300;
    private static final int START_MS = 60_000;

    private final int front = freePort();
    private final int admin = freePort();
    private int wrong;

    public static void main(String[] command) throws Exception {
        System.exit(new Training().run(command));
    }

    private int run(String[] command) throws Exception {
        HttpServer application = application();
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of("run", "--config", "-"));
        Process sidecar = new ProcessBuilder(words)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            try (var stdin = sidecar.getOutputStream()) {
                stdin.write(configuration(application.getAddress().getPort()).getBytes(StandardCharsets.UTF_8));
            }
            awaitListening(sidecar);
            sendTraffic();
            scrape();
        } finally {
            sidecar.destroy();
            if (!sidecar.waitFor(60, TimeUnit.SECONDS)) {
                sidecar.destroyForcibly().waitFor();
                wrong++;
            }
            application.stop(0);
        }
        if (sidecar.exitValue() != 0) {
            System.err.println("training: the sidecar ended with " + sidecar.exitValue());
            wrong++;
        }
        return wrong == 0 ? 0 : 1;
    }

    private static HttpServer application() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body = "x".repeat(1024).getBytes(StandardCharsets.US_ASCII);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, exchange.getRequestURI().getPath().equals("/chunked") ? 0 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private String configuration(int application) {
        return """
                admin: { address: "127.0.0.1:%d" }
                listeners:
                  - name: inbound
                    address: 127.0.0.1:%d
                    routes:
                      - { match: { prefix: /gone }, cluster: gone }
                      - { match: { prefix: / }, cluster: app }
                clusters:
                  app: { endpoints: ["127.0.0.1:%d"] }
                  gone: { endpoints: ["127.0.0.1:1"] }
                """.formatted(admin, front, application);
    }

    private void sendTraffic() throws IOException {
        Socket[] sockets = new Socket[CONNECTIONS];
        for (int i = 0; i < CONNECTIONS; i++) {
            sockets[i] = connect(front);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (Socket socket : sockets) {
                expect(200, socket, "GET /body HTTP/1.1\r\nHost: app\r\nUser-Agent: training\r\nAccept: */*\r\n\r\n");
                if (round % 10 == 0) {
                    expect(200, socket, "GET /chunked HTTP/1.1\r\nHost: app\r\n\r\n");
                    expect(200, socket, "POST /body HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");
                    expect(200, socket, "POST /body HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
                }
            }
        }
        expect(502, sockets[0], "GET /gone HTTP/1.1\r\nHost: app\r\n\r\n");
        expect(400, sockets[1], "GET /body HTTP/1.1\r\n\r\n");
        expect(200, sockets[2], "GET /body HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n");
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void scrape() throws IOException {
        for (String path : new String[] {"/live", "/ready", "/metrics", "/memory", "/latency.hlog", "/config"}) {
            try (Socket socket = connect(admin)) {
                expect(200, socket, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            }
        }
    }

    private void expect(int status, Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        String head = readHead(socket.getInputStream());
        readBody(socket.getInputStream(), head);
        if (!head.startsWith("HTTP/1.1 " + status + " ")) {
            System.err.println("training: " + status + " expected for " + request.lines().findFirst().orElse("") + ", not " + head);
            wrong++;
        }
    }

    private static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended after " + head);
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static void readBody(InputStream in, String head) throws IOException {
        String lower = head.toLowerCase(java.util.Locale.ROOT);
        int length = lower.indexOf("content-length: ");
        if (length >= 0) {
            in.readNBytes(Integer.parseInt(lower.substring(length + 16, lower.indexOf('\r', length)).strip()));
        } else if (lower.contains("transfer-encoding: chunked")) {
            String line;
            while (!(line = readLine(in)).equals("0")) {
                in.readNBytes(Integer.parseInt(line, 16));
                readLine(in);
            }
            readLine(in);
        }
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private void awaitListening(Process sidecar) throws InterruptedException, IOException {
        long endMs = System.currentTimeMillis() + START_MS;
        while (true) {
            try {
                connect(front).close();
                return;
            } catch (IOException notYet) {
                if (!sidecar.isAlive() || System.currentTimeMillis() > endMs) {
                    throw new IOException("the sidecar does not listen", notYet);
                }
                Thread.sleep(20);
            }
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(10_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}

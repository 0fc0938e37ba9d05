import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts the sidecar in front of a small application, sends it the traffic of its daily life, scrapes and drains it:
 * {@code Training ROUNDS COMMAND...}. The classes loaded meanwhile are those that an image's archive holds, and an image is sound if all
 * answers are as expected: it ends with 1, and a line each, where they are not. With {@code --tls DIRECTORY} before the command both sides
 * speak TLS, by the certificates in that directory.
 */
final class Training {
    private static final int START_MS = 60_000;
    private static final int DRAIN_S = 60;
    private static final String HOST = "Host: app\r\n";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-End: 1\r\n\r\n";

    /** Held to the end, and nobody listens there. */
    private final Socket gone = bound();

    private final int front;
    private final int admin;
    private final int rounds;
    private final Wire wire;
    /** The keys of the configuration by which a listener speaks TLS, and those by which a cluster does; empty without it. */
    private final String listenerTls;

    private final String clusterTls;
    private int wrong;

    private Training(int rounds, Wire wire, String listenerTls, String clusterTls) throws IOException {
        this.rounds = rounds;
        this.wire = wire;
        this.listenerTls = listenerTls;
        this.clusterTls = clusterTls;
        // both held before one is let go, as they may not be the same
        try (Socket one = bound();
                Socket other = bound()) {
            front = one.getLocalPort();
            admin = other.getLocalPort();
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(arguments));
        int rounds = Integer.parseInt(command.remove(0));
        Training training = new Training(rounds, Wire.plain(), "", "");
        if (command.get(0).equals("--tls")) {
            training = withTls(rounds, Path.of(command.get(1)));
            command.subList(0, 2).clear();
        }
        System.exit(training.run(command) ? 0 : 1);
    }

    private static Training withTls(int rounds, Path directory) throws Exception {
        String own = "{ chain: %1$s/tls.crt, key: %1$s/tls.key }".formatted(directory);
        String trust = "trust: " + directory + "/ca.crt";
        return new Training(
                rounds,
                Wire.tls(directory),
                "tls: { certificates: [ " + own + " ], client-certificates: required, " + trust + " }",
                ", tls: { peer-names: [localhost], certificate: " + own + ", " + trust + " }");
    }

    private boolean run(List<String> command) throws Exception {
        Path config = Files.createTempFile("training", ".yaml");
        try (Application application = new Application(wire)) {
            Files.writeString(config, configuration(application.port()));
            command.addAll(List.of("run", "--config", config.toString()));
            long startNs = System.nanoTime();
            Process sidecar = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                awaitListening(sidecar);
                exchangeOnce("/");
                System.out.println("first answer after " + (System.nanoTime() - startNs) / 1_000_000 + " ms");
                sendTraffic();
                // many times too: what only happens where two sides' ends cross is to happen in every run
                for (int i = 0; i < rounds; i++) {
                    upgrade();
                    sendFailures();
                }
                scrape();
                drain(sidecar, application);
            } finally {
                sidecar.destroyForcibly();
            }
            expect("exit status 0", sidecar.waitFor() == 0, "exit status " + sidecar.exitValue());
        } finally {
            Files.delete(config);
        }
        return wrong == 0;
    }

    /** Written as users write theirs: comments, and values in each style of YAML, which other classes read. */
    private String configuration(int application) {
        return """
                # A sidecar in front of one application
                admin: { address: "127.0.0.1:%d" }   # on loopback only
                access-log: {}
                listeners:
                  - name: inbound
                    address: 127.0.0.1:%d
                    limits: { body: 64KiB }
                    %s
                    routes:
                      # nobody listens there
                      - match: { prefix: '/gone' }
                        cluster: gone
                      - { match: { host: app }, cluster: "app" }
                clusters:
                  app: { endpoints: ["127.0.0.1:%d"]%s }
                  gone:
                    endpoints:
                      - 127.0.0.1:%d
                """.formatted(admin, front, listenerTls, application, clusterTls, gone.getLocalPort());
    }

    private void sendTraffic() throws IOException {
        try (HttpPeer first = wire.connect(front);
                HttpPeer second = wire.connect(front)) {
            for (int i = 0; i < rounds; i++) {
                for (HttpPeer client : List.of(first, second)) {
                    expect(client, 200, "GET / HTTP/1.1\r\n" + HOST + "User-Agent: training\r\nAccept: */*\r\n\r\n");
                    expect(client, 200, "GET /chunked HTTP/1.1\r\n" + HOST + "\r\n");
                    expect(client, 204, "GET /empty HTTP/1.1\r\n" + HOST + "\r\n");
                    expect(client, 200, "POST / HTTP/1.1\r\n" + HOST + "Content-Length: 5\r\n\r\nhello");
                    expect(client, 200, "POST / HTTP/1.1\r\n" + HOST + CHUNKED);
                    expect(client, 200, "PUT / HTTP/1.1\r\n" + HOST + "Content-Length: 20000\r\n\r\n" + "y".repeat(20000));
                }
            }
            pipeline(first);
            awaitContinue(second);
        }
        exchangeOnce("/until-close");
    }

    private void pipeline(HttpPeer client) throws IOException {
        client.write("HEAD / HTTP/1.1\r\n" + HOST + "\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n");
        judge("a pipelined HEAD", 200, client.readHead());
        String head = client.readHead();
        client.skipBody(head);
        judge("a pipelined GET", 200, head);
    }

    private void awaitContinue(HttpPeer client) throws IOException {
        client.write("POST / HTTP/1.1\r\n" + HOST + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
        judge("an expectation", 100, client.readHead());
        expect(client, 200, "hello");
    }

    private void upgrade() throws IOException {
        try (HttpPeer client = wire.connect(front)) {
            client.write("GET /websocket HTTP/1.1\r\n" + HOST + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
            judge("an upgrade", 101, client.readHead());
            client.write("ping");
            client.skip(4);
        }
    }

    private void exchangeOnce(String path) throws IOException {
        try (HttpPeer client = wire.connect(front)) {
            expect(client, 200, "GET " + path + " HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n");
        }
    }

    private void sendFailures() throws IOException {
        refused(400, "GET / HTTP/1.1\r\n\r\n");
        refused(404, "GET / HTTP/1.1\r\nHost: nobody\r\n\r\n");
        refused(413, "POST / HTTP/1.1\r\n" + HOST + "Content-Length: 100000\r\n\r\n");
        refused(431, "GET / HTTP/1.1\r\n" + HOST + "X-Large: " + "z".repeat(100_000) + "\r\n\r\n");
        refused(501, "POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
        refused(502, "GET /gone HTTP/1.1\r\n" + HOST + "\r\n");
        refused(502, "GET /broken HTTP/1.1\r\n" + HOST + "\r\n");
    }

    private void refused(int status, String request) throws IOException {
        try (HttpPeer client = wire.connect(front)) {
            expect(client, status, request);
        }
    }

    private void scrape() throws IOException {
        String pages = "/live /ready /metrics /metrics /memory /latency.hlog /config /clusters /threads";
        for (String path : pages.split(" ")) {
            try (HttpPeer client = HttpPeer.connect(admin)) {
                expect(client, 200, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            }
        }
    }

    /** With an exchange in progress, which finishes. */
    private void drain(Process sidecar, Application application) throws IOException, InterruptedException {
        try (HttpPeer client = wire.connect(front)) {
            client.write("GET /slow HTTP/1.1\r\n" + HOST + "\r\n");
            expect("the slow request", application.slowIsHere.await(DRAIN_S, TimeUnit.SECONDS), "nothing");
            sidecar.destroy();
            awaitNotReady();
            application.slowMayEnd.countDown();
            judge("a request under way at the drain", 200, client.readHead());
        }
        expect("an end of the drain", sidecar.waitFor(DRAIN_S, TimeUnit.SECONDS), "none within " + DRAIN_S + " s");
    }

    private void awaitNotReady() throws IOException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_S);
        String head;
        do {
            try (HttpPeer client = HttpPeer.connect(admin)) {
                client.write("GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                head = client.readHead();
            }
        } while (head.startsWith("HTTP/1.1 200 ") && System.nanoTime() - endNs < 0);
        judge("readiness at the drain", 503, head);
    }

    private void expect(HttpPeer client, int status, String request) throws IOException {
        client.write(request);
        String head = client.readHead();
        client.skipBody(head);
        judge(request.lines().findFirst().orElseThrow(), status, head);
    }

    private void judge(String request, int status, String head) {
        expect("status " + status + " for " + request, head.startsWith("HTTP/1.1 " + status + " "), head);
    }

    private void expect(String expected, boolean isSo, String got) {
        if (!isSo) {
            wrong++;
            System.err.println("training: expected " + expected + ", got " + got.strip());
        }
    }

    private void awaitListening(Process sidecar) throws InterruptedException, IOException {
        long endMs = System.currentTimeMillis() + START_MS;
        while (true) {
            try {
                HttpPeer.connect(front).close();
                return;
            } catch (IOException notYet) {
                if (!sidecar.isAlive() || System.currentTimeMillis() > endMs) {
                    throw new IOException("the sidecar does not listen", notYet);
                }
                Thread.sleep(1);
            }
        }
    }

    private static Socket bound() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }
}

import java.io.Closeable;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** The small application behind the sidecar: what it answers depends on the path. A thread for each connection. */
final class Application implements Closeable {
    private static final String BODY = "x".repeat(1024);

    private final ServerSocket server;
    /** Opened once a request for /slow is here, and by whoever lets it be answered. */
    final CountDownLatch slowIsHere = new CountDownLatch(1);
    final CountDownLatch slowMayEnd = new CountDownLatch(1);

    Application(Wire wire) throws IOException {
        server = wire.listen();
        inBackground(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static void inBackground(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException | InterruptedException ended) {
                // its peer is gone, or the program ends
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = server.accept();
            inBackground(() -> serve(new HttpPeer(socket)));
        }
    }

    private void serve(HttpPeer proxy) throws IOException, InterruptedException {
        try (proxy) {
            for (String head = proxy.readHead(); answer(proxy, head); head = proxy.readHead()) {}
        }
    }

    /** False where the connection is over with this answer. */
    private boolean answer(HttpPeer proxy, String head) throws IOException, InterruptedException {
        String path = head.split(" ", 3)[1];
        if (head.toLowerCase(Locale.ROOT).contains("\nexpect: 100-continue")) {
            proxy.write("HTTP/1.1 100 Continue\r\n\r\n");
        }
        proxy.skipBody(head);
        String body = head.startsWith("HEAD ") ? "" : BODY;
        switch (path) {
            case "/chunked" ->
                proxy.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n" + body + "\r\n0\r\nX-End: 1\r\n\r\n");
            case "/empty" -> proxy.write("HTTP/1.1 204 No Content\r\n\r\n");
            case "/until-close" -> proxy.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body);
            case "/broken" -> proxy.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");
            case "/websocket" -> {
                proxy.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
                proxy.skip(4);
                proxy.write("pong");
            }
            case "/slow" -> {
                slowIsHere.countDown();
                slowMayEnd.await();
                proxy.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
            default -> proxy.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n" + body);
        }
        return !path.equals("/until-close") && !path.equals("/websocket") && !path.equals("/broken");
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

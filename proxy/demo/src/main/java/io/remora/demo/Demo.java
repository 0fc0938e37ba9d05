package io.remora.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small HTTP application: {@code /} greets, {@code /echo} tells what arrived, {@code /upload} counts the bytes of a
 * body.
 *
 * <p>Bounds: loopback only; eight requests at a time.
 */
public final class Demo {
    private static final int DEFAULT_PORT = 8081;
    private static final int THREADS = 8;
    private static final int EXIT_USAGE = 64;
    private static final int EXIT_UNAVAILABLE = 69;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    private Demo(HttpServer server) {
        this.server = server;
    }

    /** Arguments: the port, 0 for any free one; 8081 without. */
    public static void main(String[] arguments) {
        int port = port(arguments);
        if (port < 0) {
            System.err.println("usage: demo [PORT], with PORT from 0 to 65535");
            System.exit(EXIT_USAGE);
        }
        try {
            Demo demo = start(port);
            Runtime.getRuntime().addShutdownHook(new Thread(demo::stop, "stop"));
            System.out.println("demo: listening on http://127.0.0.1:" + demo.port());
        } catch (IOException e) {
            System.err.println("demo: cannot listen on 127.0.0.1:" + port + ": " + e.getMessage());
            System.exit(EXIT_UNAVAILABLE);
        }
    }

    /** Listens on the loopback address; {@code port} 0 takes any free one. */
    static Demo start(int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
        Demo demo = new Demo(HttpServer.create(address, 0));
        demo.server.createContext("/", Demo::greet);
        demo.server.createContext("/echo", Demo::echo);
        demo.server.createContext("/upload", Demo::upload);
        // Answers only to the process that asked for it: another program may hold the port.
        demo.server.createContext(
                "/pid/" + ProcessHandle.current().pid(), exchange -> answer(exchange, 200, "ready\n"));
        demo.server.setExecutor(demo.threads);
        demo.server.start();
        return demo;
    }

    int port() {
        return server.getAddress().getPort();
    }

    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** The port of the command line, or -1 where it is none. */
    private static int port(String[] arguments) {
        if (arguments.length == 0) {
            return DEFAULT_PORT;
        }
        try {
            int port = Integer.parseInt(arguments[0]);
            return arguments.length == 1 && port <= 0xffff ? port : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static void greet(HttpExchange exchange) throws IOException {
        boolean root = "/".equals(exchange.getRequestURI().getPath());
        answer(
                exchange,
                root ? 200 : 404,
                root ? "Hello from the demo application.\n" : "Nothing here; try / or /echo.\n");
    }

    private static void echo(HttpExchange exchange) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append(exchange.getRequestMethod())
                .append(' ')
                .append(exchange.getRequestURI())
                .append('\n');
        for (Map.Entry<String, List<String>> field :
                exchange.getRequestHeaders().entrySet()) {
            for (String value : field.getValue()) {
                text.append(field.getKey()).append(": ").append(value).append('\n');
            }
        }
        answer(exchange, 200, text.toString());
    }

    private static void upload(HttpExchange exchange) throws IOException {
        long bytes = 0;
        try (InputStream body = exchange.getRequestBody()) {
            bytes = body.transferTo(OutputStream.nullOutputStream());
        }
        answer(exchange, 200, bytes + " bytes\n");
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        boolean head = "HEAD".equals(exchange.getRequestMethod());
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            if (!head) {
                out.write(body);
            }
        }
    }
}

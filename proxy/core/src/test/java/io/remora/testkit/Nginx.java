package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An nginx of the test's own, with a server for each TLS set-up. */
public final class Nginx implements AutoCloseable {
    private final Path directory;
    private final List<Integer> ports = new ArrayList<>();
    private final StringBuilder servers = new StringBuilder();
    private Process process;

    public Nginx(Path parent) {
        try {
            directory = Files.createTempDirectory(parent, "nginx");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port of a server with this certificate, and more lines of configuration. */
    public int server(Path certificate, Path key, String more) {
        int port = freePort();
        ports.add(port);
        servers.append("  server {\n    listen 127.0.0.1:").append(port).append(" ssl;\n");
        servers.append("    ssl_certificate ").append(certificate).append(";\n");
        servers.append("    ssl_certificate_key ").append(key).append(";\n");
        servers.append("    ").append(more).append("\n  }\n");
        return port;
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it finds and puts files. */
    public Path root() {
        return directory;
    }

    public Nginx start() {
        String config = """
                daemon off;
                user root;
                worker_processes 1;
                pid DIR/pid;
                error_log DIR/error.log info;
                events { worker_connections 512; }
                http {
                  log_format served "$server_port $request";
                  access_log DIR/access.log served;
                  client_body_temp_path DIR/body;
                  proxy_temp_path DIR/proxy;
                  fastcgi_temp_path DIR/fastcgi;
                  uwsgi_temp_path DIR/uwsgi;
                  scgi_temp_path DIR/scgi;
                  client_max_body_size 0;
                  ssl_protocols TLSv1.2 TLSv1.3;
                  root DIR;
                SERVERS}
                """.replace("SERVERS", servers).replace("DIR", directory.toString());
        try {
            Path file = Files.writeString(directory.resolve("nginx.conf"), config);
            process = new ProcessBuilder("/usr/sbin/nginx", "-p", directory.toString(), "-c", file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("out.txt").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int port : ports) {
            Await.until("nginx listens", () -> listens(port));
        }
        return this;
    }

    private boolean listens(int port) {
        if (!process.isAlive()) {
            throw new AssertionError("nginx ended: " + read("out.txt"));
        }
        return isOpen(port);
    }

    static boolean isOpen(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The requests that it has answered at a port. */
    public long served(int port) {
        return read("access.log")
                .lines()
                .filter(line -> line.startsWith(port + " "))
                .count();
    }

    private String read(String file) {
        try {
            return Files.readString(directory.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An nginx of the test's own, with a server for each TLS set-up. */
public final class Nginx implements AutoCloseable {
    private final Path directory;
    private final List<Integer> ports = new ArrayList<>();
    private final List<Path> sockets = new ArrayList<>();
    private final StringBuilder servers = new StringBuilder();
    private ServerProcess process;

    public Nginx(Path parent) {
        try {
            directory = Files.createTempDirectory(parent, "nginx");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port of a server with this certificate, and more lines of configuration. */
    public int server(Path certificate, Path key, String more) {
        int port = ServerProcess.freePort();
        ports.add(port);
        servers.append("  server {\n    listen 127.0.0.1:").append(port).append(" ssl;\n");
        servers.append("    ssl_certificate ").append(certificate).append(";\n");
        servers.append("    ssl_certificate_key ").append(key).append(";\n");
        servers.append("    ").append(more).append("\n  }\n");
        return port;
    }

    /**
     * The same.
     *
     * @param http2 whether it speaks that as well
     */
    public int server(Path certificate, Path key, String more, boolean http2) {
        int port = server(certificate, key, more);
        if (http2) {
            String plain = ":" + port + " ssl;";
            int at = servers.indexOf(plain) + plain.length() - 1;
            servers.insert(at, " http2");
        }
        return port;
    }

    /** A plain server on a Unix socket, which answers every request with its own name. */
    public Nginx socket(Path file) {
        sockets.add(file);
        servers.append("  server {\n    listen unix:").append(file).append(";\n");
        servers.append("    location / { return 200 nginx; }\n  }\n");
        return this;
    }

    /**
     * The port of a server on plain connections that answers every request with one line.
     *
     * @param words of its {@code listen} line, such as {@code proxy_protocol}
     */
    public int plain(String words, String answer) {
        int port = ServerProcess.freePort();
        ports.add(port);
        servers.append("  server {\n    listen 127.0.0.1:")
                .append(port)
                .append(' ')
                .append(words);
        servers.append(";\n    location / { return 200 \"").append(answer).append("\"; }\n  }\n");
        return port;
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
        Path file = directory.resolve("nginx.conf");
        try {
            Files.writeString(file, config);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> command = List.of("/usr/sbin/nginx", "-p", directory.toString(), "-c", file.toString());
        process = new ServerProcess(directory, "out.txt", command);
        ports.forEach(process::awaitOpen);
        sockets.forEach(socket -> Await.until("nginx is there", () -> Files.exists(socket)));
        return this;
    }

    /** The requests that it has answered at a port. */
    public long served(int port) {
        return ServerProcess.text(directory.resolve("access.log"))
                .lines()
                .filter(line -> line.startsWith(port + " "))
                .count();
    }

    @Override
    public void close() {
        process.close();
    }
}

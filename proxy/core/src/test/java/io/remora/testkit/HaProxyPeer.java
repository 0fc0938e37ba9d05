package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** HAProxy: as a client it stands between curl, which speaks plain HTTP, and the sidecar. */
public final class HaProxyPeer {
    private static final String GLOBAL = """
            global
              maxconn 64
            defaults
              mode http
              timeout connect 10s
              timeout client 10s
              timeout server 10s
            frontend in
              bind 127.0.0.1:PORT""";

    private HaProxyPeer() {}

    /**
     * It compares DNS names only, so that a certificate for the address must have {@code localhost} as well, and wants the name that it
     * asks for, so that nothing can be verified where that is another one.
     */
    static Command get(Path directory, PeerCall call) {
        String host = call.host().equals("127.0.0.1") ? "localhost" : call.host();
        boolean verifies = call.sni().isEmpty() || call.sni().equals(call.host());
        String line = "  server one 127.0.0.1:" + call.port() + " ssl ca-file " + directory.resolve("ca.crt")
                + (verifies ? " verify required verifyhost " + host : " verify none") + only(call.version())
                + " alpn http/1.1"
                + (call.sni().isEmpty() ? "" : " sni str(" + call.sni() + ")")
                + (call.own().isEmpty() ? "" : " crt " + both(directory, call.own()));
        int port = ServerProcess.freePort();
        try (PeerServer between = start(directory, port, "\n  default_backend out\nbackend out\n" + line + "\n")) {
            String url = "http://127.0.0.1:" + between.port() + "/";
            return Command.run(directory, "curl", "-sS", "-w", "%{http_code} ", url);
        }
    }

    /**
     * A load balancer before a port of this machine, on plain connections.
     *
     * @param words of its {@code server} line, such as {@code send-proxy}
     */
    public static PeerServer before(Path directory, int port, String words) {
        String line = "  server one 127.0.0.1:" + port + " " + words;
        return start(directory, ServerProcess.freePort(), "\n  default_backend out\nbackend out\n" + line + "\n");
    }

    /**
     * A server on plain connections that answers with the client's address and with the address and the port that it connected to.
     *
     * @param words of its {@code bind} line, such as {@code accept-proxy}
     */
    public static PeerServer behind(Path directory, String words) {
        String answer =
                "\n  http-request return status 200 content-type text/plain lf-string \"%[src] %[dst] %[dst_port]\"\n";
        return start(directory, ServerProcess.freePort(), " " + words + answer);
    }

    private static String only(String version) {
        return " ssl-min-ver TLSv" + version + " ssl-max-ver TLSv" + version;
    }

    static PeerServer serve(Path directory, String version, String certificate, boolean asks) {
        String bind = " ssl crt " + both(directory, certificate) + only(version) + " alpn h2,http/1.1"
                + (asks ? " verify required ca-file " + directory.resolve("ca.crt") : "");
        String answer = "\n  http-request return status 200 content-type text/plain"
                + " lf-string \"%[ssl_fc_protocol]|%[ssl_fc_sni]|%[ssl_c_s_dn(CN)]\"\n";
        return start(directory, ServerProcess.freePort(), bind + answer);
    }

    private static PeerServer start(Path directory, int port, String rest) {
        Path file = directory.resolve("haproxy-" + port + ".cfg");
        write(file, GLOBAL.replace("PORT", Integer.toString(port)) + rest);
        return new PeerServer(directory, port, List.of(PeerProgram.find("haproxy"), "-db", "-f", file.toString()));
    }

    /** It wants the key in the file of the chain. */
    private static Path both(Path directory, String name) {
        Path file = directory.resolve(name + "-both.pem");
        write(
                file,
                ServerProcess.text(directory.resolve(name + ".crt"))
                        + ServerProcess.text(directory.resolve(name + ".key")));
        return file;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.remora.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code gnutls-cli} and {@code gnutls-serv}. */
final class GnuTlsPeer {
    private GnuTlsPeer() {}

    static Command get(Path directory, PeerCall call) {
        List<String> command = new ArrayList<>(List.of("gnutls-cli", "--x509cafile", "ca.crt", "--port"));
        command.addAll(List.of(Integer.toString(call.port()), "--priority", priority(call.version())));
        command.addAll(List.of("--alpn", "h2", "--alpn", "http/1.1", "--verify-hostname", call.host()));
        command.addAll(call.sni().isEmpty() ? List.of("--disable-sni") : List.of("--sni-hostname", call.sni()));
        if (!call.own().isEmpty()) {
            command.addAll(List.of("--x509certfile", call.own() + ".crt", "--x509keyfile", call.own() + ".key"));
        }
        command.add("127.0.0.1");
        String request = "GET / HTTP/1.1\r\nHost: " + call.host() + "\r\nConnection: close\r\n\r\n";
        return Command.held(directory, request, command.toArray(new String[0]));
    }

    private static String priority(String version) {
        return "NORMAL:-VERS-ALL:+VERS-TLS" + version;
    }

    /** Its page has both somewhere in its HTML. As a server of HTTP it cannot require a certificate. */
    static PeerServer serve(Path directory, String version, String certificate, boolean asks) {
        int port = ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of("gnutls-serv", "--http", "--port", Integer.toString(port)));
        command.addAll(List.of("--priority", priority(version)));
        command.addAll(List.of("--x509certfile", certificate + ".crt", "--x509keyfile", certificate + ".key"));
        if (asks) {
            command.addAll(List.of("--verify-client-cert", "--x509cafile", "ca.crt"));
        }
        return new PeerServer(directory, port, command);
    }
}

package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@link JdkPeer} in a process of the JDK that runs the tests. */
final class JdkProcess {
    private JdkProcess() {}

    static Command get(Path directory, PeerCall call) {
        boolean byName = call.sni().equals(call.host());
        List<String> command = java(directory, call.host());
        command.addAll(List.of("client", Integer.toString(call.port()), call.version(), call.host()));
        command.addAll(List.of(byName || call.sni().isEmpty() ? "-" : call.sni(), "ca.crt"));
        if (!call.own().isEmpty()) {
            command.add(store(directory, call.own()));
        }
        return Command.run(directory, command.toArray(new String[0]));
    }

    static PeerServer serve(Path directory, String version, String certificate, boolean asks) {
        int port = ServerProcess.freePort();
        List<String> command = java(directory, "localhost");
        command.addAll(List.of("server", Integer.toString(port), version, store(directory, certificate)));
        command.addAll(asks ? List.of("ca.crt") : List.of());
        return new PeerServer(directory, port, command);
    }

    /** For which a name is this machine's. */
    private static List<String> java(Path directory, String host) {
        try {
            Path hosts = directory.resolve("hosts-" + host);
            Files.writeString(hosts, "127.0.0.1 " + host + "\n");
            Path classes = Path.of(JdkPeer.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Djdk.net.hosts.file=" + hosts,
                    "-cp",
                    classes.toString(),
                    JdkPeer.class.getName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static String store(Path directory, String name) {
        String file = name + ".p12";
        Command.run(
                        directory,
                        "openssl",
                        "pkcs12",
                        "-export",
                        "-in",
                        name + ".crt",
                        "-inkey",
                        name + ".key",
                        "-passout",
                        "pass:secret",
                        "-out",
                        file)
                .good();
        return file;
    }
}

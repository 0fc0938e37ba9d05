package io.remora.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Go's {@code net/http} and {@code crypto/tls}, by a program that is built once in a directory, without the network. */
public final class GoPeer {
    /** Number of no group, with which Go selects one. */
    private static final int ANY = 0;

    /** The first time it compiles Go's own library. */
    private static final int BUILD_SECONDS = 300;

    private GoPeer() {}

    /** Returns the second number of Go's version, such as 24 of go1.24.1. */
    public static int minorVersion(Path directory) {
        String told = Command.run(
                        directory, "sh", "-c", "GOTOOLCHAIN=local exec " + PeerProgram.find("go") + " env GOVERSION")
                .good();
        return Integer.parseInt(told.strip().split("[^0-9]+")[2]);
    }

    private static String program(Path directory) {
        Path program = directory.resolve("go-peer");
        if (!Files.exists(program)) {
            try (InputStream source = GoPeer.class.getResourceAsStream("peer.go")) {
                Files.write(directory.resolve("peer.go"), source.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String build = "GOTOOLCHAIN=local GOPROXY=off CGO_ENABLED=0 exec " + PeerProgram.find("go")
                    + " build -o go-peer peer.go";
            Command.run(directory, BUILD_SECONDS, "sh", "-c", build).good();
        }
        return program.toString();
    }

    static Command get(Path directory, PeerCall call) {
        return get(directory, call, ANY);
    }

    /** Sends two requests over a connection that offers only this group, one of IANA's TLS Supported Groups. */
    public static Command get(Path directory, PeerCall call, int group) {
        List<String> command = new ArrayList<>(List.of(program(directory), "client", "-ca", "ca.crt", "-port"));
        command.addAll(List.of(Integer.toString(call.port()), "-version", call.version(), "-host", call.host()));
        command.addAll(List.of("-sni", call.sni(), "-group", Integer.toString(group)));
        if (!call.own().isEmpty()) {
            command.addAll(own(call.own()));
        }
        return Command.run(directory, command.toArray(new String[0]));
    }

    private static List<String> own(String name) {
        return List.of("-cert", name + ".crt", "-key", name + ".key");
    }

    static PeerServer serve(Path directory, String version, String certificate, boolean asks) {
        return serve(directory, version, certificate, asks, ANY);
    }

    /** Starts a server that supports only this group, one of IANA's TLS Supported Groups. */
    public static PeerServer serve(Path directory, String version, String certificate, boolean asks, int group) {
        int port = ServerProcess.freePort();
        List<String> command = new ArrayList<>(List.of(program(directory), "server", "-version", version, "-port"));
        command.addAll(List.of(Integer.toString(port), "-group", Integer.toString(group)));
        command.addAll(own(certificate));
        command.addAll(asks ? List.of("-ca", "ca.crt") : List.of());
        return new PeerServer(directory, port, command);
    }
}

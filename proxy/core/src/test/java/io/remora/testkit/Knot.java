package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Knot DNS, an authoritative server of the test's own, with a zone {@code test} that the test writes, one, {@code broken}, without a file, and
 * one, {@code other}, in which {@code host} is {@code 10.0.0.99}.
 */
public final class Knot implements AutoCloseable {
    private static final String CONFIG = """
            server:
              rundir: DIR
              listen: 127.0.0.1@PORT
              udp-workers: 1
              tcp-workers: 1
              background-workers: 1
            control:
              listen: DIR/knot.sock
            database:
              storage: DIR/db
            log:
              - target: stdout
                any: info
            template:
              - id: default
                storage: DIR
                zonefile-sync: -1
                zonefile-load: whole
            zone:
              - domain: test
                file: test.zone
              - domain: broken
                file: missing.zone
              - domain: other
                file: other.zone
            """;
    private static final String ZONE = """
            $ORIGIN test.
            @ 60 IN SOA ns.test. admin.test. SERIAL 60 60 600 1
            @ 60 IN NS ns
            ns 60 IN A 127.0.0.1
            """;

    private final Path directory;
    private final int port = ServerProcess.freePort();
    private static final String OTHER_ZONE = """
            $ORIGIN other.
            @ 60 IN SOA ns.other. admin.other. 1 60 60 600 1
            @ 60 IN NS ns
            ns 60 IN A 127.0.0.1
            host 0 IN A 10.0.0.99
            """;

    private int serial = 1;
    private ServerProcess process;

    private Knot(Path directory) {
        this.directory = directory;
    }

    /** What would have to be installed; empty where nothing is missing. */
    public static String missing() {
        return PeerProgram.find("knotd").isEmpty() || PeerProgram.find("knotc").isEmpty()
                ? "knot is not installed"
                : "";
    }

    /** With these records in its zone, beside those that each zone has. */
    public static Knot start(Path parent, String records) {
        try {
            Knot knot = new Knot(Files.createTempDirectory(parent, "knot"));
            knot.write(records);
            String config =
                    CONFIG.replace("PORT", Integer.toString(knot.port)).replace("DIR", knot.directory.toString());
            Files.writeString(knot.directory.resolve("knot.conf"), config);
            Files.writeString(knot.directory.resolve("other.zone"), OTHER_ZONE);
            knot.start();
            return knot;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it was before, with what its zone has now. */
    public void start() {
        process = new ServerProcess(
                directory,
                "out.txt",
                List.of(
                        PeerProgram.find("knotd"),
                        "-c",
                        directory.resolve("knot.conf").toString()));
        process.awaitOpen(port);
        // it listens before it has read its zones
        Await.until(
                "the zone is loaded",
                () -> output().contains("[test.] loaded") && output().contains("[other.] loaded"));
    }

    private String output() {
        return ServerProcess.text(directory.resolve("out.txt"));
    }

    private void write(String records) throws IOException {
        String zone = ZONE.replace("SERIAL", Integer.toString(serial++)) + records;
        Files.writeString(directory.resolve("test.zone"), zone);
    }

    /** From when this returns, its zone has these records instead. */
    public void zone(String records) {
        try {
            write(records);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String config = directory.resolve("knot.conf").toString();
        Command.run(directory, PeerProgram.find("knotc"), "-c", config, "-b", "zone-reload", "test")
                .good();
    }

    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    public int port() {
        return port;
    }

    /** It is gone, and its port refuses. */
    public void stop() {
        process.close();
    }

    @Override
    public void close() {
        process.close();
    }
}

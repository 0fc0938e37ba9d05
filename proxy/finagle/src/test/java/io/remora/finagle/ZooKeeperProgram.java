package io.remora.finagle;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** A ZooKeeper of one server, in a process of its own, and a client by which members join serversets and leave them. */
final class ZooKeeperProgram implements AutoCloseable {
    private static final int SESSION_MS = 10_000;

    private final Path directory;
    private final int port;
    private @Nullable Process process;
    private @Nullable ZooKeeper client;
    private Path lastLog;
    private int starts;
    private boolean additional;

    private ZooKeeperProgram(Path directory, int port) {
        this.directory = directory;
        this.port = port;
        this.lastLog = directory;
    }

    static ZooKeeperProgram start(Path directory) throws IOException {
        ZooKeeperProgram program = new ZooKeeperProgram(directory, FreePort.next());
        program.begin();
        return program;
    }

    int port() {
        return port;
    }

    /** With what was in it before. */
    void begin() throws IOException {
        Path data = Files.createDirectories(directory.resolve("zookeeper"));
        Path config = Files.writeString(directory.resolve("zoo.cfg"), """
                tickTime=500
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                admin.enableServer=false
                """.formatted(data, port));
        Path log = directory.resolve("zookeeper-" + ++starts + ".log");
        lastLog = log;
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path", ""),
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        // not by a connection: one that comes before it has its data is forgotten, and its client waits for ten seconds
        Await.until("ZooKeeper has begun", () -> hasLogged("PrepRequestProcessor"));
    }

    /** Whether it has said so since it was started last. */
    boolean hasLogged(String text) {
        try {
            return Files.readString(lastLog).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** It is gone without a word, as by a crash: no session has ended, and no member has left. */
    void kill() throws InterruptedException {
        Process killed = process;
        if (killed != null) {
            killed.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            process = null;
        }
        endClient();
    }

    private ZooKeeper client() throws IOException {
        ZooKeeper known = client;
        if (known == null) {
            known = new ZooKeeper("127.0.0.1:" + port, SESSION_MS, event -> {});
            client = known;
            ZooKeeper opened = known;
            Await.until("a session", () -> opened.getState() == ZooKeeper.States.CONNECTED);
        }
        return known;
    }

    /** Whether members have their port as the additional endpoint {@code http}. */
    void additional() {
        additional = true;
    }

    /** A member of a serverset; tells its node. */
    String join(String set, int memberPort) throws IOException, InterruptedException, KeeperException {
        return join(set, memberPort, "ALIVE");
    }

    String join(String set, int memberPort, String status) throws IOException, InterruptedException, KeeperException {
        StringBuilder at = new StringBuilder();
        for (String word : set.substring(1).split("/")) {
            at.append('/').append(word);
            if (client().exists(at.toString(), false) == null) {
                client().create(at.toString(), new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
        // the port is that of the endpoint that the set's name asks for; nobody listens at the other one
        String member = "{\"serviceEndpoint\":{\"host\":\"127.0.0.1\",\"port\":%d},\"additionalEndpoints\":"
                + "{\"http\":{\"host\":\"127.0.0.1\",\"port\":%d}},\"status\":\"%s\",\"shard\":0}";
        String json = member.formatted(additional ? 1 : memberPort, additional ? memberPort : 1, status);
        return client().create(
                        set + "/member_",
                        json.getBytes(StandardCharsets.UTF_8),
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL);
    }

    /** How much a member is to get, where others get 1. */
    void weigh(String set, String member, double weight) throws IOException, InterruptedException, KeeperException {
        String json = "{\"vector\":[{\"select\":\"member=" + member.substring(member.lastIndexOf('/') + 1)
                + "\",\"weight\":" + weight + ",\"priority\":1}]}";
        client().create(
                        set + "/vector_",
                        json.getBytes(StandardCharsets.UTF_8),
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL);
    }

    void leave(String member) throws IOException, InterruptedException, KeeperException {
        client().delete(member, -1);
    }

    List<String> members(String set) throws IOException, InterruptedException, KeeperException {
        return client().getChildren(set, false);
    }

    String data(String node) throws IOException, InterruptedException, KeeperException {
        return new String(client().getData(node, false, null), StandardCharsets.UTF_8);
    }

    /** Somebody else's word in a member's node. */
    void write(String node, String data) throws IOException, InterruptedException, KeeperException {
        client().setData(node, data.getBytes(StandardCharsets.UTF_8), -1);
    }

    private void endClient() throws InterruptedException {
        if (client != null) {
            client.close(1_000);
            client = null;
        }
    }

    @Override
    public void close() {
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

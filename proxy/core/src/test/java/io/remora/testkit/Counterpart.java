package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Consul, Kubernetes, gRPC's server, Jaeger and Prometheus themselves, each started for one test and gone with it. Their programs are
 * named by system properties, which {@code scripts/test-sources}, {@code scripts/test-h2} and {@code scripts/test-traces} set.
 */
public final class Counterpart implements AutoCloseable {
    public static final String TOKEN = "f0e1d2c3-secret";

    private static final int START_MS = 60_000;

    private final Path directory;
    private final int port = ServerProcess.freePort();
    private final List<String> command;
    private final String output;
    private ServerProcess process;

    private Counterpart(Path directory, String output, List<String> command) {
        this.directory = directory;
        this.output = output;
        List<String> words = new ArrayList<>();
        for (String word : command) {
            words.add(word.replace("PORT", Integer.toString(port)));
        }
        this.command = words;
        start();
    }

    /** Where a program is. */
    public static String program(String name) {
        String path = System.getProperty("remora.test." + name);
        if (path == null) {
            throw new AssertionError("no " + name
                    + ": run scripts/test-sources, scripts/test-h2, scripts/test-traces or scripts/test-websocket");
        }
        return path;
    }

    /** An agent in dev mode whose default is to let nobody see anything; {@link #TOKEN} may do everything. */
    public static Counterpart consul(Path directory) {
        try {
            Path config = Files.writeString(directory.resolve("acl.json"), """
                    {"acl": {"enabled": true, "default_policy": "deny", "tokens": {"initial_management": "TOKEN", "agent": "TOKEN"}},
                     "ports": {"dns": -1, "grpc": -1, "grpc_tls": -1, "serf_wan": -1,
                               "server": SERVER, "serf_lan": LAN}}
                    """.replace("TOKEN", TOKEN)
                    .replace("SERVER", "" + ServerProcess.freePort())
                    .replace("LAN", "" + ServerProcess.freePort()));
            Counterpart agent = new Counterpart(
                    directory,
                    "consul.txt",
                    List.of(
                            program("consul"),
                            "agent",
                            "-dev",
                            "-bind=127.0.0.1",
                            "-http-port=PORT",
                            "-config-file=" + config));
            agent.process.await(Await.TIMEOUT_MS, () -> agent.ask("GET", "/v1/status/leader", "")
                    .contains("127.0.0.1"));
            agent.process.await(Await.TIMEOUT_MS, () -> agent.ask("GET", "/v1/acl/token/self", "")
                    .contains("global-management"));
            return agent;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server of gRPC's interoperability tests. */
    public static Counterpart grpcServer(Path directory) {
        return new Counterpart(directory, "grpc.txt", List.of(program("grpc-server"), "-port=PORT"));
    }

    /**
     * Jaeger, which takes OTLP over HTTP and keeps it in memory.
     *
     * @param queryPort where it tells of what it has
     */
    public static Counterpart jaeger(Path directory, int queryPort) {
        Path config = write(directory.resolve("jaeger.yaml"), """
                service:
                  extensions: [jaeger_storage, jaeger_query]
                  pipelines:
                    traces: {receivers: [otlp], exporters: [jaeger_storage_exporter]}
                  telemetry: {metrics: {level: none}}
                extensions:
                  jaeger_storage: {backends: {main: {memory: {max_traces: 1000}}}}
                  jaeger_query:
                    storage: {traces: main}
                    http: {endpoint: "127.0.0.1:QUERY"}
                    grpc: {endpoint: "127.0.0.1:GRPC"}
                receivers:
                  otlp: {protocols: {http: {endpoint: "127.0.0.1:${env:OTLP}"}}}
                exporters:
                  jaeger_storage_exporter: {trace_storage: main}
                """.replace("QUERY", "" + queryPort)
                .replace("GRPC", "" + ServerProcess.freePort()));
        Counterpart jaeger = new Counterpart(
                directory, "jaeger.txt", List.of("env", "OTLP=PORT", program("jaeger"), "--config=" + config));
        jaeger.process.await(START_MS, () -> jaeger.process.isOpen(queryPort));
        return jaeger;
    }

    /** Prometheus, which asks this port for metrics each second, and keeps exemplars. */
    public static Counterpart prometheus(Path directory, int askedPort) {
        Path config = write(directory.resolve("prometheus.yaml"), """
                global: {scrape_interval: 1s}
                scrape_configs:
                  - {job_name: remora, static_configs: [{targets: ["127.0.0.1:%d"]}]}
                """.formatted(askedPort));
        return new Counterpart(
                directory,
                "prometheus.txt",
                List.of(
                        program("prometheus"),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--enable-feature=exemplar-storage",
                        "--web.listen-address=127.0.0.1:PORT"));
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Counterpart etcd(Path directory) {
        int peers = ServerProcess.freePort();
        return new Counterpart(
                directory,
                "etcd.txt",
                List.of(
                        program("etcd"),
                        "--data-dir=etcd",
                        "--listen-client-urls=http://127.0.0.1:PORT",
                        "--advertise-client-urls=http://127.0.0.1:PORT",
                        "--listen-peer-urls=http://127.0.0.1:" + peers,
                        "--initial-advertise-peer-urls=http://127.0.0.1:" + peers,
                        "--initial-cluster=default=http://127.0.0.1:" + peers));
    }

    /** An API server over etcd, with a certificate of its own below {@code certs}, where {@link #TOKEN} may do everything. */
    public static Counterpart apiServer(Path directory, Counterpart etcd) {
        try {
            Files.writeString(directory.resolve("tokens.csv"), TOKEN + ",admin,admin,system:masters\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Command.run(directory, "openssl", "genrsa", "-out", "account.key", "2048")
                .good();
        Command.run(directory, "openssl", "rsa", "-in", "account.key", "-pubout", "-out", "account.pub")
                .good();
        Counterpart server = new Counterpart(
                directory,
                "kube-apiserver.txt",
                List.of(
                        program("kube-apiserver"),
                        "--etcd-servers=http://127.0.0.1:" + etcd.port,
                        "--service-cluster-ip-range=10.0.0.0/24",
                        "--service-account-issuer=https://kubernetes.default.svc",
                        "--service-account-key-file=account.pub",
                        "--service-account-signing-key-file=account.key",
                        "--cert-dir=certs",
                        "--bind-address=127.0.0.1",
                        "--secure-port=PORT",
                        "--authorization-mode=AlwaysAllow",
                        "--anonymous-auth=false",
                        "--token-auth-file=tokens.csv",
                        "--disable-admission-plugins=ServiceAccount",
                        "--endpoint-reconciler-type=none"));
        server.awaitReady();
        return server;
    }

    private void awaitReady() {
        process.await(90_000, () -> askKubernetes("GET", "/readyz", "").equals("ok"));
    }

    public int port() {
        return port;
    }

    /** What it answers there, or on another of its ports. */
    public String get(String target) {
        return get(port, target);
    }

    public String get(int at, String target) {
        String octets = Command.run(directory, "curl", "-s", "-m", "10", "http://127.0.0.1:" + at + target)
                .output();
        return new String(octets.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** What Consul answers. */
    public String ask(String method, String path, String body) {
        return curl("http://127.0.0.1:" + port + path, "X-Consul-Token: " + TOKEN, method, body);
    }

    /** What the API server answers. */
    public String askKubernetes(String method, String path, String body) {
        return curl("https://127.0.0.1:" + port + path, "Authorization: Bearer " + TOKEN, method, body);
    }

    private String curl(String url, String token, String method, String body) {
        List<String> words = new ArrayList<>(List.of("curl", "-sk", "-m", "10", "-X", method, "-H", token));
        if (!body.isEmpty()) {
            words.addAll(List.of("-H", "Content-Type: application/json", "--data-binary", body));
        }
        words.add(url);
        return Command.run(directory, words.toArray(new String[0])).output();
    }

    /** It is gone, and its port refuses. */
    public void stop() {
        process.close();
    }

    /** Where it was before; of Consul in dev mode, without anything that it knew. */
    public void start() {
        process = new ServerProcess(directory, output, command);
        process.await(START_MS, () -> process.isOpen(port));
    }

    /** The same once it is ready again. */
    public void startKubernetes() {
        start();
        awaitReady();
    }

    @Override
    public void close() {
        process.close();
    }
}

package io.remora.webhook;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.FreePort;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code remora injector} as a process, with certificates from files, and curl as its API server. */
final class InjectorProcess implements AutoCloseable {
    /** Name that its certificates have. */
    static final String HOST = "remora-injector.remora-system.svc";

    private static final int PATIENCE_SECONDS = 60;

    private final Path directory;
    private final Path log;
    private final Process process;
    private final int port = FreePort.next();
    private final int healthPort = FreePort.next();

    /**
     * @param directory with {@code tls.crt}, {@code tls.key} and {@code ca.crt}
     */
    InjectorProcess(Path directory, List<String> jvmOptions) throws IOException {
        this(directory, jvmOptions, Map.of());
    }

    /**
     * @param environment added to that of this test
     */
    InjectorProcess(Path directory, List<String> jvmOptions, Map<String, String> environment) throws IOException {
        this.directory = directory;
        this.log = directory.resolve("injector.log");
        Path settings = Files.writeString(
                directory.resolve("injector.yaml"),
                "webhook:\n  address: 127.0.0.1:" + port + "\n  health: 127.0.0.1:" + healthPort
                        + "\n  tls: {directory: " + directory + "}\n  service-account: " + directory + "\n");
        List<String> command = new ArrayList<>(SidecarProcess.command(jvmOptions));
        command.subList(command.indexOf("run"), command.size()).clear();
        command.addAll(List.of("injector", "--config", settings.toString()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
    }

    InjectorProcess awaitReady() {
        boolean ready = Await.within(1_000 * PATIENCE_SECONDS, () -> {
            if (!process.isAlive()) {
                throw new AssertionError(log());
            }
            return health("/ready").equals("ready\n200");
        });
        if (!ready) {
            close();
            throw new AssertionError("not ready: " + log());
        }
        return this;
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Port of the webhook, with TLS. */
    int port() {
        return port;
    }

    int healthPort() {
        return healthPort;
    }

    /** Body and status of a page of the health port; status 000 where nobody answers. */
    String health(String path) {
        return Command.run(directory, "curl", "-s", "-w", "%{http_code}", "http://127.0.0.1:" + healthPort + path)
                .output();
    }

    /** The arguments of a curl that trusts the authority and knows the name. */
    private List<String> curl(String... more) {
        List<String> command = new ArrayList<>(List.of("curl", "-s", "--cacert", "ca.crt", "--resolve"));
        command.add(HOST + ':' + port + ":127.0.0.1");
        command.addAll(List.of(more));
        return command;
    }

    String url(String path) {
        return "https://" + HOST + ':' + port + path;
    }

    /** Output of curl. */
    String call(String... more) {
        return Command.run(directory, curl(more).toArray(new String[0])).output();
    }

    /** Body and status of the response to a review. */
    String post(String review) throws IOException {
        Path file = Files.writeString(Files.createTempFile(directory, "review", ".json"), review);
        return call("-w", "%{http_code}", "--data-binary", "@" + file, url("/mutate?timeout=5s"));
    }

    /** A call that goes on next to the test. */
    Process begin(String... more) throws IOException {
        return new ProcessBuilder(curl(more))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
    }

    void terminate() {
        process.destroy();
    }

    int status() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end: " + log());
        }
        return process.exitValue();
    }

    /** The review of a pod's creation, as an API server sends it. */
    static String review(String namespace, Map<String, String> annotations, String more) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> each : annotations.entrySet()) {
            text.append(text.isEmpty() ? "" : ",")
                    .append('"')
                    .append(each.getKey())
                    .append("\":\"")
                    .append(each.getValue())
                    .append('"');
        }
        return "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"u-1\","
                + "\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"
                + "\"resource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},"
                + "\"namespace\":\"" + namespace + "\",\"operation\":\"CREATE\",\"userInfo\":{},\"object\":{"
                + "\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"generateName\":\"app-\",\"annotations\":{"
                + text + "}},\"spec\":{\"containers\":[{\"name\":\"app\",\"image\":\"app:1\"" + more
                + "}]}},\"oldObject\":null,\"dryRun\":false,\"options\":null}}";
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

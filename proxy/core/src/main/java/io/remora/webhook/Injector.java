package io.remora.webhook;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.remora.inject.InjectException;
import io.remora.inject.InjectorSettings;
import io.remora.inject.PodInjector;
import io.remora.inject.ProfileTable;
import io.remora.inject.SettingsReader;
import io.remora.log.Log;
import io.remora.memory.NativePages;
import io.remora.metrics.TlsStats;
import io.remora.tls.ProcessTls;
import io.remora.tls.TlsContext;
import io.remora.tls.TlsHandshake;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code remora injector}: the webhook's server, its upkeep, and its end in order.
 *
 * <p>Owner: the main thread, which does the upkeep. One event loop serves both ports.
 */
public final class Injector implements Upkeep.Shown {
    private static final String SERVICE = "remora-injector";
    private static final String SECRET = "remora-injector-tls";
    private static final String API_HOST = "KUBERNETES_SERVICE_HOST";
    private static final String API_PORT = "KUBERNETES_SERVICE_PORT";
    private static final String NAMESPACE = "REMORA_POD_NAMESPACE";
    private static final int MAX_HANDSHAKES = 64;
    /** Time from the end of readiness until no API server calls any more. */
    private static final long LEAVE_MS = 5_000;
    /** Time for the connections that are left then. */
    private static final long DRAIN_MS = 15_000;

    private static final long STEP_MS = 100;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1,
            new ThreadFactory() {
                @Override
                public Thread newThread(Runnable work) {
                    Thread thread = new FastThreadLocalThread(work, "remora-injector");
                    thread.setDaemon(true);
                    return thread;
                }
            },
            NioIoHandler.newFactory());
    private final ProcessTls tls = new ProcessTls();
    private final TlsStats tlsStats = ProcessTls.stats("listener", SERVICE);
    private final ReviewStats stats = new ReviewStats();
    private final WebhookSettings settings;
    private final Reviews reviews;
    private final Upkeep upkeep;
    /** Null before there is a certificate. */
    private @Nullable TlsHandshake handshake;

    private @Nullable WebhookServer server;

    private Injector(WebhookSettings settings, PodInjector injector) throws IOException {
        this.settings = settings;
        String namespace = namespace(settings);
        this.reviews = new Reviews(injector, namespace, stats);
        Path directory = settings.tlsDirectory();
        this.upkeep = directory == null ? ofOwn(namespace) : Upkeep.ofFiles(this, stats, directory);
    }

    private Upkeep ofOwn(String namespace) throws IOException {
        String host = System.getenv(API_HOST);
        String port = System.getenv(API_PORT);
        if (host == null || port == null) {
            throw new IOException("the injector runs in a pod of Kubernetes only: " + API_HOST + " and " + API_PORT
                    + " are not set; or set webhook.tls.directory");
        }
        ApiClient api = new ApiClient(group, tls, host, Integer.parseInt(port), settings.account());
        String name = SERVICE + '.' + namespace;
        return Upkeep.ofOwn(
                this,
                stats,
                List.of(name + ".svc", name + ".svc.cluster.local", name, SERVICE),
                new CertificateStore(api, namespace, SECRET),
                new Registration(api, SERVICE, namespace, SERVICE));
    }

    /** The namespace of its own pod, which has no folder of a service account where it does not call the API server. */
    private static String namespace(WebhookSettings settings) throws IOException {
        String given = System.getenv(NAMESPACE);
        if (given != null && !given.isBlank()) {
            return given.strip();
        }
        Path file = settings.account().resolve("namespace");
        return Files.isReadable(file) ? Files.readString(file).strip() : "remora-system";
    }

    /**
     * Runs until {@code end} is counted down, and then until it is drained.
     *
     * @param file injector.yaml
     * @throws InjectException with all problems of the file
     */
    public static void run(Path file, CountDownLatch end) throws IOException, InjectException, InterruptedException {
        ProfileTable table = ProfileTable.ofThisImage();
        InjectorSettings read = SettingsReader.read(file, table);
        List<String> problems = new ArrayList<>();
        WebhookSettings webhook = WebhookSettings.read(read.webhook(), problems);
        if (!problems.isEmpty()) {
            throw new IOException(file + ": " + String.join("\n" + file + ": ", problems));
        }
        new Injector(webhook, new PodInjector(read, table)).serve(end);
    }

    private void serve(CountDownLatch end) throws IOException, InterruptedException {
        InjectorHealth pages = new InjectorHealth(upkeep, stats);
        WebhookServer health = WebhookServer.start("health", settings.health(), group, Handshake.NONE, pages);
        Log.info("injector: started health=" + health.address());
        boolean ended = false;
        while (!ended) {
            long waitMs = upkeep.turn(System.currentTimeMillis());
            // what has begun has read more files than it needs from now on
            NativePages.dropFiles();
            ended = end.await(waitMs, TimeUnit.MILLISECONDS);
        }
        pages.end();
        WebhookServer served = server;
        if (served != null) {
            Log.info("injector: draining; serving connections until they end");
            Thread.sleep(LEAVE_MS);
            served.drain();
            for (long restMs = DRAIN_MS; !served.finish() && restMs > 0; restMs -= STEP_MS) {
                Thread.sleep(STEP_MS);
            }
        }
        tls.close();
        Log.info("stopped");
    }

    @Override
    public void show(List<byte[]> chain, byte[] key) throws IOException {
        TlsContext context = tls.serverContext(chain, key);
        if (handshake != null) {
            handshake.replace(context);
            return;
        }
        TlsHandshake made = tls.server("webhook", context, MAX_HANDSHAKES, tlsStats);
        server = WebhookServer.start("webhook", settings.address(), group, made, reviews);
        handshake = made;
        Log.info("injector: listening address=" + server.address());
    }
}

package io.remora.admin;

import io.netty.util.internal.PlatformDependent;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.http1.WholeRequests;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.metrics.ClusterText;
import io.remora.metrics.Exposition;
import io.remora.metrics.LatencyLog;
import io.remora.metrics.LatencyTotals;
import io.remora.metrics.RunState;
import io.remora.text.Pieces;
import io.remora.transport.Link;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pages of the admin listener. Pages that change something take POST; pages that only report take GET or HEAD. The
 * comments of their paths are the sentences of docs/admin.md.
 *
 * <p>Owner: the admin thread, which reads counters that the event loops write. No page that reports involves an event loop.
 */
final class AdminPages implements Pages {
    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    /** Lists the admin pages. */
    private static final String ROOT = "/";
    /**
     * Returns the [metrics](metrics.md) in Prometheus text format 0.0.4. If {@code tracing} is configured and {@code
     * Accept} prefers {@code application/openmetrics-text}, the format is OpenMetrics 1.0 with
     * [exemplars](tracing.md#exemplars).
     */
    static final String METRICS = "/metrics";
    /** Returns the effective configuration, with defaults filled in and credentials masked. */
    private static final String CONFIG = "/config";
    /**
     * Lists each cluster with its endpoint source, the state and age of the last answer, and the requests that wait for
     * the first answer. Each endpoint is listed with its weight, zone and priority, its open, idle and active
     * connections, and its exchanges. The page also counts connection attempts, failures, reused connections, and
     * exhausted pools. If the sidecar tracks latency or health, the page shows the latency of the endpoint, and the
     * reason why it is out of use. A template lists every host. Use {@code ?format=json} or {@code Accept:
     * application/json} to get JSON.
     */
    private static final String CLUSTERS = "/clusters";
    /**
     * Shows the [dashboard](dashboard.md), a page for browsers with live figures of traffic, memory, endpoints and
     * failures. With {@code admin.pages: act} it can start a drain, change the log level and take profiles.
     */
    private static final String DASHBOARD = "/dashboard";
    /**
     * Lists every thread with its kernel id, CPU time in milliseconds, state and name, followed by the JVM's view of
     * the threads. {@code ?stacks=true} adds the stack of each thread, and briefly stops all threads to take them. A
     * stack shows the kernel id and the CPU time of its thread where no other thread has the same first 15 characters.
     */
    private static final String THREADS = "/threads";
    /**
     * Shows memory in bytes, one value per line. The page includes resident memory by kind and its peak, the heap, each
     * memory pool and code cache segment, and direct memory. It shows the memory limit and the memory charged to it.
     * For the pool for buffers and sockets, it shows the size, the reserved part, and the share of TLS. It also shows
     * the retained heads, the heap that is planned for each connection and exchange, and the memory that OpenSSL or
     * AWS-LC has allocated. If {@code tracing} is configured, the page adds the memory that span arrays use, and the
     * most that traces may use.
     */
    private static final String MEMORY = "/memory";
    /**
     * Shows the image, the profile and the largest code cache and resident memory since the start, one value per line.
     * A table follows with the peaks of the last 24 hours in which requests were served. Its columns are rate
     * (exchanges per second), connections, exchanges in flight, memory charged to the limit, heap after a collection,
     * direct memory and limit. [remora advise](advise.md) reads this page.
     */
    private static final String PEAKS = "/peaks";
    /** Returns latencies as an HdrHistogram interval log. See [the latency log](#the-latency-log). */
    private static final String LATENCY = "/latency.hlog";
    /**
     * Returns 202, stops accepting connections, and lets exchanges finish. The process keeps running.
     * {@code ?direction=inbound} drains the inbound listeners only, {@code delay=5s} keeps their ports open for that
     * time, and {@code wait=20s} waits for the end, which returns 200 or 503. See
     * [lifecycle.md](lifecycle.md#drain-requests).
     */
    private static final String DRAIN = "/drain";
    /**
     * Reloads the configuration file. It returns 200 with a summary of the changes, or 422 with every problem, in which
     * case nothing changes. See [reload.md](reload.md).
     */
    private static final String RELOAD = "/reload";
    /** Returns 202, drains the sidecar, and then exits with status 0. */
    private static final String SHUTDOWN = "/shutdown";

    private static final String[] PAGES = {
        ROOT, LIVE, READY, METRICS, CONFIG, CLUSTERS, THREADS, MEMORY, PEAKS, LATENCY,
    };
    private static final String[] MUTATIONS = {DRAIN, RELOAD, SHUTDOWN};
    private static final String[] INSIGHTS = {
        HeapPages.HISTOGRAM,
        HeapPages.DUMP,
        CompilerEventsPage.PATH,
        LongTurnsPage.PATH,
        NativeMemoryPage.PATH,
        ProfilePage.PATH,
    };
    private static final String INDEX = """
            GET  /live               200 while the event loops turn, else 503
            GET  /ready              200 while every listener accepts, else 503
            GET  /metrics            counters and histograms, Prometheus text
            GET  /config             the effective configuration
            GET  /clusters           endpoints, their sources and connections; ?format=json
            GET  /dashboard          live figures, for a browser
            GET  /threads            threads, states, CPU time; ?stacks=true adds their stacks
            GET  /memory             memory by kind, in bytes
            GET  /peaks              peaks of traffic and memory, by hour
            GET  /latency.hlog       latencies since the previous request for this page, HdrHistogram log
            POST /drain              stop accepting, let exchanges finish; ?direction=inbound&delay=5s&wait=20s
            POST /heap-histogram     objects in the heap by class, the largest first
            POST /heap-dump          writes the heap to a file in the directory of admin.heap-dump
            POST /compiler-events    what the compilers do, live; ?duration=10s
            POST /long-turns         long turns of the event loops with their stacks, live; ?duration=10s&above=50ms
            POST /native-memory      memory of the JVM by its native memory tracking; ?action=baseline or diff
            POST /profile            CPU time, waits or allocations by stack; ?kind=cpu&seconds=30&format=html&slow=10
            GET  /log-level          the levels of the sidecar's own log
            POST /log-level          ?level= or body: debug, info, warn, error; ?component= for one alone
            POST /reload             reload the configuration file, unless it has a problem
            POST /shutdown           drain, then end
            """;

    private final ProxyControl control;
    private final AdminServer server;
    private final long stepNs;
    private final long periodNs;
    private final LatencyTotals totals;
    private final Exposition exposition;
    private final LatencyLog latencyLog;
    private @Nullable DashboardPages dashboard;

    /**
     * @param stepNs that a client has for each step
     * @param periodNs from one reading of the dashboard's figures to the next
     */
    AdminPages(ProxyControl control, AdminServer server, long stepNs, long periodNs) {
        this.control = control;
        this.server = server;
        this.stepNs = stepNs;
        this.periodNs = periodNs;
        totals = new LatencyTotals(control.stats());
        exposition = new Exposition(control.stats(), totals);
        latencyLog = new LatencyLog(totals, System.currentTimeMillis());
    }

    @Override
    public Reply answer(WholeRequests request) {
        Reply refused = refuse(request);
        if (refused != null) {
            return refused;
        }
        String target = request.target();
        String path = RequestTarget.path(target);
        if (in(MUTATIONS, path)) {
            return request.method().equals("POST") && path.equals(SHUTDOWN)
                    ? shutdown()
                    : Reply.methodNotAllowed("POST");
        }
        if (in(INSIGHTS, path)) {
            return request.method().equals("POST") ? notAllowed(path) : Reply.methodNotAllowed("POST");
        }
        if (path.equals(LogLevelPage.PATH)) {
            return LogLevelPage.answer(request);
        }
        if (isDashboard(path)) {
            return dashboard().answer(request, path);
        }
        Recorder recorder = control.recorder();
        if (recorder != null && RecordingPages.has(path)) {
            // an allowed request that takes time has begun already
            return RecordingPages.takesTime(request) ? notAllowed(path) : RecordingPages.answer(recorder, request);
        }
        if (!in(PAGES, path)) {
            return Pages.notFound();
        }
        return Pages.reads(request) ? tell(path, request) : Reply.methodNotAllowed(READ_METHODS);
    }

    /** Only a POST of the dashboard may have an Origin field: for a drain, the log level or a profile. */
    private @Nullable Reply refuse(WholeRequests request) {
        String path = RequestTarget.path(request.target());
        boolean mayAct = control.config().admin().acts()
                && request.method().equals("POST")
                && request.fields().get("Origin") != null
                && (path.equals(DRAIN) || path.equals(LogLevelPage.PATH) || path.equals(ProfilePage.PATH));
        if (!mayAct) {
            return HostCheck.refuse(request);
        }
        Reply refused = HostCheck.refuseHost(request);
        return refused == null ? dashboard().refuseAct(request) : refused;
    }

    private static boolean isDashboard(String path) {
        return path.startsWith(DASHBOARD)
                && (path.length() == DASHBOARD.length() || path.charAt(DASHBOARD.length()) == '/');
    }

    private DashboardPages dashboard() {
        DashboardPages known = dashboard;
        if (known == null) {
            AdminConfig config = control.config().admin();
            String scheme = config.tls() == null ? "http" : "https";
            Supplier<RunState> state = new Supplier<>() {
                @Override
                public RunState get() {
                    return state();
                }
            };
            Viewers viewers = new Viewers(control.stats(), totals, state, stepNs, periodNs);
            known = new DashboardPages(DASHBOARD, scheme, viewers, config.acts(), config.profile());
            dashboard = known;
        }
        return known;
    }

    @Override
    public boolean takeOver(WholeRequests request, Link link, long leftNs) {
        String path = RequestTarget.path(request.target());
        return isDashboard(path)
                && HostCheck.refuse(request) == null
                && dashboard().takeOver(request, path, link, leftNs);
    }

    private static boolean in(String[] paths, String path) {
        for (String one : paths) {
            if (one.equals(path)) {
                return true;
            }
        }
        return false;
    }

    private Reply tell(String path, WholeRequests request) {
        return switch (path) {
            case LIVE -> Pages.live(server.isLive());
            case READY -> Pages.ready(control);
            case METRICS -> metrics(request);
            case CONFIG -> config();
            case CLUSTERS -> clusters(request);
            case THREADS ->
                ThreadsPage.reply(
                        RequestTarget.parameter(request.target(), "stacks").equals("true"));
            case MEMORY -> memory();
            case PEAKS -> peaks();
            case LATENCY -> latencyLog(request);
            default -> Reply.text(200, control.recorder() == null ? INDEX : INDEX + RecordingPages.INDEX);
        };
    }

    @Override
    public boolean takesTime(WholeRequests request) {
        String path = RequestTarget.path(request.target());
        boolean posts =
                request.method().equals("POST") && (path.equals(RELOAD) || path.equals(DRAIN) || isAllowed(path));
        boolean records =
                control.recorder() != null && control.config().admin().profile() && RecordingPages.takesTime(request);
        return (posts || records) && refuse(request) == null;
    }

    private boolean isAllowed(String path) {
        return path.equals(HeapPages.DUMP)
                ? control.config().admin().heapDump() != null
                : in(INSIGHTS, path) && control.config().admin().profile();
    }

    private static Reply notAllowed(String path) {
        return Reply.text(
                403,
                path.equals(HeapPages.DUMP)
                        ? "heap dumps are not allowed; set admin.heap-dump to a directory to allow them\n"
                        : path + " is not allowed; set admin.profile: true to allow it\n");
    }

    @Override
    public void begin(WholeRequests request, ReloadOutcome then) {
        String path = RequestTarget.path(request.target());
        Recorder recorder = control.recorder();
        if (path.equals(DRAIN)) {
            DrainRequest.begin(control, request.target(), then);
        } else if (in(INSIGHTS, path)) {
            try {
                look(path, request.target(), then);
            } catch (IllegalArgumentException e) {
                then.told(400, e.getMessage() + '\n');
            }
        } else if (path.equals(RELOAD) || recorder == null) {
            control.reload(then);
        } else {
            RecordingPages.begin(control, recorder, request.target(), then);
        }
    }

    /**
     * Begins a page that looks inside the process.
     *
     * @throws IllegalArgumentException with the problem of a parameter
     */
    private void look(String path, String target, ReloadOutcome then) {
        switch (path) {
            case ProfilePage.PATH -> ProfilePage.begin(totals, target, then);
            case CompilerEventsPage.PATH -> CompilerEventsPage.begin(target, then);
            case LongTurnsPage.PATH -> LongTurnsPage.begin(server.watch(), target, then);
            case NativeMemoryPage.PATH -> NativeMemoryPage.begin(target, then);
            default -> HeapPages.begin(control, target, then);
        }
    }

    private Reply config() {
        StringBuilder text = new StringBuilder();
        ConfigHead.append(text, control.configState());
        return Reply.text(200, text.append(control.configText()));
    }

    Reply metrics(WholeRequests request) {
        // without traces there is nothing that it would say better
        if (control.config().options().has(ProxyConfig.TRACING) && MetricsFormat.isOpen(request.fields())) {
            return new Reply(200, MetricsFormat.OPEN, exposition.openMetrics(state()), null);
        }
        return new Reply(200, PROMETHEUS, exposition.metrics(state()), null);
    }

    private Reply memory() {
        StringBuilder text = new StringBuilder();
        exposition.appendMemory(text, state());
        return Reply.text(200, text);
    }

    private Reply peaks() {
        StringBuilder text = new StringBuilder();
        exposition.appendPeaks(text, state());
        control.appendPeaks(text);
        return Reply.text(200, text);
    }

    /** HEAD must not end an interval, because its result would be lost. */
    private Reply latencyLog(WholeRequests request) {
        boolean head = request.method().equals("HEAD");
        return new Reply(200, Reply.TEXT, head ? null : Pieces.of(latencyLog.take(System.currentTimeMillis())), null);
    }

    private Reply clusters(WholeRequests request) {
        String format = RequestTarget.parameter(request.target(), "format");
        String accept = request.fields().get("Accept");
        boolean json = format.isEmpty() ? accept != null && accept.contains(JSON) : format.equals("json");
        Iterable<String> names = control.config().clusterNames();
        Pieces text = new ClusterText(names, control.stats(), json, System.currentTimeMillis());
        return new Reply(200, json ? JSON : Reply.TEXT, text, null);
    }

    private RunState state() {
        AccessLog accessLog = control.accessLog();
        return new RunState(
                control.ready(),
                accessLog == null ? -1 : accessLog.dropped(),
                accessLog == null ? -1 : accessLog.skipped(),
                Log.dropped(),
                PlatformDependent.usedDirectMemory(),
                PlatformDependent.maxDirectMemory(),
                control.memory(),
                control.configState());
    }

    private Reply shutdown() {
        control.shutdown();
        return Reply.text(202, "shutting down\n");
    }
}

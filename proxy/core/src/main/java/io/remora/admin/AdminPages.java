package io.remora.admin;

import io.netty.util.internal.PlatformDependent;
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

/**
 * The pages of the admin listener. Pages that change something take POST; pages that only report take GET or HEAD.
 *
 * <p>Owner: the admin thread, which reads counters that the event loops write. No page that reports involves an event loop.
 */
final class AdminPages implements Pages {
    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private static final String DRAIN = "/drain";

    private static final String[] PAGES = {
        "/", "/live", "/ready", "/metrics", "/config", "/clusters", "/threads", "/memory", "/latency.hlog",
    };
    private static final String[] MUTATIONS = {DRAIN, "/reload", "/shutdown"};
    private static final String INDEX = """
            GET  /live          200 while the event loops turn, else 503
            GET  /ready         200 while every listener accepts, else 503
            GET  /metrics       counters and histograms, Prometheus text
            GET  /config        the configuration as it was understood
            GET  /clusters      endpoints, where they come from, and their connections; ?format=json
            GET  /threads       threads, states, CPU time; ?stacks=true adds their stacks
            GET  /memory        where the memory is, in bytes
            GET  /latency.hlog  latencies since the last time this was asked for, HdrHistogram log
            POST /drain         stop accepting, let exchanges finish; ?direction=inbound &delay=5s &wait=20s
            GET  /log-level     the levels of the sidecar's own log
            POST /log-level     ?level= or body: debug, info, warn, error; ?component= for one alone
            POST /reload        read the configuration file anew, and go by it if it is good
            POST /shutdown      drain, then end
            """;

    private final ProxyControl control;
    private final AdminServer server;
    private final Exposition exposition;
    private final LatencyLog latencyLog;

    AdminPages(ProxyControl control, AdminServer server) {
        this.control = control;
        this.server = server;
        LatencyTotals totals = new LatencyTotals(control.stats());
        exposition = new Exposition(control.stats(), totals);
        latencyLog = new LatencyLog(totals, System.currentTimeMillis());
    }

    @Override
    public Reply answer(WholeRequests request) {
        Reply refused = HostCheck.refuse(request);
        if (refused != null) {
            return refused;
        }
        String target = request.target();
        String path = RequestTarget.path(target);
        if (in(MUTATIONS, path)) {
            return request.method().equals("POST") ? shutdown() : Reply.methodNotAllowed("POST");
        }
        if (path.equals(LogLevelPage.PATH)) {
            return LogLevelPage.answer(request);
        }
        if (!in(PAGES, path)) {
            return Pages.notFound();
        }
        return Pages.reads(request) ? tell(path, request) : Reply.methodNotAllowed(READ_METHODS);
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
            case "/live" -> Pages.live(server.isLive());
            case "/ready" -> Pages.ready(control.ready());
            case "/metrics" -> metrics(request);
            case "/config" -> config();
            case "/clusters" -> clusters(request);
            case "/threads" ->
                ThreadsPage.reply(
                        RequestTarget.parameter(request.target(), "stacks").equals("true"));
            case "/memory" -> memory();
            case "/latency.hlog" -> latencyLog(request);
            default -> Reply.text(200, INDEX);
        };
    }

    @Override
    public boolean takesTime(WholeRequests request) {
        String path = RequestTarget.path(request.target());
        return request.method().equals("POST")
                && (path.equals("/reload") || path.equals(DRAIN))
                && HostCheck.refuse(request) == null;
    }

    @Override
    public void begin(WholeRequests request, ReloadOutcome then) {
        if (RequestTarget.path(request.target()).equals(DRAIN)) {
            DrainRequest.begin(control, request.target(), then);
        } else {
            control.reload(then);
        }
    }

    private Reply config() {
        StringBuilder text = new StringBuilder();
        ConfigHead.append(text, control.configState());
        return Reply.text(200, text.append(control.configText()));
    }

    private Reply metrics(WholeRequests request) {
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

package io.remora.webhook;

/** Pages of the port for probes and metrics. Owner: the event loop. */
final class InjectorHealth implements WebhookServer.Pages {
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final Upkeep upkeep;
    private final ReviewStats stats;
    /** Set once the process is about to end. */
    private volatile boolean ending;

    InjectorHealth(Upkeep upkeep, ReviewStats stats) {
        this.upkeep = upkeep;
        this.stats = stats;
    }

    /** Has the process leave the Service. Any thread. */
    void end() {
        ending = true;
    }

    @Override
    public Answer answer(String method, String path, byte[] body) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return Answer.text(405, "use GET");
        }
        return switch (path) {
            case "/live" -> Answer.text(200, "live");
            case "/ready" -> ready();
            case "/metrics" -> new Answer(200, METRICS, stats.page());
            default -> Answer.text(404, "there are /live, /ready and /metrics");
        };
    }

    private Answer ready() {
        String problem = ending ? "draining" : upkeep.problem();
        return problem.isEmpty() ? Answer.text(200, "ready") : Answer.text(503, "not ready: " + problem);
    }
}

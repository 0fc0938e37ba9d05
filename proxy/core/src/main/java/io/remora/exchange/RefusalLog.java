package io.remora.exchange;

import io.remora.config.model.LogComponent;
import io.remora.http.Failure;
import io.remora.http.Rule;
import io.remora.log.Log;
import io.remora.transport.Loop;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lines in the sidecar's own log about messages of one listener that break a rule, and streams that rest for too long: one a minute
 * for each rule, with a count, since anyone who can cause one can cause many. Repetitions name nobody, as they may be by many.
 *
 * <p>Thread safe. Cost: an entry for each rule that is broken, and a task a minute while that goes on.
 */
public final class RefusalLog {
    private static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

    private final String listener;
    private final long periodNs;
    /** Messages by rule that have followed a line that is less than a period old. */
    private final Map<Rule, Integer> ofRequests = new HashMap<>();

    private final Map<Rule, Integer> ofResponses = new HashMap<>();

    public RefusalLog(String listener) {
        this(listener, PERIOD_NS);
    }

    RefusalLog(String listener, long periodNs) {
        this.listener = listener;
        this.periodNs = periodNs;
    }

    /**
     * @param failure null for a tunnel, which ends in order
     * @param endpoint null where none was picked
     */
    void refused(@Nullable Failure failure, Rule rule, String client, @Nullable String endpoint, Loop loop) {
        boolean backends = isBackends(failure);
        if (isDue(backends, rule)) {
            String line = "listener " + listener + ": " + rule.what(failure) + "; reason=" + rule.label();
            write(backends, line + " client=" + client + (endpoint == null ? "" : " endpoint=" + endpoint), 1);
            loop.after(() -> periodOver(backends, rule, line, loop), periodNs);
        }
    }

    // whether it has a line of its own; it is counted otherwise
    private synchronized boolean isDue(boolean backends, Rule rule) {
        Map<Rule, Integer> waiting = waiting(backends);
        Integer so = waiting.get(rule);
        waiting.put(rule, so == null ? 0 : so + 1);
        return so == null;
    }

    private void periodOver(boolean backends, Rule rule, String line, Loop loop) {
        int more = takeWaiting(backends, rule);
        if (more > 0) {
            write(backends, line, more);
            loop.after(() -> periodOver(backends, rule, line, loop), periodNs);
        }
    }

    private synchronized int takeWaiting(boolean backends, Rule rule) {
        Map<Rule, Integer> waiting = waiting(backends);
        Integer more = waiting.remove(rule);
        if (more == null || more == 0) {
            return 0;
        }
        waiting.put(rule, 0);
        return more;
    }

    private Map<Rule, Integer> waiting(boolean backends) {
        return backends ? ofResponses : ofRequests;
    }

    private static boolean isBackends(@Nullable Failure failure) {
        return failure != null && failure.isBackends();
    }

    // what endpoints do is the operator's to mend, and strangers may do as they like
    private static void write(boolean backends, String text, int count) {
        String line = text + " count=" + count;
        if (backends) {
            Log.warn(LogComponent.LISTENER, line);
        } else {
            Log.info(LogComponent.LISTENER, line);
        }
    }
}

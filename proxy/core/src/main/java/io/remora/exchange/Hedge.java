package io.remora.exchange;

import io.remora.engine.RetryGate;
import io.remora.http.Failure;
import io.remora.http.ResponseHead;
import io.remora.memory.LoopBudget;
import io.remora.stream.BackendStream;
import io.remora.stream.Target;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The second attempt of an exchange, made while the first one is slow. The exchange goes on with the first of the two
 * whose response begins, and cancels the other one. The loser's endpoint learns only for how long the exchange waited
 * for it. Where one of them fails, the other goes on alone.
 *
 * <p>Owner: the exchange. Bounds: one a request, all together by the cluster's {@link RetryGate}. Only what may be sent
 * again is sent twice, and only once all of the request is there.
 */
final class Hedge implements Runnable {
    /** Bytes kept of a body where the route has no retries that say so. */
    static final int BODY_BYTES = 64 << 10;

    /** Statuses of the endpoint's own failures. */
    private static final int LEAST_FAILURE = 500;

    /** Delays without an answer, but at least {@link #LEAST_SILENT_NS}, after which an attempt has failed. */
    private static final int SILENT_DELAYS = 10;

    private static final long LEAST_SILENT_NS = TimeUnit.SECONDS.toNanos(1);

    private final Exchange exchange;
    private final RequestBody body;
    private final HedgeTrigger trigger;
    private @Nullable RetryState tries;
    private @Nullable RetryGate gate;
    private @Nullable Future<?> timer;
    /** The attempt that is slow, or may turn out to be. */
    private @Nullable Attempt first;
    /** The second attempt, until it is known which of the two goes on. */
    private @Nullable Attempt second;

    private boolean used;
    /** Time since which the first one's endpoint was waited for. */
    private long sinceNs;
    /** Time at which the second one was sent, or was to be. */
    private long sentNs;

    Hedge(Exchange exchange, RequestBody body, HedgeTrigger trigger) {
        this.exchange = exchange;
        this.body = body;
        this.trigger = trigger;
    }

    /** Returns whether the request can have a second attempt at all. */
    boolean mayFollow(@Nullable RetryState policy) {
        tries = policy;
        gate = policy == null ? null : policy.gate();
        return gate != null && tries != null && tries.mayResend();
    }

    private long nowNs() {
        return exchange.listener().loop().nowNs();
    }

    // ---- the wait

    /** The request is whole, and from now on it is the endpoint of {@code attempt} that is waited for. */
    void await(Attempt attempt) {
        if (attempt == second) {
            return;
        }
        first = attempt;
        sinceNs = nowNs();
        cancel();
        long delayNs = trigger.delayNs();
        if (!used && delayNs != HedgeTrigger.NEVER) {
            timer = exchange.listener().loop().after(this, delayNs);
        }
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** The first attempt is slow. */
    @Override
    public void run() {
        timer = null;
        try {
            askAgain();
        } catch (RuntimeException | Error e) {
            exchange.fault(e);
        }
    }

    private void askAgain() {
        Attempt slow = first;
        if (exchange.isFinished()
                || slow == null
                || !slow.isUnanswered()
                || !exchange.request().isCurrent(slow)) {
            return;
        }
        Target busy = slow.target();
        boolean elsewhere = busy != null && slow.cluster().hasOtherInUse(busy);
        if (!elsewhere || tries == null || !tries.mayHedge() || !enters()) {
            return;
        }
        used = true;
        sentNs = nowNs();
        tries.tellCaller();
        Attempt next = exchange.request().secondAttempt(slow.cluster());
        second = next;
        if (exchange.isFinished()) {
            // by a filter
            end();
        } else {
            next.start(busy);
        }
    }

    private boolean enters() {
        LoopBudget memory = exchange.listener().loop().memory();
        if (gate == null || !memory.reserveSecond()) {
            return false;
        }
        boolean entered = gate.enterHedge(nowNs());
        if (!entered) {
            memory.giveBackSecond();
        }
        return entered;
    }

    // ---- the second attempt

    /** The second attempt has an endpoint. */
    void picked(Target target) {
        Attempt its = second;
        if (its != null && first != null && (!target.isInUse() || target.name().equals(first.endpoint()))) {
            // nobody better can be had: the same one would not be faster, nor would one that fails
            drop(its, null);
        }
    }

    /** The second attempt has a stream. */
    void ready(BackendStream stream) {
        Attempt its = second;
        if (its == null || tries == null) {
            return;
        }
        if (!tries.canSendTwice()) {
            drop(its, null);
            return;
        }
        sentNs = nowNs();
        exchange.grant().boundLeast(stream);
        exchange.request().sends(its);
        stream.send(exchange.head());
        if (its == second && !body.isNone()) {
            tries.sendAgain(stream);
        }
        if (its == second) {
            stream.flush();
        }
    }

    private void drop(Attempt its, @Nullable Failure why) {
        try {
            over(false);
        } finally {
            its.reset(why);
        }
    }

    private void over(boolean won) {
        if (second != null && gate != null) {
            second = null;
            exchange.listener().loop().memory().giveBackSecond();
            gate.hedgeEnded(won);
        }
    }

    // ---- which of the two goes on

    /** Notes a failed attempt; returns whether the other one goes on alone. */
    boolean failed(Attempt failed, Failure why) {
        Attempt its = second;
        boolean current = exchange.request().isCurrent(failed);
        if (current && failed == first) {
            learnOfVain();
        }
        if (its == null) {
            cancel();
            return false;
        }
        if (failed == its) {
            if (current) {
                over(false);
                return false;
            }
            drop(its, why);
            return true;
        }
        if (!current) {
            return false;
        }
        try {
            goOn(its);
        } finally {
            failed.reset(why);
        }
        return true;
    }

    private void goOn(Attempt its) {
        Target target = its.target();
        first = null;
        if (target != null && tries != null) {
            exchange.request().goOn(its, target, sentNs);
            tries.picked();
        }
    }

    /**
     * Returns whether the response that begins is the one that is passed on. A failure, or a status that would be tried
     * again, is not while the other endpoint may do better.
     */
    boolean isFirst(Attempt attempt, ResponseHead head) {
        cancel();
        Attempt slow = first;
        Attempt its = second;
        if (its == null || slow == null) {
            learn();
            over(true);
            return true;
        }
        boolean bad = head.status >= LEAST_FAILURE || tries != null && tries.isRetryable(head);
        if (attempt == its) {
            if (bad) {
                drop(its, null);
                return false;
            }
            long waitedNs = sinceNs == 0 ? 0 : nowNs() - sinceNs;
            learn();
            try {
                goOn(its);
                over(true);
            } finally {
                slow.overtaken(waitedNs, waitedNs >= Math.max(LEAST_SILENT_NS, SILENT_DELAYS * trigger.delayNs()));
            }
        } else if (bad) {
            learn();
            try {
                goOn(its);
            } finally {
                slow.reset(null);
            }
            return false;
        } else {
            learn();
            drop(its, null);
        }
        return true;
    }

    private void learn() {
        if (first != null && sinceNs != 0) {
            trigger.learn(nowNs() - sinceNs);
            sinceNs = 0;
        }
    }

    // who waited in vain counts if it was for long: a failure that comes fast says nothing of what is slow
    private void learnOfVain() {
        if (sinceNs != 0 && nowNs() - sinceNs >= trigger.delayNs()) {
            learn();
        }
        sinceNs = 0;
    }

    /** The exchange is over. */
    void end() {
        cancel();
        try {
            learnOfVain();
        } finally {
            Attempt its = second;
            if (its != null) {
                drop(its, null);
            }
        }
    }
}

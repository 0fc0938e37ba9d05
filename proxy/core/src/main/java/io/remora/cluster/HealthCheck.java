package io.remora.cluster;

import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import io.remora.stream.InternalRequest;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/** One check of an endpoint: a connection, and a request where one is configured. Owner: the event loop. */
class HealthCheck extends InternalRequest {
    private static final int OK = 200;
    private static final int ERRORS = 400;

    private final HealthChecks checks;
    private final @Nullable RequestHead head;

    /**
     * @param head null where a connection is all that is tried
     */
    HealthCheck(HealthChecks checks, @Nullable RequestHead head, long timeoutNs) {
        super(timeoutNs);
        this.checks = checks;
        this.head = head;
    }

    /** Ends a check that has taken all of its time, or is not wanted any more. */
    final void timeOut() {
        if (giveUp(Verdict.FAILURE)) {
            checks.over(this, false);
        }
    }

    /** The endpoint learns of it by its checks, not as of an attempt. */
    @Override
    public void picked(Target endpoint) {}

    @Override
    protected final void send(BackendStream to) {
        if (head == null) {
            if (giveUp(Verdict.SUCCESS)) {
                checks.over(this, true);
            }
            return;
        }
        to.send(head);
        if (isOn(to)) {
            sent(to);
        }
        if (isOn(to)) {
            to.flush();
        }
    }

    /** Writes the rest of the request behind its head. */
    void sent(BackendStream to) {}

    /** Returns whether a whole response says that the endpoint is healthy. */
    boolean isGood(int answered) {
        return answered >= OK && answered < ERRORS;
    }

    /**
     * Ends the check. A refusal that is not the endpoint's fault, such as a full pool, says nothing of the endpoint.
     */
    @Override
    public void refused(Failure failure) {
        if (conclude()) {
            checks.over(this, failure.isBackends() ? Boolean.FALSE : null);
        }
    }

    // each has asked for a fresh one, and would leave one more in the pool
    @Override
    public boolean endsConnection() {
        return true;
    }

    @Override
    protected void answered(int finalStatus) {
        checks.over(this, isGood(finalStatus));
    }

    @Override
    protected void failed(String why, boolean unanswered) {
        checks.over(this, false);
    }
}

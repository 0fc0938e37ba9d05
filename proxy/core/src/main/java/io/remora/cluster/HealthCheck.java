package io.remora.cluster;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import org.jspecify.annotations.Nullable;

/** One check of an endpoint: a connection, and a request where there is something to ask for. Owner: the event loop. */
class HealthCheck extends StreamClient {
    private static final int OK = 200;
    private static final int ERRORS = 400;

    private final HealthChecks checks;
    private final @Nullable RequestHead head;
    private final long timeoutNs;
    private @Nullable BackendStream stream;
    private int status;
    private boolean whole;
    private boolean over;

    /**
     * @param head null where a connection is all that is tried
     */
    HealthCheck(HealthChecks checks, @Nullable RequestHead head, long timeoutNs) {
        this.checks = checks;
        this.head = head;
        this.timeoutNs = timeoutNs;
    }

    private void end(@Nullable Boolean healthy) {
        if (!over) {
            over = true;
            checks.over(this, healthy);
        }
    }

    /** It has taken all of its time, or is not wanted any more. */
    void timeOut() {
        BackendStream from = stream;
        stream = null;
        if (from != null) {
            from.reset();
        }
        end(false);
    }

    @Override
    public void picked(Target endpoint) {}

    @Override
    public void ready(BackendStream ready) {
        if (over || head == null) {
            ready.reset();
            end(true);
            return;
        }
        stream = ready;
        ready.send(head);
        if (stream == ready) {
            sent(ready);
        }
        if (stream == ready) {
            ready.flush();
        }
    }

    /** The head is written; writes what follows it. */
    void sent(BackendStream to) {}

    /** Whether a response that is whole says that the endpoint is healthy. */
    boolean isGood(int answered) {
        return answered >= OK && answered < ERRORS;
    }

    /** What is not the endpoint's fault, such as a pool that is full, says nothing of it. */
    @Override
    public void refused(Failure failure) {
        end(failure.isBackends() ? Boolean.FALSE : null);
    }

    @Override
    public long bodyIdleNs() {
        return timeoutNs;
    }

    @Override
    public boolean isGone() {
        return over;
    }

    // each has asked for a fresh one, and would leave one more in the pool
    @Override
    public boolean endsConnection() {
        return true;
    }

    @Override
    public void response(ResponseHead response, long readyNs) {
        if (response.isSwitch()) {
            timeOut();
        } else if (!response.isInterim()) {
            status = response.status;
        }
    }

    @Override
    public void content(ByteBuf content) {
        content.release();
    }

    @Override
    public void end(@Nullable Fields trailers) {
        whole = true;
    }

    @Override
    public void readComplete() {
        BackendStream from = stream;
        if (whole && from != null) {
            stream = null;
            from.reset();
            end(isGood(status));
        }
    }

    @Override
    public void writable(boolean writable) {}

    @Override
    public void broken(Failure failure, boolean anyByte) {
        stream = null;
        end(false);
    }
}

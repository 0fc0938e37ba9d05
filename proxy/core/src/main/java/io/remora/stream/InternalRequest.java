package io.remora.stream;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * A request of the sidecar's own, with its response: a span's delivery, a source's question, a health check. Ends once,
 * and reports the end to its endpoint.
 *
 * <p>Order: {@link #send} after each pick that had a stream, then either {@link #answered} or {@link #failed}, unless
 * {@link #giveUp} came before. After its end the stream serves others, if the request and its response are whole and it
 * {@link #endsConnection does not mind}, and is reset otherwise.
 *
 * <p>Owner: the event loop.
 */
public abstract class InternalRequest extends StreamClient {
    private static final int SERVER_ERROR = 500;

    private final long bodyIdleNs;
    private @Nullable Target target;
    private @Nullable BackendStream stream;
    private int status;
    /** Set while the endpoint is still to learn of the request's end. */
    private boolean owed;

    private boolean whole;
    private boolean over;

    /**
     * @param bodyIdleNs for which either side's body may rest
     */
    protected InternalRequest(long bodyIdleNs) {
        this.bodyIdleNs = bodyIdleNs;
    }

    // ---- what it is

    /** Writes the request, as far as {@code to} takes it; {@link #isOn} tells whether that is still its stream. */
    protected abstract void send(BackendStream to);

    /** Tells if all of it is written. */
    protected boolean isSent() {
        return true;
    }

    /** Called once the response is whole. */
    protected abstract void answered(int finalStatus);

    /**
     * Called where no response comes.
     *
     * @param unanswered whether not one byte of it came
     */
    protected abstract void failed(String why, boolean unanswered);

    /** Called where it waits for a stream no longer. */
    protected void left(@Nullable Target asked) {}

    /**
     * Tells if it goes to the same endpoint once more, as the connection that it was written to had been closed
     * meanwhile.
     */
    protected boolean repeats() {
        return false;
    }

    /** Goes there again. */
    protected void repeat(Target asked) {}

    @Override
    public Verdict verdictOf(int finalStatus) {
        return finalStatus >= SERVER_ERROR ? Verdict.FAILURE : Verdict.SUCCESS;
    }

    // ---- what it does

    protected final @Nullable BackendStream stream() {
        return stream;
    }

    protected final boolean isOn(BackendStream one) {
        return stream == one;
    }

    /** Returns the endpoint's name as the beginning of a message, empty before one is picked. */
    protected final String at() {
        return target == null ? "" : target.name() + ": ";
    }

    /** Ends the request; returns whether it was not over before. */
    protected final boolean conclude() {
        boolean first = !over;
        over = true;
        return first;
    }

    /** Gives the request up; returns whether it was not over before. */
    protected final boolean giveUp(Verdict verdict) {
        if (!conclude()) {
            return false;
        }
        BackendStream from = stream;
        stream = null;
        if (from != null) {
            from.reset();
        } else {
            left(target);
        }
        tell(verdict);
        return true;
    }

    private void tell(Verdict verdict) {
        Target told = target;
        if (owed && told != null) {
            owed = false;
            told.ended(verdict, -1);
        }
    }

    private void fail(String why, boolean unanswered) {
        tell(Verdict.FAILURE);
        failed(at() + why, unanswered);
    }

    // ---- what it hears

    @Override
    public void picked(Target endpoint) {
        target = endpoint;
        owed = true;
    }

    @Override
    public void ready(BackendStream ready) {
        if (over) {
            leave(ready, true);
            return;
        }
        stream = ready;
        send(ready);
    }

    private void leave(BackendStream from, boolean inOrder) {
        if (inOrder && !endsConnection()) {
            from.release();
        } else {
            from.reset();
        }
    }

    @Override
    public void refused(Failure failure) {
        if (conclude()) {
            fail(failure.label(), true);
        }
    }

    @Override
    public final long bodyIdleNs() {
        return bodyIdleNs;
    }

    @Override
    public final boolean isGone() {
        return over;
    }

    @Override
    public void response(ResponseHead response, long readyNs) {
        if (response.isSwitch()) {
            if (giveUp(Verdict.FAILURE)) {
                failed(at() + "101 without a request for an upgrade", false);
            }
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
            over = true;
            leave(from, isSent());
            tell(verdictOf(status));
            answered(status);
        }
    }

    @Override
    public void writable(boolean writable) {}

    @Override
    public void broken(Failure failure, boolean anyByte) {
        BackendStream from = stream;
        stream = null;
        if (over) {
            return;
        }
        Target asked = target;
        if (!anyByte && from != null && from.isReused() && asked != null && repeats()) {
            whole = false;
            tell(Verdict.IGNORED);
            repeat(asked);
            return;
        }
        over = true;
        fail(failure.label(), !anyByte);
    }
}

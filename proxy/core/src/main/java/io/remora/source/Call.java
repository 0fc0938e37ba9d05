package io.remora.source;

import io.netty.buffer.ByteBuf;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.InternalRequest;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: an event loop has it sent and hands on what comes, a source's thread waits for it.
 *
 * <p>Owner: the event loop, but for {@link #body}, which both threads share. Bounds: what has come and was not taken yet is in
 * {@link CallBody}; the endpoint is not read beyond it.
 */
final class Call extends InternalRequest {
    /** Longer than any answer takes: who waits has the deadlines. */
    private static final long IDLE_NS = TimeUnit.HOURS.toNanos(2);

    private static final FieldName INDEX = FieldName.of("X-Consul-Index");
    private static final FieldName FILTERED = FieldName.of("X-Consul-Results-Filtered-By-ACLs");

    private final SourceClient asked;
    private final SourceRequest request;
    private final CallBody body;
    private boolean paused;

    Call(SourceClient asked, SourceRequest request) {
        super(IDLE_NS);
        this.asked = asked;
        this.request = request;
        this.body = new CallBody(this);
    }

    CallBody body() {
        return body;
    }

    // ---- tasks of the loop

    /** Reads on, as there is room again. */
    private void readOn() {
        BackendStream from = stream();
        if (paused && from != null) {
            paused = false;
            from.read(true);
        }
    }

    /** Reads on or gives up on the event loop; called by the waiting thread. */
    void onLoop(boolean ends) {
        asked.onLoop(new Runnable() {
            @Override
            public void run() {
                if (ends) {
                    giveUp(Verdict.IGNORED);
                } else {
                    readOn();
                }
            }
        });
    }

    // ---- what the loop hears

    @Override
    public void picked(Target endpoint) {
        super.picked(endpoint);
        asked.picked(endpoint);
    }

    @Override
    protected void left(@Nullable Target target) {
        asked.left(target, this);
    }

    @Override
    protected void send(BackendStream to) {
        to.send(request.head());
        if (isOn(to)) {
            to.flush();
        }
    }

    @Override
    public void response(ResponseHead response, long readyNs) {
        super.response(response, readyNs);
        if (!response.isInterim() && !isGone()) {
            body.head(response.status, response.fields.get(INDEX), "true".equals(response.fields.get(FILTERED)));
        }
    }

    @Override
    public void content(ByteBuf content) {
        byte[] octets = new byte[content.readableBytes()];
        content.readBytes(octets);
        content.release();
        BackendStream from = stream();
        if (!body.add(octets) && !paused && from != null) {
            paused = true;
            from.read(false);
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        super.end(trailers);
        body.end();
    }

    /** Counts every answer as a success of the endpoint; the source judges its content. */
    @Override
    public Verdict verdictOf(int finalStatus) {
        return Verdict.SUCCESS;
    }

    @Override
    protected void answered(int finalStatus) {
        // the source's thread has it, or takes it from the body
    }

    @Override
    protected void failed(String why, boolean unanswered) {
        body.fail(new SourceException(why, unanswered));
    }
}

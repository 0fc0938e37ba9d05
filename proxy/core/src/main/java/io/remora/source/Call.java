package io.remora.source;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
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
final class Call extends StreamClient {
    /** Longer than any answer takes: who waits has the deadlines. */
    private static final long IDLE_NS = TimeUnit.HOURS.toNanos(2);

    private static final FieldName INDEX = FieldName.of("X-Consul-Index");
    private static final FieldName FILTERED = FieldName.of("X-Consul-Results-Filtered-By-ACLs");

    private final SourceClient asked;
    private final SourceRequest request;
    private final CallBody body;
    private @Nullable BackendStream stream;
    private @Nullable Target target;
    private boolean paused;
    private boolean whole;
    private boolean over;

    Call(SourceClient asked, SourceRequest request) {
        this.asked = asked;
        this.request = request;
        this.body = new CallBody(this);
    }

    CallBody body() {
        return body;
    }

    // ---- what the loop is asked to do

    /** Nobody waits any longer. */
    void end() {
        if (!over) {
            over = true;
            BackendStream from = stream;
            stream = null;
            if (from != null) {
                from.reset();
            } else {
                asked.left(target, this);
            }
            ended(Verdict.IGNORED);
        }
    }

    /** There is room again. */
    void readOn() {
        if (paused && stream != null) {
            paused = false;
            stream.read(true);
        }
    }

    /** The other thread asks for one of these. */
    void onLoop(boolean ends) {
        asked.onLoop(new Runnable() {
            @Override
            public void run() {
                if (ends) {
                    end();
                } else {
                    readOn();
                }
            }
        });
    }

    private void ended(Verdict verdict) {
        Target told = target;
        target = null;
        if (told != null) {
            told.ended(verdict, -1);
        }
    }

    private void fail(String why, boolean unanswered) {
        over = true;
        stream = null;
        ended(Verdict.FAILURE);
        body.fail(new SourceException(why, unanswered));
    }

    // ---- what the loop hears

    @Override
    public void picked(Target endpoint) {
        target = endpoint;
        asked.picked(endpoint);
    }

    @Override
    public void ready(BackendStream ready) {
        if (over) {
            ready.reset();
            return;
        }
        stream = ready;
        ready.send(request.head());
        if (stream == ready) {
            ready.flush();
        }
    }

    @Override
    public void refused(Failure failure) {
        if (!over) {
            fail(at() + failure.label(), true);
        }
    }

    private String at() {
        return target == null ? "" : target.name() + ": ";
    }

    @Override
    public long bodyIdleNs() {
        return IDLE_NS;
    }

    @Override
    public boolean isGone() {
        return over;
    }

    @Override
    public void response(ResponseHead response, long readyNs) {
        BackendStream from = stream;
        if (response.isSwitch() && from != null) {
            String where = at();
            from.reset();
            fail(where + "101, which nobody asked for", false);
        } else if (!response.isInterim()) {
            body.head(response.status, response.fields.get(INDEX), "true".equals(response.fields.get(FILTERED)));
        }
    }

    @Override
    public void content(ByteBuf content) {
        byte[] octets = new byte[content.readableBytes()];
        content.readBytes(octets);
        content.release();
        if (!body.add(octets) && !paused && stream != null) {
            paused = true;
            stream.read(false);
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        whole = true;
        body.end();
    }

    @Override
    public void readComplete() {
        BackendStream from = stream;
        if (whole && from != null) {
            stream = null;
            over = true;
            from.release();
            ended(Verdict.SUCCESS);
        }
    }

    @Override
    public void writable(boolean writable) {}

    @Override
    public void broken(Failure failure, boolean anyByte) {
        if (!over) {
            fail(at() + failure.label(), !anyByte);
        }
    }
}

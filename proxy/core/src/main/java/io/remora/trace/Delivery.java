package io.remora.trace;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loop;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One POST to the collector.
 *
 * <p>Owner: the event loop. Bounds: pieces of {@value #PIECE_BYTES} octets, as fast as the collector takes them; its answer is read past.
 */
final class Delivery extends StreamClient implements Runnable {
    private static final int PIECE_BYTES = 16 << 10;
    private static final int LEAST_GOOD = 200;
    private static final int LEAST_BAD = 300;
    private static final int SERVER_ERROR = 500;

    private final Exporter exporter;
    private final Loop loop;
    private final Cluster cluster;
    private final RequestHead head;
    private final byte[] octets;
    private final int length;
    private final long timeoutNs;
    private @Nullable Future<?> timer;
    private @Nullable Target target;
    private @Nullable BackendStream stream;
    private int sent;
    private int status;
    private boolean whole;
    private boolean over;
    private boolean again;

    Delivery(Exporter exporter, Loop loop, Cluster cluster, byte[] octets, int length, long timeoutNs) {
        this.exporter = exporter;
        this.loop = loop;
        this.cluster = cluster;
        this.octets = octets;
        this.length = length;
        this.timeoutNs = timeoutNs;
        this.head = exporter.head(length);
    }

    void start() {
        timer = loop.after(this, timeoutNs);
        cluster.newStream(head, null, this);
    }

    /** It takes too long. */
    @Override
    public void run() {
        if (over) {
            return;
        }
        BackendStream from = stream;
        Target asked = target;
        stream = null;
        over = true;
        if (from != null) {
            from.reset();
        } else {
            cluster.left(asked, this);
        }
        ended(Verdict.FAILURE);
        exporter.delivered("no answer in time");
    }

    private void ended(Verdict verdict) {
        Target told = target;
        target = null;
        if (told != null) {
            told.ended(verdict, -1);
        }
    }

    private void finish(Verdict verdict, @Nullable String problem) {
        over = true;
        stream = null;
        if (timer != null) {
            timer.cancel(false);
        }
        ended(verdict);
        exporter.delivered(problem);
    }

    // ---- what the loop hears

    @Override
    public void picked(Target endpoint) {
        target = endpoint;
    }

    @Override
    public void ready(BackendStream ready) {
        if (over) {
            ready.release();
            return;
        }
        stream = ready;
        ready.send(head);
        write();
    }

    private void write() {
        BackendStream to = stream;
        while (to != null && to == stream && sent < length && to.isWritable()) {
            int piece = Math.min(PIECE_BYTES, length - sent);
            // copied, as the array may serve again while the connection still has this
            ByteBuf content = Unpooled.copiedBuffer(octets, sent, piece);
            sent += piece;
            to.content(content);
            if (sent == length && to == stream) {
                to.end(null);
            }
            if (to == stream) {
                to.flush();
            }
        }
    }

    @Override
    public void writable(boolean writable) {
        if (writable) {
            write();
        }
    }

    @Override
    public void refused(Failure failure) {
        if (!over) {
            finish(Verdict.FAILURE, failure.label());
        }
    }

    @Override
    public long bodyIdleNs() {
        return timeoutNs;
    }

    @Override
    public boolean isGone() {
        return over;
    }

    @Override
    public void response(ResponseHead response, long readyNs) {
        BackendStream from = stream;
        if (response.isSwitch() && from != null) {
            from.reset();
            finish(Verdict.FAILURE, "101, which nobody asked for");
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
        if (!whole || from == null) {
            return;
        }
        if (sent == length) {
            from.release();
        } else {
            from.reset();
        }
        boolean good = status >= LEAST_GOOD && status < LEAST_BAD;
        finish(status >= SERVER_ERROR ? Verdict.FAILURE : Verdict.SUCCESS, good ? null : "status " + status);
    }

    @Override
    public void broken(Failure failure, boolean anyByte) {
        BackendStream from = stream;
        stream = null;
        if (over) {
            return;
        }
        if (!again && !anyByte && from != null && from.isReused()) {
            // it had closed a connection that rested
            again = true;
            sent = 0;
            whole = false;
            Target asked = target;
            ended(Verdict.IGNORED);
            if (asked != null) {
                cluster.newStreamAgain(asked, this);
                return;
            }
        }
        finish(Verdict.FAILURE, failure.label());
    }
}

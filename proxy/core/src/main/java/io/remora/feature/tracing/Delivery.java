package io.remora.feature.tracing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.engine.Cluster;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import io.remora.stream.InternalRequest;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loop;
import java.util.Arrays;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One POST to the collector.
 *
 * <p>Owner: the event loop. Bounds: pieces of {@value #PIECE_BYTES} octets, as fast as the collector takes them; {@value #ANSWER_BYTES} of an answer
 * that may say something, of which the rest is read past.
 */
final class Delivery extends InternalRequest implements Runnable {
    private static final int PIECE_BYTES = 16 << 10;
    private static final int ANSWER_BYTES = 4 << 10;
    private static final byte[] NOTHING = {};
    /** The length of {@code {"partialSuccess":{}}}, which says nothing. */
    private static final int EMPTY_OBJECT = 21;

    private static final int LEAST_GOOD = 200;
    private static final int LEAST_BAD = 300;

    private final Exporter exporter;
    private final Loop loop;
    private final Cluster cluster;
    private final RequestHead head;
    private final byte[] octets;
    private final int length;
    private final long timeoutNs;
    /** Set where a collector that has taken the spans may say more. */
    private final boolean reads;

    private byte[] answer = NOTHING;
    private int answerLength;
    private @Nullable Future<?> timer;
    private int sent;
    private boolean again;

    Delivery(Exporter exporter, Loop loop, Cluster cluster, byte[] octets, int length, long timeoutNs, boolean reads) {
        super(timeoutNs);
        this.exporter = exporter;
        this.loop = loop;
        this.cluster = cluster;
        this.octets = octets;
        this.length = length;
        this.timeoutNs = timeoutNs;
        this.reads = reads;
        this.head = exporter.head(length);
    }

    void start() {
        timer = loop.after(this, timeoutNs);
        cluster.newStream(head, null, this);
    }

    /** Gives the delivery up, which takes too long or is not wanted any more. */
    @Override
    public void run() {
        if (giveUp(Verdict.FAILURE)) {
            lost("no answer in time");
        }
    }

    private void lost(String problem) {
        cancel();
        exporter.lost(problem);
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    @Override
    protected void left(@Nullable Target asked) {
        cluster.left(asked, this);
    }

    @Override
    protected void send(BackendStream to) {
        to.send(head);
        write();
    }

    private void write() {
        BackendStream to = stream();
        while (to != null && isOn(to) && sent < length && to.isWritable()) {
            int piece = Math.min(PIECE_BYTES, length - sent);
            // copied, as the array may serve again while the connection still has this
            ByteBuf content = Unpooled.copiedBuffer(octets, sent, piece);
            sent += piece;
            to.content(content);
            if (sent == length && isOn(to)) {
                to.end(null);
            }
            if (isOn(to)) {
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
    protected boolean isSent() {
        return sent == length;
    }

    @Override
    protected boolean repeats() {
        return !again;
    }

    /** Sends the delivery again, as the endpoint had closed an idle connection. */
    @Override
    protected void repeat(Target asked) {
        again = true;
        sent = 0;
        answerLength = 0;
        cluster.newStreamAgain(asked, this);
    }

    @Override
    public void content(ByteBuf content) {
        int some = reads ? Math.min(content.readableBytes(), ANSWER_BYTES - answerLength) : 0;
        if (some > 0) {
            answer = Arrays.copyOf(answer, answerLength + some);
            content.readBytes(answer, answerLength, some);
            answerLength += some;
        }
        content.release();
    }

    @Override
    protected void answered(int finalStatus) {
        if (finalStatus < LEAST_GOOD || finalStatus >= LEAST_BAD) {
            lost(at() + "status " + finalStatus);
            return;
        }
        cancel();
        exporter.taken(answerLength <= EMPTY_OBJECT ? null : PartialSuccess.of(answer, answerLength));
    }

    @Override
    protected void failed(String why, boolean unanswered) {
        lost(why);
    }
}

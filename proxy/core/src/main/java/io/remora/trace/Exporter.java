package io.remora.trace;

import io.netty.channel.EventLoop;
import io.remora.config.TraceExportConfig;
import io.remora.engine.Cluster;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.TraceStats;
import io.remora.transport.Loop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one event loop's spans to the collector, in one POST after the other.
 *
 * <p>Owner: the event loop. Bounds: one delivery at a time, within {@code timeout}; what has failed is not tried again, but for a connection
 * that the collector had closed meanwhile. Behind a failure there is no delivery for ten intervals.
 */
final class Exporter implements Runnable {
    /** The queue may fill to this part of it before it is delivered at once. */
    private static final int PARTS = 4;

    private static final int REST_INTERVALS = 10;
    private static final long TELL_NS = 60_000_000_000L;

    private final TraceExportConfig config;
    private final Loop loop;
    private final SpanQueue queue;
    private final Collector collector;
    private final LogThrottle warnings = new LogThrottle(1, TELL_NS);

    private @Nullable Delivery delivery;
    private @Nullable Future<?> timer;
    /** While a turn of its own is to come in which what waits is delivered. */
    private boolean called;

    private boolean resting;
    private boolean ended;
    /** Whether what comes is delivered at once, as no more of it is to gather. */
    private boolean hurried;
    /** Told once when nothing waits any longer; null where nobody asks. */
    private @Nullable CountDownLatch flushed;

    Exporter(TraceExportConfig config, Loop loop, SpanQueue queue, Collector collector) {
        this.config = config;
        this.loop = loop;
        this.queue = queue;
        this.collector = collector;
    }

    /** There are spans. */
    void added() {
        if (ended) {
            queue.drop();
            return;
        }
        if (delivery != null || called || queue.length() == 0) {
            return;
        }
        if (hurried || !resting && queue.length() >= queue.maxBytes() / PARTS) {
            called = true;
            cancel();
            // not within the end of an exchange
            EventLoop eventLoop = loop.eventLoop();
            if (!eventLoop.isShuttingDown()) {
                eventLoop.execute(this);
            }
        } else if (timer == null) {
            timer = loop.after(this, config.intervalNs());
        }
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** Delivers what waits. */
    @Override
    public void run() {
        called = false;
        timer = null;
        resting = false;
        if (delivery != null) {
            return;
        }
        if (ended || queue.length() == 0) {
            tellFlushed();
            return;
        }
        Cluster cluster = collector.cluster(config.cluster(), loop);
        JsonBuffer content = queue.take();
        if (cluster == null) {
            queue.delivered(TraceStats.FAILED);
            tellFlushed();
            return;
        }
        Delivery next = new Delivery(this, loop, cluster, content.array(), content.length(), config.timeoutNs());
        delivery = next;
        next.start();
    }

    RequestHead head(int length) {
        Octets host = Octets.of(config.host());
        Fields fields = new Fields();
        fields.set(FieldName.HOST, host);
        fields.set(FieldName.USER_AGENT, "remora");
        fields.set(FieldName.CONTENT_TYPE, "application/json");
        fields.set(FieldName.CONTENT_LENGTH, Integer.toString(length));
        return new RequestHead("POST", Octets.of(config.path()), host, "1.1", fields, length);
    }

    /**
     * A delivery is over.
     *
     * @param problem null where the collector has taken it
     */
    void delivered(@Nullable String problem) {
        delivery = null;
        queue.delivered(problem == null ? TraceStats.EXPORTED : TraceStats.FAILED);
        if (problem != null) {
            String tail = warnings.tail(loop.nowNs());
            if (tail != null) {
                Log.warn("tracing: spans are lost, cluster " + config.cluster() + ": " + problem + tail);
            }
        }
        if (hurried) {
            run();
        } else if (problem != null) {
            resting = true;
            timer = loop.after(this, config.intervalNs() * REST_INTERVALS);
        } else {
            added();
        }
    }

    /** Delivers all there is, and from now on what comes; {@code done} is counted down once when nothing waits any longer. */
    void flush(CountDownLatch done) {
        tellFlushed();
        flushed = done;
        hurried = true;
        cancel();
        run();
    }

    /** Gives up what is under way, what waits, and what comes. */
    void end() {
        ended = true;
        cancel();
        Delivery last = delivery;
        if (last != null) {
            last.run();
        }
        queue.drop();
        tellFlushed();
    }

    private void tellFlushed() {
        CountDownLatch told = flushed;
        flushed = null;
        if (told != null) {
            told.countDown();
        }
    }
}

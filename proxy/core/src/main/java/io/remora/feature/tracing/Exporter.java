package io.remora.feature.tracing;

import io.netty.channel.EventLoop;
import io.remora.engine.Cluster;
import io.remora.feature.tracing.TraceExportConfig.Format;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.transport.Loop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one event loop's spans to the collector, in one POST after the other.
 *
 * <p>Owner: the event loop. Bounds: one delivery at a time, within {@code timeout}; what has failed is not tried again, but for a connection
 * that the collector had closed meanwhile. After a failure there is no delivery for ten intervals.
 */
final class Exporter implements Runnable {
    /** Parts of the queue, of which {@link #FULL_PARTS} are delivered at once. */
    private static final int PARTS = 64;
    /** Less than a quarter of the default queue, which fits into the array that is kept. */
    private static final int FULL_PARTS = 15;

    private static final int REST_INTERVALS = 10;
    private static final long TELL_NS = 60_000_000_000L;

    private final TraceExportConfig config;
    private final Loop loop;
    private final SpanQueue queue;
    private final Collector collector;
    private final LogThrottle warnings = new LogThrottle(1, TELL_NS);
    private final LogThrottle rejections = new LogThrottle(1, TELL_NS);
    private final LogThrottle drops = new LogThrottle(1, TELL_NS);
    /** Dropped, and in no line of the log yet. */
    private long untold;

    private @Nullable Delivery delivery;
    private @Nullable Future<?> timer;
    /** Set while a turn of the loop is to come that delivers the waiting spans. */
    private boolean called;

    private boolean resting;
    private boolean ended;
    /** Set once spans are delivered immediately, as no more of them are to gather. */
    private boolean hurried;
    /** Counted down once when nothing waits any longer; null where nobody waits for that. */
    private @Nullable CountDownLatch flushed;

    Exporter(TraceExportConfig config, Loop loop, SpanQueue queue, Collector collector) {
        this.config = config;
        this.loop = loop;
        this.queue = queue;
        this.collector = collector;
    }

    /** Delivers added spans once it is time. */
    void added() {
        if (ended) {
            queue.drop();
            tellDropped("another configuration holds", true);
            return;
        }
        tellDropped("the queue is full", true);
        if (delivery != null || called || queue.length() == 0) {
            return;
        }
        if (hurried || !resting && queue.length() >= queue.maxBytes() / PARTS * FULL_PARTS) {
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
            failed("no such cluster");
            tellFlushed();
            return;
        }
        boolean reads = config.format() == Format.OTLP;
        Delivery next = new Delivery(this, loop, cluster, content.array(), content.length(), config.timeoutNs(), reads);
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

    /** The collector has taken the delivery but for a part, which is null where it has taken all of it. */
    void taken(@Nullable PartialSuccess part) {
        delivery = null;
        int spans = queue.leaving();
        int rejected = part == null ? 0 : (int) Math.min(spans, part.rejected());
        queue.delivered(rejected);
        String tail = part == null ? null : rejections.tail(loop.nowNs());
        if (part != null && tail != null) {
            String what = rejected == 0
                    ? "collector accepted all spans with a warning; cluster=" + config.cluster()
                    : "collector rejected spans; cluster=" + config.cluster() + " rejected=" + rejected + " delivered="
                            + spans;
            String why = part.message().isEmpty() ? "no reason given" : part.message();
            Log.warn("tracing: " + what + " reason=\"" + why + '"' + tail);
        }
        if (hurried) {
            run();
        } else {
            added();
        }
    }

    /** Handles a delivery that has failed. */
    void lost(String problem) {
        delivery = null;
        failed(problem);
        if (hurried) {
            run();
        } else {
            resting = true;
            timer = loop.after(this, config.intervalNs() * REST_INTERVALS);
        }
    }

    private void failed(String problem) {
        queue.delivered(queue.leaving());
        String tail = warnings.tail(loop.nowNs());
        if (tail != null) {
            Log.warn("tracing: delivery failed; dropping its spans, cluster " + config.cluster() + ": " + problem
                    + tail);
        }
    }

    /**
     * Tells how many spans have been dropped since the last line.
     *
     * @param waits whether that line has to be a minute ago
     */
    private void tellDropped(String why, boolean waits) {
        int dropped = queue.takeDropped();
        untold += dropped;
        if (untold > 0 && (!waits || dropped > 0 && drops.tail(loop.nowNs()) != null)) {
            Log.warn("tracing: dropping spans; " + why + "; cluster=" + config.cluster() + " dropped=" + untold
                    + " queue=" + queue.maxBytes() + 'B');
            untold = 0;
        }
    }

    /** Delivers all there is, and from now on what comes; {@code done} is counted down once when nothing waits any longer. */
    void flush(CountDownLatch done) {
        tellFlushed();
        flushed = done;
        hurried = true;
        tellDropped("the queue was full", false);
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
        tellDropped("they could not be delivered in time", false);
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

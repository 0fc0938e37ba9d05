package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.config.model.Limits;
import io.remora.transport.Link;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A viewer whose reader is slow. */
final class ViewerTest {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Reader reader = new Reader();

    /** A peer that reads one event for each call. */
    private static final class Reader extends ChannelOutboundHandlerAdapter {
        private final Queue<ChannelPromise> unread = new ArrayDeque<>();
        private final Queue<ByteBuf> texts = new ArrayDeque<>();

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            unread.add(promise);
            texts.add((ByteBuf) message);
        }

        String take() {
            ByteBuf text = texts.remove();
            String taken = text.toString(StandardCharsets.UTF_8);
            text.release();
            unread.remove().setSuccess();
            return taken;
        }
    }

    private Viewer viewer(long stepNs, long leftNs) {
        channel.pipeline().addLast(reader);
        Viewer viewer = new Viewer(new Link(channel), stepNs, leftNs);
        channel.pipeline().addLast(viewer);
        viewer.begin("data: all\n\n");
        return viewer;
    }

    @AfterEach
    void release() {
        reader.texts.forEach(ByteBuf::release);
        channel.finishAndReleaseAll();
    }

    @Test
    void missesEventsWhileOneWaitsAndThenGetsAllNumbers() {
        Viewer viewer = viewer(MINUTE_NS, Limits.UNLIMITED);
        viewer.send("data: one\n\n");
        viewer.send("data: two\n\n");
        assertThat(viewer.isBehind()).isTrue();
        assertThat(reader.texts).hasSize(1);
        assertThat(reader.take()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\ndata: all\n\n");
        assertThat(viewer.isBehind()).isTrue();
        viewer.send("data: all again\n\n");
        assertThat(viewer.isBehind()).isFalse();
        assertThat(reader.take()).isEqualTo("data: all again\n\n");
        viewer.send("data: three\n\n");
        assertThat(reader.take()).isEqualTo("data: three\n\n");
    }

    @Test
    void isCutOnceItTakesTooLongToReadOne() {
        Viewer viewer = viewer(0, Limits.UNLIMITED);
        assertThat(viewer.isOpen()).isTrue();
        viewer.send("data: one\n\n");
        assertThat(channel.isOpen()).isFalse();
        assertThat(viewer.isOpen()).isFalse();
    }

    @Test
    void isCutIfItDoesNotReadAtTheEndOfItsAge() {
        Viewer viewer = viewer(0, 0);
        viewer.send("data: one\n\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void isCutIfItDoesNotReadItsEnd() {
        Viewer viewer = viewer(0, 0);
        reader.take();
        viewer.send("data: one\n\n");
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        viewer.send("data: two\n\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void endsWithTheAgeOfItsConnection() {
        Viewer viewer = viewer(MINUTE_NS, 0);
        reader.take();
        viewer.send("data: one\n\n");
        // an empty write, behind which the connection closes
        assertThat(reader.take()).isEmpty();
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }
}

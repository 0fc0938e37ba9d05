package io.remora.admin;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Sets up the connections to the admin or health listener.
 *
 * <p>Owner: the admin thread. Bounds: {@value #MAX_CONNECTIONS} connections; a further one closes the oldest, so that
 * nobody can lock out a probe by holding connections open. Request line 4 KiB, header section 8 KiB.
 */
final class AdminInitializer extends ChannelInitializer<SocketChannel> {
    private static final int MAX_CONNECTIONS = 32;
    private static final int MAX_LINE_BYTES = 4_096;
    private static final int MAX_HEADER_BYTES = 8_192;

    private final Pages pages;
    private final long stepNs;
    private final ArrayDeque<SocketChannel> open = new ArrayDeque<>(MAX_CONNECTIONS + 1);

    AdminInitializer(Pages pages, long stepNs) {
        this.pages = pages;
        this.stepNs = stepNs;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        makeRoom();
        open.add(channel);
        channel.pipeline()
                .addLast(new HttpRequestDecoder(new HttpDecoderConfig()
                        .setMaxInitialLineLength(MAX_LINE_BYTES)
                        .setMaxHeaderSize(MAX_HEADER_BYTES)))
                .addLast(new HttpResponseEncoder())
                .addLast(new AdminConnection(pages, stepNs));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The result of closing does not matter.
    private void makeRoom() {
        for (Iterator<SocketChannel> all = open.iterator(); open.size() >= MAX_CONNECTIONS && all.hasNext(); ) {
            if (!all.next().isOpen()) {
                all.remove();
            }
        }
        if (open.size() >= MAX_CONNECTIONS) {
            open.remove().close();
        }
    }
}

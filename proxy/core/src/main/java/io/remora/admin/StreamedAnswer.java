package io.remora.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.remora.log.UtcTime;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A response whose body another thread writes as it makes it. The body is chunked, or ends with the connection of a client
 * that does not know chunks; the connection is closed behind it.
 *
 * <p>Owner: one thread, which waits for the client to read. Bounds: {@value #ROOM} bytes, and one step's time for each of
 * them, after which the connection closes. Spec: RFC 9112 sections 6 and 7.1.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel, and touch() notices that
final class StreamedAnswer extends OutputStream {
    private static final int ROOM = 16 << 10;
    private static final long NS_PER_MS = 1_000_000;
    private static final String CRLF = "\r\n";
    private static final String LAST_CHUNK = "0\r\n\r\n";

    private final ChannelHandlerContext context;
    private final long stepNs;
    private final Runnable step;
    private final ChannelFutureListener end;
    private final boolean chunked;
    private final byte[] held = new byte[ROOM];
    private int length;
    private long bytes;
    private long deadlineNs;

    private StreamedAnswer(
            ChannelHandlerContext context, long stepNs, Runnable step, ChannelFutureListener end, boolean chunked) {
        this.context = context;
        this.stepNs = stepNs;
        this.step = step;
        this.end = end;
        this.chunked = chunked;
    }

    /**
     * Sends the head. A page that comes this way may not act as one of the admin listener's own origin.
     *
     * @param stepNs that the client has to read a piece
     * @param step gives the client time for a further step, on the admin thread
     * @param end is notified when the whole response has left
     */
    static StreamedAnswer begin(
            ChannelHandlerContext context,
            long stepNs,
            Runnable step,
            ChannelFutureListener end,
            boolean chunked,
            String contentType)
            throws IOException {
        StreamedAnswer answer = new StreamedAnswer(context, stepNs, step, end, chunked);
        StringBuilder head = new StringBuilder("HTTP/1.1 200 OK\r\nDate: ");
        UtcTime.appendHttpDate(head, System.currentTimeMillis() / 1_000);
        head.append("\r\nContent-Type: ").append(contentType);
        head.append(chunked ? "\r\nTransfer-Encoding: chunked" : "");
        head.append("\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n");
        head.append("Content-Security-Policy: sandbox allow-scripts allow-modals\r\nConnection: close\r\n\r\n");
        answer.send(ByteBufUtil.writeAscii(context.alloc(), head));
        return answer;
    }

    @Override
    public void write(int octet) throws IOException {
        if (length == ROOM) {
            flush();
        }
        held[length++] = (byte) octet;
    }

    @Override
    public void write(byte[] octets, int from, int count) throws IOException {
        int at = from;
        while (at < from + count) {
            if (length == ROOM) {
                flush();
            }
            int part = Math.min(ROOM - length, from + count - at);
            System.arraycopy(octets, at, held, length, part);
            length += part;
            at += part;
        }
    }

    /** Sends what is held, and waits until the kernel has it. */
    @Override
    public void flush() throws IOException {
        if (length == 0) {
            return;
        }
        ByteBuf content = Unpooled.copiedBuffer(held, 0, length);
        if (chunked) {
            ByteBuf size = ByteBufUtil.writeAscii(context.alloc(), Integer.toHexString(length) + CRLF);
            content = Unpooled.wrappedBuffer(size, content, ByteBufUtil.writeAscii(context.alloc(), CRLF));
        }
        int count = length;
        length = 0;
        send(content);
        bytes += count;
    }

    /** Returns the bytes of the body that the kernel has. */
    long bytes() {
        return bytes;
    }

    /** Gives the client until this time to read everything. */
    void endBy(long timeNs) {
        deadlineNs = timeNs;
    }

    private void send(ByteBuf content) throws IOException {
        long startNs = System.nanoTime();
        boolean late = deadlineNs != 0 && startNs - deadlineNs > 0;
        if (late || !context.channel().isActive()) {
            content.release();
            throw new IOException(late ? "the client reads too slowly" : "the client has left");
        }
        context.executor().execute(step);
        ChannelFuture written = context.writeAndFlush(content);
        // the connection closes after a step, which ends the wait
        written.awaitUninterruptibly(2 * stepNs / NS_PER_MS);
        if (!written.isSuccess()) {
            boolean waited = System.nanoTime() - startNs >= stepNs;
            throw new IOException(waited ? "the client does not read" : "the client has left");
        }
    }

    /**
     * Has the connection stay open for a further step.
     *
     * @throws IOException if the client has closed it
     */
    void touch() throws IOException {
        if (!context.channel().isActive()) {
            throw new IOException("the client has left");
        }
        context.executor().execute(step);
    }

    /** Ends the body, so that the client knows it is whole. */
    void end() throws IOException {
        flush();
        context.writeAndFlush(ByteBufUtil.writeAscii(context.alloc(), chunked ? LAST_CHUNK : ""))
                .addListener(end);
    }

    /** Cuts the connection, by which the client sees that the body is not whole. */
    void cut() {
        context.close();
    }
}

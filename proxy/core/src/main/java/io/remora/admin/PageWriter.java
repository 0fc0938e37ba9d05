package io.remora.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.remora.http1.Reasons;
import io.remora.log.UtcTime;
import org.jspecify.annotations.Nullable;

/**
 * Writes one response, the next piece of its page when the one before has left. A page of one piece has a length; a longer one is
 * chunked, or ends with the connection of a client that does not know chunks.
 *
 * <p>Owner: the admin thread. Bounds: two pieces wait for the client. Spec: RFC 9112 sections 6 and 7.1.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails fails the last one too, which is listened to
final class PageWriter implements ChannelFutureListener {
    private static final int HEAD_CHARS = 256;
    private static final String CRLF = "\r\n";
    private static final String LAST_CHUNK = "0\r\n\r\n";

    private final AdminConnection connection;
    private final ChannelHandlerContext context;
    private final Reply reply;
    private final @Nullable ByteBuf first;
    private final @Nullable ByteBuf second;
    private final boolean chunked;

    /**
     * @param http11 whether the client knows chunks
     */
    PageWriter(AdminConnection connection, ChannelHandlerContext context, Reply reply, boolean http11) {
        this.connection = connection;
        this.context = context;
        this.reply = reply;
        this.first = next();
        this.second = first == null ? null : next();
        this.chunked = http11 && second != null;
    }

    /** True where the page is chunked; else the end of the connection ends it. */
    boolean keepsConnection() {
        return second == null || chunked;
    }

    /**
     * Writes the head, and what of the page may wait; the connection hears when all has left.
     *
     * @param keepAlive whether another request may follow
     * @param toHead whether the head is all there is to be written
     */
    void begin(boolean keepAlive, boolean toHead) {
        context.write(ascii(head(keepAlive)));
        if (toHead) {
            release(first);
            release(second);
            end("");
        } else {
            write(first);
            write(second);
            goOn(second == null);
        }
    }

    private String head(boolean keepAlive) {
        StringBuilder text = new StringBuilder(HEAD_CHARS)
                .append("HTTP/1.1 ")
                .append(reply.status())
                .append(' ')
                .append(Reasons.text(reply.status()))
                .append("\r\nDate: ");
        UtcTime.appendHttpDate(text, System.currentTimeMillis() / 1_000);
        text.append("\r\nContent-Type: ").append(reply.contentType());
        if (chunked) {
            text.append("\r\nTransfer-Encoding: chunked");
        } else if (second == null && reply.body() != null) {
            text.append("\r\nContent-Length: ").append(first == null ? 0 : first.readableBytes());
        }
        text.append("\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n");
        if (reply.fields() != null) {
            text.append(reply.fields());
        }
        if (!keepAlive) {
            text.append("Connection: close\r\n");
        }
        return text.append(CRLF).toString();
    }

    private @Nullable ByteBuf next() {
        CharSequence piece = reply.body() == null ? null : reply.body().next();
        if (piece == null) {
            return null;
        }
        int octets = ByteBufUtil.utf8Bytes(piece);
        ByteBuf content = context.alloc().directBuffer(octets, octets);
        ByteBufUtil.reserveAndWriteUtf8(content, piece, octets);
        return content;
    }

    private void write(@Nullable ByteBuf content) {
        if (content == null) {
            return;
        }
        if (chunked) {
            context.write(ascii(Integer.toHexString(content.readableBytes()) + CRLF));
        }
        context.write(content);
        if (chunked) {
            context.write(ascii(CRLF));
        }
    }

    private void goOn(boolean last) {
        if (last) {
            end(chunked ? LAST_CHUNK : "");
        } else {
            context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(this);
        }
    }

    private void end(String last) {
        context.writeAndFlush(ascii(last)).addListener(connection);
    }

    private ByteBuf ascii(String text) {
        return ByteBufUtil.writeAscii(context.alloc(), text);
    }

    private static void release(@Nullable ByteBuf content) {
        if (content != null) {
            content.release();
        }
    }

    /** Called when the piece before has left, or the connection is gone. */
    @Override
    public void operationComplete(ChannelFuture written) {
        if (!written.isSuccess()) {
            connection.operationComplete(written);
            return;
        }
        connection.allowNextPiece();
        ByteBuf content = next();
        write(content);
        goOn(content == null);
    }
}

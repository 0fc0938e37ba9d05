package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.remora.transport.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The output of a protected connection: small pieces wait for the flush and become one record, large ones are encrypted
 * at once. Encrypted octets go to the channel's queue, which counts them.
 *
 * <p>Owner: its channel's event loop. Bounds: one record of content, until the flush that ends the turn.
 */
final class Outgoing {
    /** Size from which a piece is worth a record of its own. */
    private static final int LARGE = 4_096;

    private final TlsSession session;
    private @Nullable ByteBuf held;
    /** True where that is a buffer of its own, in which pieces are joined. */
    private boolean joins;

    Outgoing(TlsSession session) {
        this.session = session;
    }

    int heldOctets() {
        return held == null ? 0 : held.readableBytes();
    }

    /** Takes the content over. */
    void write(ChannelHandlerContext at, ByteBuf content, ChannelPromise promise) throws TlsException {
        int octets = content.readableBytes();
        boolean fits = octets < LARGE && heldOctets() + octets <= TlsSession.MAX_RECORD_CONTENT;
        if (!fits || !promise.isVoid()) {
            try {
                flush(at);
            } catch (TlsException | RuntimeException | Error e) {
                content.release();
                throw e;
            }
            encrypt(at, content, promise);
        } else if (held == null) {
            held = content;
            joins = false;
        } else {
            join(at, held, content);
        }
    }

    private void join(ChannelHandlerContext at, ByteBuf first, ByteBuf second) {
        try {
            ByteBuf into = first;
            if (!joins) {
                into = at.alloc().directBuffer(TlsSession.MAX_RECORD_CONTENT, TlsSession.MAX_RECORD_CONTENT);
                into.writeBytes(first);
                first.release();
                held = into;
                joins = true;
            }
            into.writeBytes(second);
        } finally {
            second.release();
        }
    }

    /** Encrypts what waits; the caller flushes the channel. */
    void flush(ChannelHandlerContext at) throws TlsException {
        ByteBuf waiting = held;
        held = null;
        if (waiting != null) {
            encrypt(at, waiting, at.channel().voidPromise());
        }
    }

    private void encrypt(ChannelHandlerContext at, ByteBuf content, ChannelPromise promise) throws TlsException {
        ByteBuf plain = direct(at, content);
        ByteBuf wire;
        try {
            wire = encrypted(at, plain);
        } finally {
            plain.release();
        }
        at.write(wire, promise);
    }

    private ByteBuf encrypted(ChannelHandlerContext at, ByteBuf plain) throws TlsException {
        int room = session.wireRoom(plain.readableBytes());
        ByteBuf wire = SharedBuffer.WIRE.take(at.alloc(), room, room);
        try {
            session.encrypt(plain, wire);
        } catch (TlsException | RuntimeException | Error e) {
            wire.release();
            throw e;
        }
        return wire;
    }

    /** Returns the content as sessions need it: direct, with one NIO buffer. */
    private static ByteBuf direct(ChannelHandlerContext at, ByteBuf content) {
        if (content.isDirect() && content.nioBufferCount() == 1) {
            return content;
        }
        try {
            return at.alloc().directBuffer(content.readableBytes()).writeBytes(content);
        } finally {
            content.release();
        }
    }

    void release() {
        if (held != null) {
            held.release();
            held = null;
        }
    }
}

package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.remora.http.ResponseHead;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The part of a response that a connection has read and nobody has taken. A head waits for the rest of the read in
 * which it came, so that a short response is passed on at once. Content may be there that Finagle's stack has not
 * requested.
 *
 * <p>Owner: the event loop. Bounds: the octets of one read, and those that are handed on.
 */
final class Unread {
    private @Nullable ResponseHead head;
    private long readyNs;
    /** The content that came with the head. */
    private @Nullable Piece held;
    /** The pieces that Finagle's stack has, and may not have taken. */
    private final ArrayDeque<Piece> handedOn = new ArrayDeque<>(2);
    /** True if the exchange has gone since the head came. */
    private boolean left;
    /** The octets behind a switch of protocols, until a tunnel takes them. */
    private @Nullable ByteBuf early;

    /**
     * The head of a final response has come.
     *
     * @param firstByteNs when its first byte did
     */
    void head(ResponseHead whole, long firstByteNs) {
        head = whole;
        readyNs = firstByteNs;
        left = false;
    }

    /** A piece of the body has come, of which the first one waits with its head. */
    void content(ChannelHandlerContext at, Piece piece) {
        if (head != null && held == null) {
            held = piece;
        } else {
            handOn(at);
            handOn(at, piece);
        }
    }

    /** Hands on the head, and the content that came with it: the response is not whole. */
    void handOn(ChannelHandlerContext at) {
        ResponseHead first = head;
        if (first == null) {
            return;
        }
        Piece content = held;
        head = null;
        held = null;
        at.fireChannelRead(new ResponseStart(first, readyNs, false, null));
        if (content != null && left) {
            content.drop();
        } else if (content != null) {
            handOn(at, content);
        }
    }

    private void handOn(ChannelHandlerContext at, Piece piece) {
        while (!handedOn.isEmpty() && handedOn.peek().isTaken()) {
            handedOn.poll();
        }
        handedOn.add(piece);
        at.fireChannelRead(piece);
    }

    /** The response that came whole; null where its head has been handed on. */
    @Nullable
    ResponseStart takeWhole() {
        ResponseHead whole = head;
        Piece content = held;
        if (whole == null) {
            return null;
        }
        head = null;
        held = null;
        if (content != null) {
            handedOn.add(content);
        }
        return new ResponseStart(whole, readyNs, true, content);
    }

    void behindSwitch(ByteBuf octets) {
        early = early == null ? octets : Unpooled.wrappedBuffer(early, octets);
    }

    /** Returns the octets behind the switch; null for none. */
    @Nullable
    ByteBuf takeEarly() {
        ByteBuf first = early;
        early = null;
        return first;
    }

    /** Drops all content, since the exchange is gone; Finagle still gets the head. */
    void leave() {
        left = true;
        dropHeld();
        for (Piece piece = handedOn.poll(); piece != null; piece = handedOn.poll()) {
            piece.drop();
        }
    }

    /** Drops the rest, since the connection is gone; content that is handed on can still be taken. */
    void end() {
        head = null;
        dropHeld();
    }

    private void dropHeld() {
        if (held != null) {
            held.drop();
            held = null;
        }
        ByteBuf octets = takeEarly();
        if (octets != null) {
            octets.release();
        }
    }
}

package io.remora.http1;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMessageDecoderResult;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.Names;
import io.remora.transport.Loop;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Decoded pieces of pipelined requests that wait for the exchange before them.
 *
 * <p>Owner: one frontend. Bounds: requests and their bytes, from the listener's limits and the loop's share of the
 * heap; the decoder's gate asks before it adds more.
 */
final class MessageQueue {
    private final int maxRequests;
    private final int maxBytes;
    private final Loop loop;
    private @Nullable ArrayDeque<Object> messages;
    private int requests;
    private int bytes;
    /**
     * Requests that may turn the connection into a tunnel: what is behind them may not be HTTP, and must not be
     * decoded.
     */
    private int upgrades;

    MessageQueue(int maxRequests, int maxBytes, Loop loop) {
        this.loop = loop;
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
    }

    boolean isEmpty() {
        return messages == null || messages.isEmpty();
    }

    boolean hasRoom() {
        return requests < maxRequests && bytes < maxBytes && upgrades == 0 && (bytes == 0 || loop.hold(0));
    }

    void add(Object message) {
        if (messages == null) {
            messages = new ArrayDeque<>(4);
        }
        messages.add(message);
        count(message, 1);
    }

    @Nullable
    Object peek() {
        return messages == null ? null : messages.peek();
    }

    @Nullable
    Object poll() {
        Object message = messages == null ? null : messages.poll();
        if (message != null) {
            count(message, -1);
        }
        return message;
    }

    void release() {
        Object message = poll();
        while (message != null) {
            ReferenceCountUtil.release(message);
            message = poll();
        }
    }

    private void count(Object message, int sign) {
        int before = bytes;
        countMessage(message, sign);
        loop.hold(bytes - before);
    }

    private void countMessage(Object message, int sign) {
        if (message instanceof HttpContent content) {
            bytes += sign * content.content().readableBytes();
        } else {
            requests += sign;
            if (message instanceof HttpMessage head && head.decoderResult() instanceof HttpMessageDecoderResult sizes) {
                bytes += sign * sizes.totalSize();
                upgrades += head.headers().contains(Names.UPGRADE) ? sign : 0;
            }
        }
    }
}

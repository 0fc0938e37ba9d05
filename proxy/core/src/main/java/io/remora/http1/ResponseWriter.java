package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.exchange.Frontend;
import io.remora.http.BodyLength;
import io.remora.http.Names;
import io.remora.http.ResponseHead;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange sees of an HTTP/1 client: writes responses, each with the framing that the client understands.
 *
 * <p>Owner: one frontend. Bounds: the channel's water marks. Spec: RFC 9112 sections 6 and 9.6.
 */
final class ResponseWriter implements Frontend {
    private final Http1Frontend frontend;
    private final Channel channel;
    private final ResponseEncoder encoder = new ResponseEncoder();
    private @Nullable String client;
    private boolean http11 = true;
    private boolean keepAlive = true;
    private boolean toHead;
    private boolean bodyOpen;
    private boolean closeDelimited;
    private boolean lingering;

    ResponseWriter(Http1Frontend frontend, Channel channel) {
        this.frontend = frontend;
        this.channel = channel;
    }

    ResponseEncoder encoder() {
        return encoder;
    }

    /** The next response is to a request like this. */
    void begin(boolean isHead, boolean isHttp11, boolean isKeptAlive) {
        toHead = isHead;
        http11 = isHttp11;
        keepAlive = isKeptAlive;
        encoder.toHead(isHead);
    }

    /** Whether another request may follow the one in progress. */
    boolean isKeptAlive() {
        return keepAlive;
    }

    /** The response in progress is the last. */
    void keepNoLonger() {
        keepAlive = false;
    }

    @Override
    public String client() {
        if (client == null) {
            String address =
                    ((InetSocketAddress) channel.remoteAddress()).getAddress().getHostAddress();
            // the zone of a link-local address means something on this machine only
            int zone = address.indexOf('%');
            client = zone < 0 ? address : address.substring(0, zone);
        }
        return client;
    }

    @Override
    public String version() {
        return http11 ? "HTTP/1.1" : "HTTP/1.0";
    }

    @Override
    public void respondInterim(ResponseHead head) {
        // RFC 9110 15.2: never to an HTTP/1.0 client
        if (!http11) {
            return;
        }
        encoder.toHead(false);
        channel.writeAndFlush(whole(head), channel.voidPromise());
        encoder.toHead(toHead);
    }

    @Override
    public void respond(ResponseHead head, boolean last) {
        keepAlive &= !last;
        if (!keepAlive) {
            head.fields.set(Names.CONNECTION, Names.CLOSE);
        }
        bodyOpen = head.bodyLength != BodyLength.NONE;
        if (!bodyOpen) {
            channel.write(whole(head), channel.voidPromise());
            return;
        }
        if (head.bodyLength == BodyLength.UNKNOWN) {
            frameUnknown(head.fields);
        }
        channel.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, head.status, head.fields), channel.voidPromise());
    }

    // RFC 9112 6.1: no transfer coding to a client that may not know of it; the close marks the end then
    private void frameUnknown(HttpHeaders fields) {
        fields.remove(Names.CONTENT_LENGTH);
        closeDelimited = !http11;
        if (http11) {
            fields.set(Names.TRANSFER_ENCODING, Names.CHUNKED);
        }
    }

    private static DefaultFullHttpResponse whole(ResponseHead head) {
        return new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, head.status, Unpooled.EMPTY_BUFFER, head.fields, EmptyHttpHeaders.INSTANCE);
    }

    @Override
    public void respondContent(ByteBuf content) {
        if (bodyOpen) {
            channel.write(new DefaultHttpContent(content), channel.voidPromise());
        } else {
            content.release();
        }
    }

    @Override
    public void respondEnd(@Nullable HttpHeaders trailers) {
        if (bodyOpen) {
            bodyOpen = false;
            LastHttpContent end = trailers == null || trailers.isEmpty()
                    ? LastHttpContent.EMPTY_LAST_CONTENT
                    : new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER, trailers);
            channel.write(end, channel.voidPromise());
        }
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void readBody(boolean wanted) {
        frontend.readBody(wanted);
    }

    @Override
    public void exchangeDone() {
        frontend.exchangeDone();
    }

    @Override
    public void openTunnel(Exchange exchange, ResponseHead head, Backend backend) {
        frontend.openTunnel(exchange, head, backend);
    }

    /** Closes so that a response that is not whole shows it: a close-delimited one can only be reset. */
    @Override
    public void abort() {
        keepAlive = false;
        frontend.aborted();
        channel.flush();
        if (closeDelimited && bodyOpen && channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // the socket went meanwhile: there is nobody left to see the cut
                channel.close();
            }
        }
        channel.close();
    }

    /** The client has ended its side too: nothing is left to wait for once all is written. */
    void inputEnded() {
        if (lingering) {
            channel.close();
        }
    }

    /**
     * Closes behind all that is written.
     *
     * @param linger whether to wait for the client's end first: a close with unread input resets the connection, and
     *     the reset can overtake the response
     */
    void end(boolean linger) {
        if (linger && channel instanceof SocketChannel socket) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture flushed) {
                    lingering = true;
                    if (socket.isInputShutdown()) {
                        socket.close();
                    } else {
                        socket.shutdownOutput();
                    }
                }
            });
        } else {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }
}

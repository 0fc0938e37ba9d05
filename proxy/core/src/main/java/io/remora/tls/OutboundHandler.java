package io.remora.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandler;
import io.netty.channel.ChannelPromise;
import io.remora.transport.InboundHandler;
import java.net.SocketAddress;

/** A handler of both directions that passes on all events that it does not handle. Owner: its channel's event loop. */
abstract class OutboundHandler extends InboundHandler implements ChannelOutboundHandler {
    @Override
    public void bind(ChannelHandlerContext at, SocketAddress local, ChannelPromise promise) {
        at.bind(local, promise);
    }

    @Override
    public void connect(ChannelHandlerContext at, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        at.connect(remote, local, promise);
    }

    @Override
    public void disconnect(ChannelHandlerContext at, ChannelPromise promise) {
        at.disconnect(promise);
    }

    @Override
    public void deregister(ChannelHandlerContext at, ChannelPromise promise) {
        at.deregister(promise);
    }

    @Override
    public void read(ChannelHandlerContext at) {
        at.read();
    }
}

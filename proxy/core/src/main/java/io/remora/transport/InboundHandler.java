package io.remora.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;

/**
 * A handler that passes every event on. The methods of Netty's own adapter carry an annotation by which the pipeline
 * finds out which of them matter; the JDK loads some eighty classes, and makes four, to read the first annotation.
 *
 * <p>Owner: its channel's event loop.
 */
public abstract class InboundHandler implements ChannelInboundHandler {
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        // Most need no context before the first event.
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        // most hold nothing that would have to be released
    }

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        context.fireChannelRegistered();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        context.fireChannelUnregistered();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
    }

    @Override
    @SuppressWarnings("deprecation") // in outbound handlers only
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.fireExceptionCaught(cause);
    }
}

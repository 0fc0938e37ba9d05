package io.remora.loadtest.faults;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;

/**
 * Puts the fault that the system property {@code remora.fault} names into each connection that a sidecar accepts.
 *
 * <p>Netty finds it on the class path with {@code -Dio.netty.bootstrap.extensions=serviceload}; nothing else in the sidecar changes.
 */
public final class FaultyChannels extends ChannelInitializerExtension {
    private final FaultyHandler handler = new FaultyHandler(Fault.named(System.getProperty("remora.fault", "none")));

    @Override
    public void postInitializeServerChildChannel(Channel channel) {
        channel.pipeline().addFirst(handler);
    }
}

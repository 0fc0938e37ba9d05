package io.remora.pool;

import io.netty.channel.Channel;

/** Makes the connection of a new channel and fills the channel's pipeline. */
public interface ConnectionFactory<C extends Connection> {
    C create(EndpointPool<C> pool, Channel channel);
}

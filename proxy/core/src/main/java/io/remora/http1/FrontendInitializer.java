package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.remora.exchange.ListenerContext;
import java.util.List;

/** Fills the pipelines of the channels that one listener accepts. Thread safe. */
@Sharable
public final class FrontendInitializer extends ChannelInitializer<Channel> {
    private final ListenerContext[] contexts;

    /**
     * @param contexts one for each event loop
     */
    public FrontendInitializer(List<ListenerContext> contexts) {
        this.contexts = contexts.toArray(new ListenerContext[0]);
    }

    @Override
    protected void initChannel(Channel channel) {
        for (ListenerContext context : contexts) {
            if (context.loop().eventLoop() == channel.eventLoop()) {
                Http1Frontend.install(context, channel);
                return;
            }
        }
        throw new IllegalStateException("accepted on an event loop that is not the data path's");
    }
}

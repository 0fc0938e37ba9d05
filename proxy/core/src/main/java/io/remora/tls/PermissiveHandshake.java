package io.remora.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.remora.metrics.TlsStats;
import io.remora.transport.Handshake;
import io.remora.transport.Link;

/**
 * The handshake of a listener that takes plain HTTP next to TLS. {@link FirstOctets} tells the two apart; those of TLS have
 * the handshake of a strict listener.
 *
 * <p>Thread safe. Bounds: a connection that has said nothing holds a handler and no buffer; for how long is the matter
 * of who began it.
 */
final class PermissiveHandshake implements Handshake, FirstOctets.Next {
    private final TlsHandshake tls;
    private final TlsStats stats;

    PermissiveHandshake(TlsHandshake tls, TlsStats stats) {
        this.tls = tls;
        this.stats = stats;
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        channel.pipeline().addLast(new FirstOctets(channel, outcome, this));
    }

    @Override
    public Handshake wrapped() {
        return tls;
    }

    @Override
    public void end() {
        tls.end();
    }

    @Override
    public void release() {
        tls.release();
    }

    @Override
    public void begin(Channel channel, Outcome outcome, boolean isTls) {
        if (isTls) {
            tls.begin(channel, outcome, true);
            return;
        }
        stats.plainOpened();
        channel.closeFuture().addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture closed) {
                stats.plainClosed();
            }
        });
        outcome.ready(new Link(channel));
    }

    @Override
    public void lost(TlsException cause, boolean told) {
        tls.lost(cause, told);
    }
}

package io.remora.pool;

import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * One connection to an endpoint, and the last handler of its channel.
 *
 * <p>Owner: its pool's event loop.
 */
public abstract class Connection extends ChannelInboundHandlerAdapter {
    /** How many exchanges it has been leased to. */
    private int leases;

    /** Whether it counts among its pool's open connections no more. */
    private boolean left;

    /** Whether the channel is open and nothing has arrived that nobody asked for. */
    protected abstract boolean isUsable();

    /** Whether nothing has arrived on the idle connection, asked of the kernel: neither bytes nor an end. */
    protected abstract boolean isSilent();

    /** From now until it is leased it belongs to the pool, and whatever arrives makes it unusable. */
    protected abstract void onIdle();

    /** Closes the channel; the pool hears of it through {@link EndpointPool#closed}. */
    public abstract void close();

    final boolean lease() {
        return leases++ > 0;
    }

    /** Whether it counted until now. */
    final boolean leave() {
        boolean counted = !left;
        left = true;
        return counted;
    }
}

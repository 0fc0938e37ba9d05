package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;

/**
 * Makes accepted channels ready: goes through the handshake, then hands the connection to the protocol of its event loop.
 *
 * <p>Thread safe. Bounds: the handshake's time.
 */
public final class Acceptor {
    private final Handshake handshake;
    private final long timeoutNs;
    private final Loop[] loops;
    private final Protocol[] protocols;

    /**
     * @param timeoutNs that the handshake may take
     * @param loops the data path's
     * @param protocols one for each of the loops, in their order
     */
    public Acceptor(Handshake handshake, long timeoutNs, Loop[] loops, Protocol[] protocols) {
        this.handshake = handshake;
        this.timeoutNs = timeoutNs;
        this.loops = loops.clone();
        this.protocols = protocols.clone();
    }

    /** On the channel's event loop, before it reads. */
    void accept(Channel channel) {
        for (int i = 0; i < loops.length; i++) {
            if (loops[i].eventLoop() == channel.eventLoop()) {
                accept(channel, loops[i], protocols[i]);
                return;
            }
        }
        throw new IllegalStateException("accepted on an event loop that is not the data path's");
    }

    private void accept(Channel channel, Loop loop, Protocol protocol) {
        if (handshake == Handshake.NONE) {
            protocol.accept(new Link(channel));
        } else {
            new Accepted(channel, loop, protocol).begin();
        }
    }

    /** What speaks on connections once they are ready. Owner: one event loop. */
    public interface Protocol {
        void accept(Link link);
    }

    /** A connection that is being made ready. */
    private final class Accepted implements Handshake.Outcome, Deadline.Expirable {
        private final Channel channel;
        private final Protocol protocol;
        private final Deadline deadline;

        Accepted(Channel channel, Loop loop, Protocol protocol) {
            this.channel = channel;
            this.protocol = protocol;
            this.deadline = loop.deadlines().add(this);
        }

        void begin() {
            deadline.set(timeoutNs);
            channel.closeFuture().addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture closed) {
                    deadline.cancel();
                }
            });
            handshake.begin(channel, this);
        }

        @Override
        public void ready(Link link) {
            deadline.cancel();
            if (channel.isOpen()) {
                protocol.accept(link);
            }
        }

        @Override
        public void failed(Throwable cause) {
            deadline.cancel();
            channel.close();
        }

        @Override
        public void onDeadline() {
            channel.close();
        }
    }
}

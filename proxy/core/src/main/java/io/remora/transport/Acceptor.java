package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * Makes accepted channels ready: goes through the handshake, then hands the connection to the protocol of its event loop.
 *
 * <p>Thread safe. Bounds: the handshake's time, and the memory of its event loop.
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

    /**
     * Accepts a channel, on its event loop and before it reads.
     *
     * @param late whether it has waited in a long backlog
     */
    void accept(Channel channel, boolean late) {
        for (int i = 0; i < loops.length; i++) {
            if (loops[i].eventLoop() == channel.eventLoop()) {
                accept(channel, loops[i], protocols[i], late);
                return;
            }
        }
        throw new IllegalStateException("accepted on an event loop that is not the data path's");
    }

    private void accept(Channel channel, Loop loop, Protocol protocol, boolean late) {
        if (handshake == Handshake.NONE) {
            protocol.accept(new Link(channel));
        } else {
            new Accepted(channel, loop, protocol).begin(late);
        }
    }

    /** Protocol of connections, from when they are ready. Owner: one event loop. */
    public interface Protocol {
        void accept(Link link);
    }

    /** A connection that is being made ready. */
    private final class Accepted implements Handshake.Outcome, Deadline.Expirable, OneHandshake {
        private final Channel channel;
        private final Protocol protocol;
        private final Deadline deadline;
        private final Loop loop;
        private final Handshakes handshakes;
        private final long acceptedNs;
        /** Time from which its handshake counts: it was accepted, or has found room. */
        private long beganNs;

        private Object client;
        /** Set while it counts among its listener's handshakes in flight. */
        private boolean counted;
        /** Goes on with a handshake that waits for room; null where none does. */
        private @Nullable Runnable later;

        private int waitingOctets;
        private Handshake.Cut cutReason = Handshake.Cut.TIME;

        Accepted(Channel channel, Loop loop, Protocol protocol) {
            this.channel = channel;
            this.protocol = protocol;
            this.loop = loop;
            this.deadline = loop.deadlines().add(this);
            this.handshakes = loop.handshakes();
            this.acceptedNs = loop.nowNs();
            this.beganNs = acceptedNs;
            this.client = Link.claimantOf(channel);
        }

        void begin(boolean late) {
            if (!handshakes.begin(this)) {
                deadline.cancel();
                Link.resetOnClose(channel);
                channel.close();
                return;
            }
            deadline.set(timeoutNs);
            channel.closeFuture().addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture closed) {
                    end();
                }
            });
            handshake.begin(channel, this);
            handshakes.makeSilentRoom(this, late);
        }

        private void end() {
            later = null;
            deadline.cancel();
            handshakes.ended(this);
        }

        @Override
        public long beganNs() {
            return beganNs;
        }

        @Override
        public Object client() {
            return client;
        }

        @Override
        public void client(Object known) {
            client = known;
        }

        @Override
        public Object listener() {
            return handshake;
        }

        @Override
        public boolean countsFor(Object listener) {
            return counted && handshake == listener;
        }

        @Override
        public void counts(boolean inFlight) {
            counted = inFlight;
        }

        @Override
        public void comesFrom(String address) {
            handshakes.comesFrom(this, address);
        }

        @Override
        public boolean speaks(int octets, Runnable then) {
            waitingOctets = octets;
            if (handshakes.speaks(this, loop.nowNs())) {
                beganNs = loop.nowNs();
                return true;
            }
            if (channel.isOpen()) {
                later = then;
                lookAgain();
            }
            return false;
        }

        /** Tries again when handshakes that are in the way now have had their time. */
        private void lookAgain() {
            deadline.setOnce(Math.min(Handshakes.TIME_NS, leftNs()));
        }

        private long leftNs() {
            return Math.max(0, timeoutNs - (loop.nowNs() - acceptedNs));
        }

        @Override
        public void admit() {
            // a client that has left while it waited ends here
            readNow();
            Runnable then = later;
            later = null;
            if (then != null) {
                beganNs = loop.nowNs();
                deadline.setOnce(leftNs());
                then.run();
            }
        }

        @Override
        public boolean makeRoom() {
            return handshakes.makeRoom(this);
        }

        @Override
        public void readNow() {
            Link.readNow(channel);
        }

        @Override
        public int waitingOctets() {
            return waitingOctets;
        }

        @Override
        public void cut(Handshake.Cut reason) {
            cutReason = reason;
            channel.close();
            end();
        }

        @Override
        public Handshake.Cut cutReason() {
            return cutReason;
        }

        @Override
        public void cutUnanswered() {
            // leaves the kernel no closing connection, and no FIN to send
            Link.resetOnClose(channel);
            cut(Handshake.Cut.MEMORY);
        }

        @Override
        public void ready(Link link) {
            end();
            if (channel.isOpen()) {
                protocol.accept(link);
            }
        }

        @Override
        public void failed(Throwable cause) {
            channel.close();
            end();
        }

        @Override
        public void onDeadline() {
            if (later != null && leftNs() > 0) {
                lookAgain();
                handshakes.retry(this, loop.nowNs());
            } else {
                channel.close();
            }
        }
    }
}

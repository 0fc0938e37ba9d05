package io.remora.loadtest.faults;

import io.netty.channel.ChannelHandler;

/** What puts faults into a sidecar. */
public final class Faults {
    private Faults() {}

    /** A handler for the front of every pipeline, with the fault that the system property {@code remora.fault} names. */
    public static ChannelHandler handler() {
        return new FaultyHandler(Fault.named(System.getProperty("remora.fault", "none")));
    }
}

package io.remora.log;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

/**
 * Redirects Netty's logging to {@link Log}: warnings and errors keep their level, info becomes debug, and lower levels
 * are discarded.
 *
 * <p>Order: must be installed before any other class of Netty is used, because that would load java.util.logging.
 */
public final class NettyLogging extends InternalLoggerFactory {
    private NettyLogging() {}

    public static void install() {
        InternalLoggerFactory.setDefaultFactory(new NettyLogging());
    }

    @Override
    protected InternalLogger newInstance(String name) {
        return new NettyLogger(name);
    }
}

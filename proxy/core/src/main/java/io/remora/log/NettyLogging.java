package io.remora.log;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

/**
 * Sends what Netty logs to {@link Log}: its warnings and errors as they are, its infos as debug lines, and less than
 * that not at all.
 *
 * <p>Order: before any other class of Netty, which would load java.util.logging.
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

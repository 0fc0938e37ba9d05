package io.remora.admin;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Creates the admin thread and its selector. It is a daemon, so that it does not keep the process alive. */
final class AdminThread implements ThreadFactory, IoHandlerFactory {
    private @Nullable IoHandler io;

    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new FastThreadLocalThread(work, "remora-admin");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        IoHandler made = NioIoHandler.newFactory().newHandler(executor);
        io = made;
        return made;
    }

    /** Returns the selector, once the group has been made. */
    IoHandler io() {
        return Objects.requireNonNull(io);
    }
}

package io.remora.admin;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;

/** Creates the admin thread. It is a daemon, so that it does not keep the process alive. */
final class AdminThreads implements ThreadFactory {
    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new FastThreadLocalThread(work, "remora-admin");
        thread.setDaemon(true);
        return thread;
    }
}

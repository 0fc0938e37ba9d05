package io.remora.admin;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.ThreadFactory;

/** Makes the admin thread: a daemon, because it keeps nothing alive. */
final class AdminThreads implements ThreadFactory {
    @Override
    public Thread newThread(Runnable work) {
        Thread thread = new FastThreadLocalThread(work, "remora-admin");
        thread.setDaemon(true);
        return thread;
    }
}

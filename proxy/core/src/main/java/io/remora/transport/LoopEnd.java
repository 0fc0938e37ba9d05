package io.remora.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * End of an event loop, which closes all of its channels first.
 *
 * <p>Netty looks whether a loop is to end before the tasks of a turn, and again after them. Where the end comes between
 * the two, its channels stay open, and no handler releases what it holds.
 *
 * <p>Owner: the loop.
 */
public final class LoopEnd implements Runnable {
    private static final long MOST_S = 1;
    /** Each closes what the handlers of the pass before have opened. */
    private static final int MOST_PASSES = 4;

    private final EventLoop loop;
    private final IoHandler io;
    private int passes;

    private LoopEnd(EventLoop loop, IoHandler io) {
        this.loop = loop;
        this.io = io;
    }

    /**
     * Ends a loop after its current task, within a second; does nothing where it has ended. Until then it does not tell that
     * it shuts down. Any thread.
     *
     * @param io the loop's
     */
    public static void of(EventLoop loop, IoHandler io) {
        try {
            loop.execute(new LoopEnd(loop, io));
        } catch (RejectedExecutionException e) {
            // it has ended
        }
    }

    @Override
    public void run() {
        if (passes == 0) {
            loop.shutdownGracefully(0, MOST_S, TimeUnit.SECONDS);
        }
        io.prepareToDestroy();
        passes++;
        if (passes < MOST_PASSES) {
            // behind the tasks of this one, any of which may have opened another channel
            loop.execute(this);
        }
    }
}

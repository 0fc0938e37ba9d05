package io.remora.finagle;

import com.twitter.util.Duration;
import com.twitter.util.Time;
import com.twitter.util.Timer;
import com.twitter.util.TimerTask;
import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import scala.Function0;
import scala.runtime.BoxedUnit;

/**
 * Finagle's timer on an event loop. Tasks run where the connections are, and no thread ticks while no task is due.
 *
 * <p>Thread safe.
 */
final class LoopTimer implements Timer {
    private final EventLoop eventLoop;

    LoopTimer(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    @Override
    public TimerTask scheduleOnce(Time when, Function0<BoxedUnit> task) {
        try {
            return new Task(eventLoop.schedule(task::apply, untilNs(when), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException shutDown) {
            return new Task(null);
        }
    }

    @Override
    public TimerTask schedulePeriodically(Time when, Duration period, Function0<BoxedUnit> task) {
        try {
            return new Task(eventLoop.scheduleAtFixedRate(
                    task::apply, untilNs(when), period.inNanoseconds(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException shutDown) {
            return new Task(null);
        }
    }

    private static long untilNs(Time when) {
        return Math.max(0, when.inNanoseconds() - Time.now().inNanoseconds());
    }

    /** The event loop ends with the process. */
    @Override
    public void stop() {}

    private static final class Task implements TimerTask {
        private final @Nullable Future<?> scheduled;

        Task(@Nullable Future<?> scheduled) {
            this.scheduled = scheduled;
        }

        @Override
        public void cancel() {
            if (scheduled != null) {
                scheduled.cancel(false);
            }
        }
    }
}

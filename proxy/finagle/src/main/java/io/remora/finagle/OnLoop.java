package io.remora.finagle;

import com.twitter.util.Future;
import com.twitter.util.Promise;
import io.remora.transport.Loop;
import java.util.function.Supplier;

/** Has what users' filters call from threads of their own done on the event loop that owns it. */
final class OnLoop {
    private OnLoop() {}

    static <T> Future<T> call(Loop loop, Supplier<Future<T>> what) {
        if (loop.eventLoop().inEventLoop()) {
            return what.get();
        }
        Promise<T> later = new Promise<>();
        // a promise that is told of an interrupt on its way passes it on
        loop.execute(() -> later.become(what.get()));
        return later;
    }
}

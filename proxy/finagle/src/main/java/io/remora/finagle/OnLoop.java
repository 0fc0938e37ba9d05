package io.remora.finagle;

import com.twitter.util.Future;
import com.twitter.util.Local;
import com.twitter.util.Local$;
import com.twitter.util.Promise;
import io.remora.transport.Loop;
import java.util.function.Supplier;

/** Runs the calls of users' filters from their own threads on the event loop that owns them. */
final class OnLoop {
    private OnLoop() {}

    static <T> Future<T> call(Loop loop, Supplier<Future<T>> what) {
        if (loop.eventLoop().inEventLoop()) {
            return what.get();
        }
        Promise<T> later = new Promise<>();
        // a promise that hears of an interrupt on its way passes it on
        // and the locals that a filter has set for the call, such as a dtab, go with it
        Local.Context context = Local$.MODULE$.save();
        loop.execute(() -> {
            Local.Context before = Local$.MODULE$.save();
            Local$.MODULE$.restore(context);
            try {
                later.become(what.get());
            } finally {
                Local$.MODULE$.restore(before);
            }
        });
        return later;
    }
}

package io.remora;

import io.remora.check.ConfigCheck;
import io.remora.inject.InjectException;
import io.remora.log.Log;
import io.remora.webhook.Injector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** The command {@code injector}, of which no other command loads anything. */
final class Webhook {
    private static final int OK = 0;
    private static final int USAGE = 64;

    private Webhook() {}

    /** Serves until a signal comes; returns the process's status. */
    static int run(String file) throws IOException, InterruptedException {
        Log.queue();
        ConfigCheck.prepareNetty();
        CountDownLatch end = new CountDownLatch(1);
        Signals.onEnd(end);
        try {
            Injector.run(Path.of(file), end);
            return OK;
        } catch (InjectException e) {
            for (String problem : e.problems()) {
                System.err.println(problem);
            }
            return USAGE;
        }
    }
}

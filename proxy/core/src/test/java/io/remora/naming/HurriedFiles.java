package io.remora.naming;

import io.remora.files.FileWatch;
import io.remora.files.Watched;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A list of endpoints in a file that is looked at every two milliseconds, on a clock on which a second takes five: for tests of many
 * changes.
 */
public final class HurriedFiles implements Resolver {
    private static final int HURRY = 200;
    private static final int LOOK_MS = 2;

    private final Path path;

    public HurriedFiles(Path path) {
        this.path = path;
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        FileWatch nobody = new FileWatch();
        nobody.close();
        AutoCloseable listed = new FileResolver("app", path.toString(), nobody).watch(watcher);
        Thread looking = new Thread(() -> look((Watched) listed), "hurried-files");
        looking.setDaemon(true);
        looking.start();
        return () -> {
            looking.interrupt();
            looking.join();
        };
    }

    private static void look(Watched listed) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                listed.look(System.nanoTime() * HURRY, System.currentTimeMillis());
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        } catch (InterruptedException e) {
            // it is over
        }
    }
}

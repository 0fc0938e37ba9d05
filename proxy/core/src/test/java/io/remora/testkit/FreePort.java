package io.remora.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Ports for programs that cannot choose one by themselves. They are below those that the kernel gives to connections, one of which
 * anybody's next connection may have before the program binds it. No port comes twice, as who has asked for one may not have bound it yet.
 */
public final class FreePort {
    private static final int LOWEST = 10_000;
    /** Linux gives connections ports from 32,768 on. */
    private static final int BELOW = 32_000;

    private static final int TRIES = 1_000;

    /** By port. */
    private static final AtomicIntegerArray GIVEN = new AtomicIntegerArray(BELOW);

    private FreePort() {}

    public static int next() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BELOW);
            try (ServerSocket free = new ServerSocket(port)) {
                if (GIVEN.getAndSet(port, 1) == 0) {
                    return free.getLocalPort();
                }
            } catch (IOException taken) {
                // another one
            }
        }
        throw new AssertionError("no port is free");
    }
}

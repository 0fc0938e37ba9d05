package io.remora.transport;

import org.jspecify.annotations.Nullable;

/** An event loop, as its watchdog sees it. Thread safe. */
interface Turning {
    /** Moves with each turn; odd while it waits for something to do. */
    int turns();

    /** The kernel's account of its thread; null where it does not tell. */
    @Nullable
    ThreadTimes times();

    StackTraceElement[] stack();

    void countStall();
}

package io.remora.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * What {@link Sidecar} needs of whatever runs a sidecar: where it listens, a way to hold it up, and its end. All else
 * the tests see through sockets and admin pages, so that they run against any implementation of the sidecar.
 */
interface RunningSidecar {
    InetSocketAddress listener(String name);

    InetSocketAddress admin();

    InetSocketAddress health();

    /** Keeps the sidecar from doing anything while the action runs. What arrives meanwhile is all there afterwards. */
    void stall(Action action) throws IOException;

    /** Exchanges of a listener that have ended, told at once. */
    long finished(String listener);

    /** Ends it at once, without a drain. */
    void end();

    /** What it has counted, which can be asked after its end too. */
    Metrics counted();
}

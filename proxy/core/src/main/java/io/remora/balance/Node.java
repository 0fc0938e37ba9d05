package io.remora.balance;

/** An endpoint as a balancer sees it. Owner: one event loop. */
public interface Node {
    /** Attempts under way or waiting. */
    int load();

    /** Whether it may be picked while another one can. */
    boolean isHealthy();

    /** Its share of the requests relative to the others', 1 or more. */
    int weight();
}

package io.remora.balance;

/** Picks endpoints in turn. Owner: one event loop. */
public final class RoundRobin {
    private final int endpoints;
    private int next;

    /**
     * @param endpoints how many there are, 1 or more
     */
    public RoundRobin(int endpoints) {
        this.endpoints = endpoints;
    }

    /** The index of the endpoint whose turn it is. */
    public int pick() {
        int picked = next;
        next = picked + 1 == endpoints ? 0 : picked + 1;
        return picked;
    }
}

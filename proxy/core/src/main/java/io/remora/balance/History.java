package io.remora.balance;

/**
 * The state that a balancer keeps for one node. The node's owner reports attempts to it.
 *
 * <p>Owner: one event loop.
 */
public abstract class History {
    /** An attempt begins; {@link #ended} follows. */
    public void began() {}

    public void ended() {}

    /**
     * An attempt that has ended says something about the node.
     *
     * @param latencyNs -1 where no response came
     */
    public void learned(boolean failed, long latencyNs, long nowNs) {}

    /** An attempt was given up after that time because another one was faster; the node would have taken longer. */
    public void learnedAtLeast(long latencyNs, long nowNs) {}

    /** Returns how long responses take, 0 where none has come; -1 where that is not kept. Any thread. */
    public int latencyUs() {
        return -1;
    }
}

package io.remora.naming;

/** Tells what a cluster's name stands for, and tells it again whenever that changes. Thread safe. */
public interface Resolver {
    /**
     * Begins to notify {@code watcher}: the first time before this returns, if only that the answer is pending. An
     * answer that equals the one before is the same object.
     *
     * @return ends the notifications
     */
    AutoCloseable watch(Watcher watcher);

    /** A watcher of a resolver's answers; called on any thread, never on two at once. */
    interface Watcher {
        void changed(Addr addr);

        /**
         * The source says something that cannot be used; what it said before holds.
         *
         * @param why for a log line
         */
        default void refused(String why) {}
    }
}

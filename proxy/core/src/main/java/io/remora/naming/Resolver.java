package io.remora.naming;

/** Notifies watchers of the endpoints behind a cluster's name, and of each change. Thread safe. */
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
         * Reports that the source says something that cannot be used; its last answer holds.
         *
         * @param why for a log line
         */
        default void refused(String why) {}
    }
}

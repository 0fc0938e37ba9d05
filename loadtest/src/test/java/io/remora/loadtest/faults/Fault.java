package io.remora.loadtest.faults;

/** What is wrong with a sidecar. Owner: the event loop on which its requests arrive. */
interface Fault {
    /** Told of each request of the load as it arrives; false cuts its connection in the place of an answer. */
    boolean passes();

    /**
     * A new fault.
     *
     * @throws IllegalArgumentException for a name that is none: a sidecar without the fault asked for must not be taken for one with it
     */
    static Fault named(String name) {
        return switch (name) {
            case "none" -> () -> true;
            case "slow" -> new SlowFault();
            case "leak" -> new LeakFault();
            case "drop" -> new DropFault();
            default ->
                throw new IllegalArgumentException("remora.fault=" + name + " is none of none, slow, leak, drop");
        };
    }
}

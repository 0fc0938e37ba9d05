package io.remora.loadtest.faults;

/** What is wrong with a sidecar. Owner: the event loop on which its requests arrive. */
interface Fault {
    /** What becomes of a request in the place of an answer, if it is not passed on. */
    enum Fate {
        PASSED_ON,
        CUT,
        SWALLOWED
    }

    /** Asked of each request of the load as it arrives. */
    Fate fate();

    /**
     * A new fault.
     *
     * @throws IllegalArgumentException for a name that is none: a sidecar without the fault asked for must not be taken for one with it
     */
    static Fault named(String name) {
        return switch (name) {
            case "none" -> () -> Fate.PASSED_ON;
            case "slow" -> new SlowFault();
            case "burn" -> new BurnFault();
            case "leak" -> new LeakFault();
            case "drop" -> new LossFault(100, Fate.CUT);
            case "drop-many" -> new LossFault(4, Fate.CUT);
            case "swallow" -> new LossFault(100, Fate.SWALLOWED);
            default ->
                throw new IllegalArgumentException(
                        "remora.fault=" + name + " is none of none, slow, burn, leak, drop, drop-many, swallow");
        };
    }
}

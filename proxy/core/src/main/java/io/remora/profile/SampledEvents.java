package io.remora.profile;

/** Samples that the VM reports: allocations once per interval, and waits for monitors. */
record SampledEvents(long period) implements Sampling {
    /** The buffer has 64 places, and a thread may allocate 400 MB a second. */
    private static final long STEP_MS = 10;

    @Override
    public void at(long elapsedNs) {
        // the VM's callbacks do all
    }

    @Override
    public long stepMs() {
        return STEP_MS;
    }

    @Override
    public String method() {
        return "by the VM";
    }
}

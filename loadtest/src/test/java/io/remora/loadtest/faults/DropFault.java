package io.remora.loadtest.faults;

/** Cuts the connection of every hundredth request. */
final class DropFault implements Fault {
    private static final int PERIOD = 100;

    private int requests;

    @Override
    public boolean passes() {
        requests++;
        return requests % PERIOD != 0;
    }
}

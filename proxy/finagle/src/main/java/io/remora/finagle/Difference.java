package io.remora.finagle;

/**
 * A rule of the default engine that a configuration asks for and Finagle's stack keeps otherwise, by the number that it
 * has in docs/engine-contract.md. A rule whose absence would be unsafe is no such difference: it is kept, or its key is
 * refused.
 */
enum Difference {
    WEIGHTS("E9: weights hold on average and not in turn, since Finagle divides by chance."),
    ALL_OUT(
            "E10: all endpoints may be out of use at once, and are all used then, since Finagle judges each by itself."),
    EACH_LOOP("E11: each event loop judges by its own requests alone, since each has a client of Finagle's."),
    AVOIDED("E12: an endpoint that cannot be connected to is passed over before its failures are enough,"
            + " since others are preferred to it for a second."),
    PAGE("E13: no page shows when an endpoint goes out and comes back, how many are out, or how fast it is,"
            + " since Finagle does not say.");

    private final String text;

    Difference(String text) {
        this.text = text;
    }

    /** Returns its number and, behind a colon, the rule that holds instead. */
    String text() {
        return text;
    }
}

package io.remora.memory;

/**
 * Stages of memory pressure; each stage does what those before it do. Thresholds are parts in a thousand: of the pool
 * that is reserved (fill), and of the usable limit that the kernel charges (usage). A stage ends where both have fallen
 * below its second threshold.
 */
public enum Pressure {
    CALM(0, 0, 0, 0),
    /** Exchanges may hold the least only. */
    SHRINK(600, 450, 920, 880),
    /** Exchanges that hold more than that stop reading. */
    PAUSE(750, 600, 940, 900),
    /** No further exchange, unless it takes the place of another or room has just been made for its client. */
    REFUSE(920, 800, 960, 920),
    /** The slowest exchanges that hold most end; fill is full where an exchange was refused. */
    CUT(1_000, 1_000, 975, 940),
    /** No further connection. */
    CLOSE(Integer.MAX_VALUE, 0, 990, 950);

    private static final Pressure[] ALL = values();

    private final int fillBegins;
    private final int fillEnds;
    private final int usageBegins;
    private final int usageEnds;

    Pressure(int fillBegins, int fillEnds, int usageBegins, int usageEnds) {
        this.fillBegins = fillBegins;
        this.fillEnds = fillEnds;
        this.usageBegins = usageBegins;
        this.usageEnds = usageEnds;
    }

    public boolean isAtLeast(Pressure other) {
        return compareTo(other) >= 0;
    }

    /** The fill below which this stage ends. */
    int fillEnds() {
        return fillEnds;
    }

    /** The usage below which this stage ends. */
    int usageEnds() {
        return usageEnds;
    }

    /** The next worse one; the worst has none worse. */
    Pressure above() {
        return ALL[Math.min(number() + 1, ALL.length - 1)];
    }

    /** Its place in the order, 0 for calm. */
    @SuppressWarnings("EnumOrdinal") // the order is what it says
    public int number() {
        return ordinal();
    }

    /**
     * The stage that follows this one.
     *
     * @param refused whether an exchange has been refused since the last question
     */
    Pressure next(int fill, int usage, boolean refused) {
        Pressure next = CALM;
        for (Pressure stage : ALL) {
            int demand = stage == CUT && refused && next == REFUSE ? 1_000 : fill;
            boolean begins = demand >= stage.fillBegins || usage >= stage.usageBegins;
            boolean stays =
                    isAtLeast(stage) && (demand >= stage.fillEnds && stage != CLOSE || usage >= stage.usageEnds);
            if (begins || stays) {
                next = stage;
            }
        }
        return next;
    }
}

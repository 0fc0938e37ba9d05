package io.remora.compilelog;

/** A method that was queued or compiled. */
final class MethodRow extends TableRow {
    private static final long EVENT_WEIGHT = 1_000;

    long bytecodes;
    long queued;
    long compiled;
    long osr;
    long failed;
    long codeBytes;
    long compileMs;
    long deoptimized;
    long notEntrant;
    /** The task of its latest code that no loop is replaced by, and the level. */
    int latestId;

    int latestLevel;

    MethodRow(String name) {
        super(name);
    }

    @Override
    long weight() {
        return codeBytes + EVENT_WEIGHT * (compileMs + compiled + failed + deoptimized + notEntrant);
    }
}

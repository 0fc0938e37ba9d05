package io.remora.compilelog;

/** A row of a {@link RowTable}. */
abstract class TableRow {
    private static final int MAX_NAME = 512;

    final String name;

    private boolean isDropped;

    TableRow(String name) {
        this.name = name;
    }

    /** Returns the name as far as rows keep it, so that a strange class does not fill the heap. */
    static String cut(String name) {
        return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME) + "...";
    }

    void drop() {
        isDropped = true;
    }

    /** Returns whether its table has dropped it. */
    boolean isDropped() {
        return isDropped;
    }

    /** Returns how much the row matters; a full table drops the lower half. */
    abstract long weight();
}

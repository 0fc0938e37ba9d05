package io.remora.metrics;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The counts of one event loop in one scope: a cell for each line of the scope's table, and for each value of its label
 * where a line counts by one. A scrape adds the loops up.
 *
 * <p>Owner: written by its event loop only, read by any thread. Cost: to count is a plain read and an ordered store; no
 * locked instruction, and no torn read on a 32-bit JVM. 28 bytes a cell.
 *
 * @param <M> the scope's table
 */
@SuppressWarnings("EnumOrdinal") // a constant's cell is where its line stands in the table
public abstract class Counts<M extends Enum<M> & Metric> implements StatsRow {
    private static final AtomicLong[] NO_CELLS = {};
    private static final AtomicLong[][] NOT_BY_LABEL = {};
    private static final LatencyRecorder[] NO_RECORDERS = {};

    private final M[] lines;
    private final String[] scope;
    private final String[] openValues;
    private final AtomicLong[] cells;
    private AtomicLong[][] cellsByLabel = NOT_BY_LABEL;
    private LatencyRecorder[] recorders = NO_RECORDERS;

    /**
     * @param lines the whole table, by ordinal
     * @param scope what the scope's labels say of this one
     * @param openValues of the label of a line that does not know them itself
     */
    protected Counts(M[] lines, String[] scope, String[] openValues) {
        this.lines = lines;
        this.scope = scope;
        this.openValues = openValues;
        this.cells = new AtomicLong[lines.length];
        for (M line : lines) {
            makeCells(line);
        }
    }

    private void makeCells(M line) {
        Family family = line.family();
        if (family.isHistogram()) {
            recorders = recorders.length == 0 ? new LatencyRecorder[lines.length] : recorders;
            recorders[line.ordinal()] = new LatencyRecorder();
        } else if (family.isCountedByLabel()) {
            cellsByLabel = cellsByLabel.length == 0 ? new AtomicLong[lines.length][] : cellsByLabel;
            cellsByLabel[line.ordinal()] = cells(values(line).length);
        } else if (family.terms().length == 0) {
            cells[line.ordinal()] = new AtomicLong();
        }
    }

    private static AtomicLong[] cells(int count) {
        AtomicLong[] cells = count == 0 ? NO_CELLS : new AtomicLong[count];
        for (int i = 0; i < count; i++) {
            cells[i] = new AtomicLong();
        }
        return cells;
    }

    public final void increment(M line) {
        add(cells[line.ordinal()], 1);
    }

    public final void decrement(M line) {
        add(cells[line.ordinal()], -1);
    }

    public final void add(M line, long delta) {
        add(cells[line.ordinal()], delta);
    }

    /** Counts by the line's own label; the value is one of those that were declared. */
    public final void increment(M line, String value) {
        add(cell(line, value), 1);
    }

    /** Adds more than one. */
    public final void add(M line, String value, long delta) {
        add(cell(line, value), delta);
    }

    /** Adds one from any thread, where all threads that count the line do so. */
    protected final void incrementShared(M line) {
        cells[line.ordinal()].getAndIncrement();
    }

    protected final void incrementShared(M line, String value) {
        cell(line, value).getAndIncrement();
    }

    /** Records a duration for a histogram. */
    public final void record(M line, long durationNs) {
        recorders[line.ordinal()].record(durationNs);
    }

    /** Returns the recorder that {@link #record} writes to. */
    public final LatencyRecorder recorder(M line) {
        return recorders[line.ordinal()];
    }

    /** Sets the current number of a label's value. */
    protected final void set(M line, String value, long number) {
        cell(line, value).lazySet(number);
    }

    public final long value(M line) {
        return cells[line.ordinal()].get();
    }

    public final long value(M line, String value) {
        return cell(line, value).get();
    }

    /** Adds one at an index that is known without a search. */
    final void incrementAt(M line, int index) {
        add(cellsByLabel[line.ordinal()][index], 1);
    }

    private static void add(AtomicLong cell, long delta) {
        cell.lazySet(cell.getPlain() + delta);
    }

    private AtomicLong cell(M line, String value) {
        String[] values = values(line);
        for (int i = 0; i < values.length; i++) {
            if (values[i].equals(value)) {
                return cellsByLabel[line.ordinal()][i];
            }
        }
        throw new IllegalArgumentException(line + " has no " + value);
    }

    /** The name of the table in {@link Stats}, which has rows of one class. */
    public abstract String table();

    /** Returns whether this row counts for the other one, of the same table, so that the other one is not added. */
    boolean continuesAs(Counts<?> other) {
        return this == other;
    }

    /** One more counts here. */
    void joined() {}

    /** Counts the end of an object that counts here; returns whether it was the last. */
    boolean leave() {
        return true;
    }

    /** Updates the numbers that only a scrape reads. */
    void refresh() {}

    /** Returns the values of the scope's labels. */
    final String[] scope() {
        return scope;
    }

    /** Returns whether the first label is its listener, with which it ends. */
    final boolean isOfListener() {
        return scope.length > 0 && lines[0].family().labels()[0].equals("listener");
    }

    /** Returns whether it comes with a configuration: it is of a listener, or one for the whole process. */
    final boolean isOfConfiguration() {
        return scope.length == 0 || isOfListener();
    }

    final M[] lines() {
        return lines;
    }

    /** The values of the label that the line counts by. */
    final String[] values(Metric line) {
        String[] known = line.family().values();
        return known == null || known.length == 0 ? openValues : known;
    }

    final boolean sharesSeriesWith(Counts<?> other) {
        return Arrays.equals(scope, other.scope);
    }

    /**
     * Returns all numbers of this moment, by ordinal and then by value of the label, without those that are recorded or
     * computed. It reads the last line first: a line for ends stands below the line for beginnings, so that a
     * difference of the two is never negative while the loop goes on counting.
     */
    final long[][] read() {
        long[][] numbers = new long[lines.length][];
        for (int i = lines.length - 1; i >= 0; i--) {
            numbers[i] = read(lines[i]);
        }
        return numbers;
    }

    /**
     * One number of this moment.
     *
     * @param line by its ordinal, none that is recorded or computed
     * @param label by its place among the values of the label that the line counts by, 0 for a line that counts by none
     */
    final long value(int line, int label) {
        AtomicLong cell = cells[line];
        return cell == null ? cellsByLabel[line][label].get() : cell.get();
    }

    private long[] read(M line) {
        if (line.family().isCountedByLabel()) {
            AtomicLong[] several = cellsByLabel[line.ordinal()];
            long[] numbers = new long[several.length];
            for (int i = 0; i < several.length; i++) {
                numbers[i] = several[i].get();
            }
            return numbers;
        }
        AtomicLong cell = cells[line.ordinal()];
        return cell == null ? new long[0] : new long[] {cell.get()};
    }

    /** Adds the counts of another row, to which no object counts any more. */
    final void addAll(Counts<M> other) {
        for (int i = 0; i < lines.length; i++) {
            if (cells[i] != null) {
                add(cells[i], other.cells[i].get());
            } else if (lines[i].family().isCountedByLabel()) {
                for (int j = 0; j < cellsByLabel[i].length; j++) {
                    add(cellsByLabel[i][j], other.cellsByLabel[i][j].get());
                }
            }
        }
    }
}

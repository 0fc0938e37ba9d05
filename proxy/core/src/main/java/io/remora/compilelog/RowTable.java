package io.remora.compilelog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Rows by their name.
 *
 * <p>Bounds: at the limit, the half of the rows that matters less is dropped. Such a name gets a new row if it comes
 * again.
 */
final class RowTable<R extends TableRow> {
    private final Function<String, R> maker;
    private final int limit;
    private final Map<String, R> rows = new HashMap<>();
    private long dropped;

    RowTable(int limit, Function<String, R> maker) {
        this.limit = limit;
        this.maker = maker;
    }

    R row(String full) {
        String name = TableRow.cut(full);
        R row = rows.get(name);
        if (row == null) {
            if (rows.size() >= limit) {
                dropHalf();
            }
            row = maker.apply(name);
            rows.put(name, row);
        }
        return row;
    }

    private void dropHalf() {
        List<R> all = sorted(TableRow::weight);
        List<R> lower = all.subList(all.size() / 2, all.size());
        dropped += lower.size();
        for (R row : lower) {
            rows.remove(row.name);
            row.drop();
        }
    }

    /** Returns how many rows were dropped. */
    long dropped() {
        return dropped;
    }

    Collection<R> all() {
        return rows.values();
    }

    /** Returns the rows with the largest value that is not zero, in this order. */
    List<R> top(int most, ToLongFunction<R> value) {
        List<R> top = sorted(value);
        int size = 0;
        while (size < Math.min(most, top.size()) && value.applyAsLong(top.get(size)) > 0) {
            size++;
        }
        return top.subList(0, size);
    }

    private List<R> sorted(ToLongFunction<R> value) {
        List<R> sorted = new ArrayList<>(rows.values());
        sorted.sort(Comparator.comparingLong(value).reversed().thenComparing(row -> row.name));
        return sorted;
    }
}

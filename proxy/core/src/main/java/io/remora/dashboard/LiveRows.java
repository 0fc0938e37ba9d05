package io.remora.dashboard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All rows of the page, and the events that keep viewers up to date.
 *
 * <p>Owner: the admin thread. Bounds: an event ends with the first row after {@value #EVENT_CHARS} characters; rows that
 * it has no room for have their turn in the next one. The figures of the cards are in each event, and so are the numbers
 * of rows that are left out.
 */
final class LiveRows {
    private static final int EVENT_CHARS = 800 * LivePage.PERIOD;
    private static final char ALL = 'a';
    private static final char PROCESS = 'p';
    private static final char LEFT_OUT = 'm';

    /** Rows by the table and the name; those of one kind have identifiers with its letter. */
    private final Map<String, LiveRow> byKey = new HashMap<>();

    private final List<LiveRow> rows = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();
    private final List<String> gone = new ArrayList<>();
    private int made;
    /** The row that has its turn first in the next event. */
    private int turn;

    /** Begins to read all numbers. */
    void begin() {
        seen.clear();
    }

    /** Returns the row of a kind and name, which the first call makes. */
    LiveRow row(char kind, String name, String... names) {
        String key = kind + name;
        seen.add(key);
        LiveRow known = byKey.get(key);
        if (known == null) {
            made++;
            known = new LiveRow(kind + Integer.toString(made), names);
            byKey.put(key, known);
            rows.add(known);
        }
        return known;
    }

    /** Keeps the rows of these kinds as they are, although they are not read. */
    void keep(String kinds) {
        for (String key : byKey.keySet()) {
            if (kinds.indexOf(key.charAt(0)) >= 0) {
                seen.add(key);
            }
        }
    }

    /** Drops the rows that were neither read nor kept since {@link #begin}. */
    void end() {
        Iterator<Map.Entry<String, LiveRow>> all = byKey.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<String, LiveRow> one = all.next();
            if (!seen.contains(one.getKey())) {
                gone.add(one.getValue().id());
                rows.remove(one.getValue());
                all.remove();
            }
        }
    }

    /** Appends what has changed, as two members of an object, as far as there is room. */
    void appendChanges(StringBuilder out) {
        appendGone(out);
        out.append("\"u\":{");
        boolean any = false;
        for (LiveRow row : rows) {
            if (isInEachEvent(row) && row.hasChanged()) {
                out.append(any ? "," : "");
                any = true;
                row.appendChanges(out);
            }
        }
        int first = rows.isEmpty() ? 0 : turn % rows.size();
        for (int i = 0; i < rows.size(); i++) {
            int at = (first + i) % rows.size();
            LiveRow row = rows.get(at);
            if (!row.hasChanged()) {
                continue;
            }
            if (out.length() > EVENT_CHARS) {
                turn = at;
                break;
            }
            out.append(any ? "," : "");
            any = true;
            row.appendChanges(out);
            turn = at + 1;
        }
        out.append('}');
    }

    // figures that viewers see as lines over time, and few
    private static boolean isInEachEvent(LiveRow row) {
        char kind = row.id().charAt(0);
        return kind == ALL || kind == PROCESS || kind == LEFT_OUT;
    }

    private void appendGone(StringBuilder out) {
        if (gone.isEmpty()) {
            return;
        }
        out.append("\"d\":[");
        for (String id : gone) {
            out.append(out.charAt(out.length() - 1) == '[' ? "\"" : ",\"")
                    .append(id)
                    .append('"');
        }
        out.append("],");
        gone.clear();
    }

    /** Appends what viewers have by now, as a member of an object. */
    void appendSent(StringBuilder out) {
        out.append("\"u\":{");
        boolean any = false;
        for (LiveRow row : rows) {
            out.append(any ? "," : "");
            any = true;
            row.appendSent(out);
        }
        out.append('}');
    }

    /** Counts all numbers as sent, before the first viewer gets them. */
    void settle() {
        StringBuilder dropped = new StringBuilder();
        for (LiveRow row : rows) {
            row.appendChanges(dropped);
        }
    }
}

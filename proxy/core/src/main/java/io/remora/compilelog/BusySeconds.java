package io.remora.compilelog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The seconds of a long log that a table has room for. */
final class BusySeconds {
    private BusySeconds() {}

    /** Returns the seconds with the most code, tasks and deoptimizations, in their order. */
    static List<Second> of(List<Second> seconds, int most) {
        if (seconds.size() <= most) {
            return seconds;
        }
        List<Second> busy = new ArrayList<>(seconds);
        busy.sort(Comparator.comparingLong(BusySeconds::events).reversed());
        List<Second> shown = new ArrayList<>(busy.subList(0, most));
        shown.sort(Comparator.comparingLong(second -> second.start));
        return shown;
    }

    private static long events(Second second) {
        return second.get(Count.QUEUED) + second.compiled() + second.get(Count.DEOPTIMIZED);
    }
}

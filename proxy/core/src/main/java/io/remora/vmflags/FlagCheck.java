package io.remora.vmflags;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The judgement on each flag of the user in the command line of a JVM that has started. Immutable.
 *
 * <p>A finding has the first reason that applies: another flag later on, a flag that the JVM does not have, a
 * deprecated one, one of a compiler or a collector that does not run, a value that holds without it.
 */
final class FlagCheck {
    private static final String COLLECTOR_PREFIX = "Use";
    private static final String COLLECTOR_SUFFIX = "GC";
    /** Collectors whose flags begin with their name. */
    private static final String[] COLLECTORS = {"G1", "Shenandoah", "Epsilon", "Z"};
    /** A flag by which the table shows that the JVM has C2. */
    static final String C2_WITNESS = "MaxInlineLevel";

    static final String STOP_AT = "TieredStopAtLevel";
    private static final String C2_LEVEL = "4";

    private final List<String> arguments;
    private final @Nullable FlagTable table;

    /**
     * @param arguments of the JVM, in their order
     * @param table null where nobody knows the flags of this JVM
     */
    FlagCheck(List<String> arguments, @Nullable FlagTable table) {
        this.arguments = arguments;
        this.table = table;
    }

    /** Returns the words that set a flag, and have no effect or are deprecated, each with the reason. */
    List<Finding> judge(List<String> words, boolean fromTheFront) {
        List<Finding> findings = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            // the same word again is the same line of the log
            VmFlag flag = words.indexOf(word) < i ? null : VmFlag.of(word);
            int at = fromTheFront ? arguments.indexOf(word) : arguments.lastIndexOf(word);
            // a word that the JVM did not receive is the launcher's
            String reason = flag == null || at < 0 ? null : reason(flag, at);
            if (reason != null) {
                findings.add(new Finding(word, reason));
            }
        }
        return findings;
    }

    private @Nullable String reason(VmFlag flag, int at) {
        FlagTable.Row row = table == null ? null : table.row(flag.name());
        String later = row != null && row.adds() ? null : find(flag.name(), at + 1, arguments.size());
        if (later != null) {
            return "is overridden by " + later + ", which comes later; it does nothing";
        }
        if (table == null) {
            return before(flag, at);
        }
        if (row == null) {
            return "is not a flag of this JVM; it does nothing";
        }
        if (row.deprecatedIn() != null) {
            return "is deprecated since Java " + row.deprecatedIn() + "; a later release may refuse it";
        }
        String idle = idle(flag, row, table);
        if (idle != null) {
            return idle;
        }
        String before = before(flag, at);
        boolean first = find(flag.name(), 0, at) == null;
        String value = row.value();
        return before == null && first && value != null && !row.adds() && flag.hasValue(value)
                ? "is the default of this JVM; it changes nothing"
                : before;
    }

    private @Nullable String before(VmFlag flag, int at) {
        String earlier = find(flag.name(), 0, at);
        VmFlag set = earlier == null ? null : VmFlag.of(earlier);
        return set != null && flag.hasValue(set.value())
                ? "repeats " + earlier + " before it; it changes nothing"
                : null;
    }

    // flags of what does not run
    private @Nullable String idle(VmFlag flag, FlagTable.Row row, FlagTable known) {
        if ((row.isOfC2() || flag.name().startsWith("Tier4")) && !runsC2(known)) {
            return "is for C2, which this JVM does not run; it does nothing";
        }
        String collector = collector();
        for (String name : COLLECTORS) {
            boolean its = flag.name().startsWith(name) && isUpper(flag.name(), name.length());
            if (its && collector != null && !collector.equals(name)) {
                return "is for the collector " + name + ", and this JVM runs " + collector + "; it does nothing";
            }
        }
        return null;
    }

    private static boolean isUpper(String text, int at) {
        return at < text.length() && Character.isUpperCase(text.charAt(at));
    }

    private boolean runsC2(FlagTable known) {
        String stop = find(STOP_AT, 0, arguments.size());
        VmFlag level = stop == null ? null : VmFlag.of(stop);
        return known.row(C2_WITNESS) != null && (level == null || level.hasValue(C2_LEVEL));
    }

    // the one that is chosen last; null where the JVM chooses
    private @Nullable String collector() {
        for (int i = arguments.size() - 1; i >= 0; i--) {
            VmFlag flag = VmFlag.of(arguments.get(i));
            if (flag != null
                    && flag.name().startsWith(COLLECTOR_PREFIX)
                    && flag.name().endsWith(COLLECTOR_SUFFIX)
                    && flag.value().equals("true")) {
                return flag.name()
                        .substring(COLLECTOR_PREFIX.length(), flag.name().length() - COLLECTOR_SUFFIX.length());
            }
        }
        return null;
    }

    /** Returns the last word in a range of the command line that sets this flag, null without one. */
    private @Nullable String find(String name, int from, int to) {
        for (int i = to - 1; i >= from; i--) {
            VmFlag flag = VmFlag.of(arguments.get(i));
            if (flag != null && flag.name().equals(name)) {
                return arguments.get(i);
            }
        }
        return null;
    }

    /**
     * A flag, and the reason why it should go.
     *
     * @param reason the rest of the sentence that begins with the flag
     */
    record Finding(String flag, String reason) {}
}

package io.remora.bundle;

import io.remora.adminclient.AdminTarget;
import org.jspecify.annotations.Nullable;

/** Words of the command line of {@code remora bundle}. Owner: the command. */
final class BundleOptions {
    private static final int TIME_S = 600;
    private static final int INTERVAL_S = 15;
    private static final int MOST_S = 3_600;
    private static final int PER_MINUTE = 60;
    /** Pages of metrics that the heap of the command has room for. */
    private static final int MOST_SCRAPES = 241;

    private final AdminTarget target = new AdminTarget();
    private @Nullable String out;
    private @Nullable String log;
    private int timeS = TIME_S;
    private int intervalS = INTERVAL_S;
    private boolean listsOnly;
    private boolean agreed;

    private BundleOptions() {}

    /**
     * Reads a command line, whose first word is {@code bundle}.
     *
     * @throws IllegalArgumentException with the problem, and what to write instead
     */
    static BundleOptions of(String[] arguments) {
        BundleOptions options = new BundleOptions();
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            boolean switched = word.equals("--list") || word.equals("--yes");
            if (switched) {
                options.turn(word);
            } else if (!word.startsWith("--")) {
                if (!options.target.set(word)) {
                    throw new IllegalArgumentException("'" + word + "' is a second address, expected one");
                }
            } else {
                if (i + 1 == arguments.length) {
                    throw new IllegalArgumentException(word + " needs a value");
                }
                options.set(word, arguments[++i]);
            }
        }
        String problem = options.target.problem();
        if (problem == null && options.out == null && !options.listsOnly) {
            problem = "--out is needed, a FILE.tar.gz, a directory, or - for standard output; --list only lists";
        }
        if (problem == null && options.scrapes() > MOST_SCRAPES) {
            problem = "--interval is too short for --time, expected at most " + (MOST_SCRAPES - 1) + " intervals";
        }
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return options;
    }

    private void turn(String word) {
        listsOnly |= word.equals("--list");
        agreed |= word.equals("--yes");
    }

    private void set(String option, String value) {
        switch (option) {
            case "--out" -> out = value;
            case "--log" -> log = value;
            case "--time" -> timeS = seconds(option, value, 0);
            case "--interval" -> intervalS = seconds(option, value, 1);
            default -> {
                if (!AdminTarget.isOption(option)) {
                    throw new IllegalArgumentException(option + " is not known; remora help lists the options");
                }
                target.set(option, value);
            }
        }
    }

    private static int seconds(String option, String text, int least) {
        boolean minutes = text.endsWith("m");
        int seconds = -1;
        try {
            if (minutes || text.endsWith("s")) {
                seconds = Integer.parseInt(text, 0, text.length() - 1, 10);
            }
        } catch (NumberFormatException e) {
            // below the least
        }
        if (seconds < least || seconds > MOST_S / (minutes ? PER_MINUTE : 1)) {
            throw new IllegalArgumentException(option + " is '" + text + "', expected a time of at least " + least
                    + " s and at most 1 h, such as 15s or 10m");
        }
        return minutes ? seconds * PER_MINUTE : seconds;
    }

    AdminTarget target() {
        return target;
    }

    /** Returns where the bundle goes, null if it is only listed. */
    @Nullable
    String out() {
        return out;
    }

    /** Returns the file with the sidecar's log, null for none. */
    @Nullable
    String log() {
        return log;
    }

    int intervalS() {
        return intervalS;
    }

    /** Returns the number of scrapes: one at the start, and one after each interval. */
    int scrapes() {
        return 1 + timeS / intervalS;
    }

    int timeS() {
        return timeS;
    }

    boolean listsOnly() {
        return listsOnly;
    }

    boolean agreed() {
        return agreed;
    }
}

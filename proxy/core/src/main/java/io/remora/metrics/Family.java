package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The declaration of a line in a table of metrics: the name, the type, the help text and the labels of its series.
 *
 * <p>Immutable; nobody writes to the arrays that it hands out.
 */
public final class Family {
    private static final String[] NONE = {};
    private static final Metric[] NO_TERMS = {};

    final String name;
    final String type;
    final String help;
    /** The last word of a histogram's tag in the latency log, empty for everything else. */
    final String tag;

    private final String[] labels;
    /** The values of the last label, where the line counts by it. */
    private final String @Nullable [] values;

    private final Metric[] terms;
    private final boolean inMilliseconds;

    private Family(Family of, String[] labels, String @Nullable [] values, Metric[] terms, boolean inMilliseconds) {
        this.name = of.name;
        this.type = of.type;
        this.help = of.help;
        this.tag = of.tag;
        this.labels = labels;
        this.values = values;
        this.terms = terms;
        this.inMilliseconds = inMilliseconds;
    }

    private Family(String name, String type, String help, String tag) {
        this.name = name;
        this.type = type;
        this.help = help;
        this.tag = tag;
        this.labels = NONE;
        this.values = null;
        this.terms = NO_TERMS;
        this.inMilliseconds = false;
    }

    public static Family counter(String name, String help) {
        return new Family(name, "counter", help, "");
    }

    public static Family gauge(String name, String help) {
        return new Family(name, "gauge", help, "");
    }

    public static Family histogram(String name, String help, String tag) {
        return new Family(name, "histogram", help, tag);
    }

    /** Returns the family with labels whose values are given with each sample. */
    public Family labels(String... own) {
        return new Family(this, own, values, terms, inMilliseconds);
    }

    /**
     * Counted by a label.
     *
     * @param known every value that the label has; none where only the counting class knows them
     */
    public Family by(String label, String... known) {
        return new Family(this, new String[] {label}, known, terms, inMilliseconds);
    }

    /** Computed at each scrape, as the first term less the others, instead of counted. */
    public Family difference(Metric... of) {
        return new Family(this, labels, values, of, inMilliseconds);
    }

    /** Counted in milliseconds, and shown in seconds. */
    Family inMilliseconds() {
        return new Family(this, labels, values, terms, true);
    }

    /** Returns the family with the scope's labels before the line's own. */
    public Family within(String... scope) {
        String[] all = new String[scope.length + labels.length];
        System.arraycopy(scope, 0, all, 0, scope.length);
        System.arraycopy(labels, 0, all, scope.length, labels.length);
        return new Family(this, all, values, terms, inMilliseconds);
    }

    String[] labels() {
        return labels;
    }

    /**
     * Returns the values of its label: null where the line counts by no label, and empty where only the counting class
     * knows them.
     */
    String @Nullable [] values() {
        return values;
    }

    Metric[] terms() {
        return terms;
    }

    boolean isInMilliseconds() {
        return inMilliseconds;
    }

    boolean isCountedByLabel() {
        return values != null;
    }

    boolean isHistogram() {
        return !tag.isEmpty();
    }
}

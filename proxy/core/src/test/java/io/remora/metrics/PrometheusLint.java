package io.remora.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the Prometheus text format 0.0.4 strictly and says what promtool's linter and a careful reader would. */
public final class PrometheusLint {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
    private static final Pattern SAMPLE = Pattern.compile("([A-Za-z0-9_:]+)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\"\\\\n])*)\"(,|$)");
    private static final Pattern NOT_BASE_UNITS =
            Pattern.compile("_(ns|us|ms|nanoseconds|microseconds|milliseconds|minutes"
                    + "|hours|days|kb|kib|mb|mib|kilobytes|megabytes|bits|percent|celsius)(_|$)");
    private static final Pattern TYPE_IN_NAME = Pattern.compile("_(counter|gauge|histogram|summary)(_|$)");

    private final List<String> problems = new ArrayList<>();
    private final Map<String, String> helps = new LinkedHashMap<>();
    private final Map<String, String> types = new LinkedHashMap<>();
    private final Map<String, Double> samples = new LinkedHashMap<>();
    private final Map<String, TreeMap<Double, Double>> buckets = new HashMap<>();
    private String family = "";

    private PrometheusLint() {}

    public static PrometheusLint of(String text) {
        PrometheusLint lint = new PrometheusLint();
        if (!text.endsWith("\n")) {
            lint.problems.add("the last line does not end");
        }
        text.lines().forEach(lint::line);
        lint.buckets.forEach(lint::histogram);
        return lint;
    }

    public List<String> problems() {
        return problems;
    }

    /** Type by name of the family. */
    public Map<String, String> types() {
        return types;
    }

    /** Value by {@code name{label="value",...}}, as it stood. */
    public Map<String, Double> samples() {
        return samples;
    }

    private void line(String line) {
        if (line.startsWith("# HELP ")) {
            help(line.substring(7));
        } else if (line.startsWith("# TYPE ")) {
            type(line.substring(7));
        } else {
            sample(line);
        }
    }

    private void help(String rest) {
        int space = rest.indexOf(' ');
        family = rest.substring(0, Math.max(0, space));
        if (helps.put(family, rest.substring(space + 1)) != null) {
            problems.add(family + ": a second HELP");
        }
        if (rest.length() - space < 10) {
            problems.add(family + ": says nothing");
        }
    }

    private void type(String rest) {
        String[] words = rest.split(" ");
        if (words.length != 2 || !words[0].equals(family) || types.put(words[0], words[1]) != null) {
            problems.add(rest + ": TYPE without its HELP right before it, or twice");
            return;
        }
        String name = words[0];
        if (!NAME.matcher(name).matches()) {
            problems.add(name + ": not lower case words");
        }
        if (words[1].equals("counter") != name.endsWith("_total")) {
            problems.add(name + ": _total belongs to counters, and to all of them");
        }
        if (!List.of("counter", "gauge", "histogram").contains(words[1])) {
            problems.add(name + ": type " + words[1]);
        }
        if (NOT_BASE_UNITS.matcher(name).find()) {
            problems.add(name + ": not in base units");
        }
        if (TYPE_IN_NAME.matcher(name).find() || name.matches(".*_(bucket|count|sum)")) {
            problems.add(name + ": the name says the type");
        }
    }

    private void sample(String line) {
        Matcher parts = SAMPLE.matcher(line);
        if (!parts.matches()) {
            problems.add("not a sample: " + line);
            return;
        }
        String name = parts.group(1);
        String type = types.getOrDefault(family, "none");
        boolean histogram = type.equals("histogram");
        List<String> names = histogram ? List.of("_bucket", "_sum", "_count") : List.of("");
        if (type.equals("none") || !name.startsWith(family) || !names.contains(name.substring(family.length()))) {
            problems.add(line + ": not below its HELP and TYPE");
        }
        double value = number(parts.group(3));
        Map<String, String> labels = labels(parts.group(2) == null ? "" : parts.group(2), line);
        String series = name + new TreeMap<>(labels);
        if (samples.put(line.substring(0, line.lastIndexOf(' ')), value) != null || helps.put(series, "") != null) {
            problems.add(series + ": twice");
        }
        if (type.equals("counter") && !(value >= 0)) {
            problems.add(line + ": a counter below 0");
        }
        String le = labels.remove("le");
        if ((le != null) != (histogram && name.endsWith("_bucket")) || labels.containsKey("quantile")) {
            problems.add(line + ": a reserved label");
        }
        if (histogram) {
            TreeMap<Double, Double> one = buckets.computeIfAbsent(family + labels, key -> new TreeMap<>());
            double key = le != null ? number(le) : name.endsWith("_count") ? -1 : -2;
            if (key >= 0 && !one.isEmpty() && one.lastKey() >= key) {
                problems.add(line + ": bounds do not rise");
            }
            one.put(key, value);
        }
    }

    private Map<String, String> labels(String text, String line) {
        Map<String, String> labels = new LinkedHashMap<>();
        Matcher label = LABEL.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (!label.find(at) || label.start() != at || label.group(1).startsWith("__")) {
                problems.add(line + ": not a label at " + at);
                break;
            }
            if (labels.put(label.group(1), label.group(2)) != null) {
                problems.add(line + ": a label twice");
            }
            at = label.end();
        }
        return labels;
    }

    private void histogram(String series, TreeMap<Double, Double> values) {
        Double sum = values.remove(-2.0);
        Double count = values.remove(-1.0);
        if (sum == null || count == null || !count.equals(values.get(Double.POSITIVE_INFINITY))) {
            problems.add(series + ": _sum or _count missing, or le=\"+Inf\" is not _count");
        }
        double below = 0;
        for (double value : values.values()) {
            if (value < below) {
                problems.add(series + ": buckets are not cumulative");
            }
            below = value;
        }
    }

    private double number(String text) {
        try {
            return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            problems.add("not a number: " + text);
            return 0;
        }
    }
}

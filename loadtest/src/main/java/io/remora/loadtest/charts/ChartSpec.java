package io.remora.loadtest.charts;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a chart shows, as its JSON description says.
 *
 * <pre>
 * {"title": TEXT, "width": PIXELS, "height": PIXELS, "bars": false,
 *  "x": {"title": TEXT, "kind": "linear" | "log" | "percentile" | "categories", "labels": [TEXT, ...]},
 *  "y": {"title": TEXT, "kind": "linear" | "log", "least": NUMBER},
 *  "series": [{"name": TEXT, "x": [...], "y": [...], "low": [...], "high": [...], "dashed": false}]}
 * </pre>
 *
 * A series has a y for each x, or for each label where x is of categories; null is a gap. Bars are for categories, and
 * low and high, which may be left out, are their spread. An x of kind percentile is 1 / (1 - share), as HdrHistogram
 * plots it. A logarithmic axis leaves out what is not above 0. An
 * axis begins at its least, unless a value is below.
 */
record ChartSpec(String title, int width, int height, boolean bars, Axis x, Axis y, List<Series> series) {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 400;

    ChartSpec {
        width = width == 0 ? WIDTH : width;
        height = height == 0 ? HEIGHT : height;
        require(title != null && x != null && y != null, "title, x and y must be there");
        require(series != null && !series.isEmpty(), "there is no series");
        require(!bars || x.is(Kind.CATEGORIES), "bars are for categories");
        require(!bars || !y.logarithmic(), "bars begin at 0, which a logarithmic axis does not have");
        require(series.size() == 1 || series.stream().noneMatch(Series::hasSpread), "a spread is for one series");
        require(bars || series.stream().noneMatch(Series::hasSpread), "a spread is for bars");
        require(!y.is(Kind.PERCENTILE) && !y.is(Kind.CATEGORIES), "y is linear or log");
        int categories = x.is(Kind.CATEGORIES) ? x.labels().size() : -1;
        series.forEach(one -> one.check(categories));
    }

    /** Raises IOException, with the reason, for what is no description. */
    static ChartSpec read(Path file) throws IOException {
        return new ObjectMapper().readValue(Files.readString(file), ChartSpec.class);
    }

    /** Of all values and ends of spreads. */
    double lowest() {
        return series.stream()
                .flatMap(
                        one -> Stream.concat(one.y().stream(), one.low() == null ? Stream.empty() : one.low().stream()))
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(0);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    enum Kind {
        LINEAR,
        LOG,
        PERCENTILE,
        CATEGORIES
    }

    record Axis(
            String title,
            String kind,
            List<String> labels,
            @Nullable Double least) {
        Axis {
            title = title == null ? "" : title;
            kind = kind == null ? "linear" : kind;
            labels = labels == null ? List.of() : List.copyOf(labels);
            Kind.valueOf(kind.toUpperCase(Locale.ROOT));
            require(!kind.equals("categories") || !labels.isEmpty(), "categories need labels");
        }

        boolean is(Kind wanted) {
            return wanted.name().toLowerCase(Locale.ROOT).equals(kind);
        }

        boolean logarithmic() {
            return is(Kind.LOG) || is(Kind.PERCENTILE);
        }
    }

    record Series(
            String name,
            List<@Nullable Double> x,
            List<@Nullable Double> y,
            @Nullable List<@Nullable Double> low,
            @Nullable List<@Nullable Double> high,
            boolean dashed) {

        Series {
            x = x == null ? List.of() : x;
        }

        boolean hasSpread() {
            return low != null || high != null;
        }

        void check(int categories) {
            require(name != null && y != null, "a series needs a name and y");
            int points = categories < 0 ? x.size() : categories;
            require(y.size() == points, "series " + name + " has " + y.size() + " values for " + points + " places");
            require((low == null) == (high == null), "series " + name + " has one end of a spread only");
            require(whole(low, points) && whole(high, points), "series " + name + " has a spread with gaps");
        }

        private static boolean whole(@Nullable List<@Nullable Double> ends, int points) {
            return ends == null || ends.size() == points && !ends.contains(null);
        }
    }
}

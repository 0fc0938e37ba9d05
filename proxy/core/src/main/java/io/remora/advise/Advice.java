package io.remora.advise;

import io.remora.inject.ProfileTable;
import io.remora.inject.ProfileTable.Profile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The smallest profile, code cache and limit that would have held the peaks of a sidecar. Immutable.
 *
 * <p>A bound holds what is at most {@value #FULL_PERCENT} % of it. A limit is the most that was charged, and a tenth.
 */
final class Advice {
    /** Fill beyond which a bound is short: the heap collects all the time then, and the code cache is flushed. */
    static final int FULL_PERCENT = 80;

    private static final int PERCENT = 100;
    private static final int ONE_DAY = 24;
    private static final long MIB = 1 << 20;
    private static final String HEAP = "-Xmx";
    private static final String DIRECT = "-XX:MaxDirectMemorySize=";
    private static final String CODE = "-XX:ReservedCodeCacheSize=";

    private final PeaksPage peaks;
    private final @Nullable Profile profile;
    private final List<String> unused;
    private final long codeBytes;
    private final long limitBytes;

    private Advice(PeaksPage peaks, @Nullable Profile profile, List<String> unused) throws IOException {
        this.peaks = peaks;
        this.profile = profile;
        this.unused = unused;
        this.codeBytes = mibs(peaks.sinceStart("code_cache_peak") * PERCENT / FULL_PERCENT);
        // without a limit, the kernel charges what it does not count here: pages of files
        long charged = peaks.most("limit_bytes") > 0 ? peaks.most("usage_bytes") : peaks.sinceStart("rss_peak");
        long measured = profile == null ? 0 : withTenth(profile.peakBytes());
        this.limitBytes = mibs(Math.max(withTenth(charged), measured));
    }

    static Advice of(PeaksPage peaks, ProfileTable table, List<String> unused) throws IOException {
        for (Profile row : table.offered(peaks.image())) {
            if (holds(row, peaks)) {
                return new Advice(peaks, row, unused);
            }
        }
        return new Advice(peaks, null, unused);
    }

    private static boolean holds(Profile row, PeaksPage peaks) {
        return row.rps() >= peaks.most("rate")
                && fits(peaks.most("heap_bytes"), bytes(row, HEAP))
                && fits(peaks.most("direct_bytes"), bytes(row, DIRECT));
    }

    private static boolean fits(long peak, long bound) {
        return bound == 0 || peak * PERCENT <= bound * FULL_PERCENT;
    }

    private static long withTenth(long bytes) {
        return bytes + bytes / 10;
    }

    private static long mibs(long bytes) {
        return (bytes + MIB - 1) / MIB * MIB;
    }

    /** Returns the size behind the last option of a profile with this beginning, in bytes; 0 without one. */
    private static long bytes(Profile row, String option) {
        long bytes = 0;
        for (String word : PeaksPage.parts(row.refusal(), ' ')) {
            if (word.startsWith(option)) {
                char unit = word.charAt(word.length() - 1);
                long number = Long.parseLong(word, option.length(), word.length() - 1, 10);
                bytes = unit == 'k' ? number << 10 : unit == 'm' ? number << 20 : number << 30;
            }
        }
        return bytes;
    }

    /** Returns what to change in a pod template, as YAML for {@code kubectl patch}; empty if no profile holds. */
    String patch() {
        if (profile == null) {
            return "";
        }
        StringBuilder yaml = new StringBuilder("spec:\n  template:\n    metadata:\n      annotations:\n");
        yaml.append("        remora.io/profile: \"").append(profile.name()).append("\"\n");
        yaml.append("        remora.io/rps: \"")
                .append(Math.max(1, peaks.most("rate")))
                .append("\"\n");
        if (codeIsShort(profile)) {
            yaml.append("        remora.io/jvm-options: \"")
                    .append(CODE)
                    .append(codeBytes / MIB)
                    .append("m\"\n");
        }
        return yaml.toString();
    }

    private boolean codeIsShort(Profile row) {
        return codeBytes > bytes(row, CODE) && bytes(row, CODE) > 0;
    }

    /** Returns the advice for a person, with what it follows from. */
    String text() throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("image           ").append(peaks.image()).append('\n');
        text.append("hours seen      ").append(peaks.hours());
        text.append(peaks.hours() < ONE_DAY ? " with traffic; a peak may be missing before a day has passed\n" : "\n");
        row(text, "rate", peaks.most("rate") + " exchanges/s");
        row(text, "connections", Long.toString(peaks.most("connections")));
        row(text, "exchanges", peaks.most("exchanges") + " at once");
        row(text, "heap", size(peaks.most("heap_bytes")) + " after a collection");
        row(text, "direct memory", size(peaks.most("direct_bytes")));
        row(text, "code cache", size(peaks.sinceStart("code_cache_peak")) + " since the start");
        row(
                text,
                "memory",
                size(peaks.most("usage_bytes"))
                        + (peaks.most("limit_bytes") > 0
                                ? " charged of " + size(peaks.most("limit_bytes"))
                                : " without pages of files; " + size(peaks.sinceStart("rss_peak"))
                                        + " resident, no limit"));
        text.append('\n');
        if (profile == null) {
            text.append("profile         no profile of this image would have held; another image may have one\n");
        } else {
            text.append("profile         ").append(profile.name());
            text.append(profile.name().equals(peaks.profile()) ? ", as now\n" : ", now " + peaks.profile() + '\n');
            text.append("code cache      ")
                    .append(
                            codeIsShort(profile)
                                    ? CODE + codeBytes / MIB + "m, as that of the profile was nearly full\n"
                                    : "that of the profile; " + size(codeBytes) + " would have held\n");
        }
        text.append("memory limit    ").append(size(limitBytes)).append(", the peak and a tenth\n\n");
        text.append(
                unused.isEmpty()
                        ? "nothing is unused, as far as it is counted; routes are not\n"
                        : "not used since the start, routes aside:\n");
        for (String one : unused) {
            text.append("  ").append(one).append('\n');
        }
        if (profile != null) {
            text.append("\npatch of the pod template (kubectl patch --patch-file):\n")
                    .append(patch());
        }
        return text.toString();
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append(name);
        for (int i = name.length(); i < 16; i++) {
            text.append(' ');
        }
        text.append(value).append('\n');
    }

    private static String size(long bytes) {
        long tenths = (bytes * 10 + MIB / 2) / MIB;
        return tenths / 10 + (tenths % 10 == 0 ? "" : "." + tenths % 10) + " MiB";
    }
}

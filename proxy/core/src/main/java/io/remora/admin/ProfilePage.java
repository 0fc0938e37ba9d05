package io.remora.admin;

import io.remora.flame.CallTree;
import io.remora.flame.FlameFormat;
import io.remora.flame.FlameHead;
import io.remora.log.Log;
import io.remora.metrics.LatencyTotals;
import io.remora.profile.Profile;
import io.remora.profile.ProfileKind;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /profile}: samples the process for a while on a separate thread, and sends the result.
 *
 * <p>Bounds: one at a time in the process, {@value #MAX_SECONDS} seconds. Cost: loaded by the first such request.
 */
final class ProfilePage implements SlowPage.Work, Profile.Progress {
    /**
     * Samples all threads for {@code ?seconds=30}, and returns a flame graph or another {@code format}. With {@code kind},
     * the samples show {@code cpu} time, {@code wall} clock time, {@code alloc}ations, waits for a {@code lock}, or CPU time with the functions
     * of the {@code kernel}. With
     * {@code slow=10}, the slowest ten seconds are compared with the rest. Only one profile can be taken at a time; a
     * second request gets 409. Requires {@code admin.profile: true}. See [profile.md](profile.md).
     */
    static final String PATH = "/profile";

    private static final String KIND = "kind";
    private static final String SECONDS = "seconds";
    private static final String FORMAT = "format";
    private static final String SLOW = "slow";
    private static final String PROGRESS = "progress";
    private static final int DEFAULT_SECONDS = 30;
    private static final int MAX_SECONDS = 300;
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;
    private static final long MS_PER_S = 1_000L;

    private static final String BUSY = "another profile is being taken; try again when it has ended";
    private static final SlowPage PAGE = new SlowPage("profile", BUSY);

    private final ProfileKind kind;
    private final int rate;
    private final int seconds;
    private final FlameFormat format;
    private final boolean framed;
    private final @Nullable SlowSeconds slow;
    private @Nullable StreamedAnswer answer;

    private ProfilePage(ProfileKind kind, Parameters given, LatencyTotals totals, LaterReply admin) {
        this.kind = kind;
        rate = kind.rate().isEmpty()
                ? kind.defaultRate()
                : given.number(kind.rate(), kind.defaultRate(), kind.mostRate());
        if (rate < kind.leastRate()) {
            throw new IllegalArgumentException(
                    kind.rate() + " is '" + rate + "', expected " + kind.leastRate() + " to " + kind.mostRate());
        }
        seconds = given.number(SECONDS, DEFAULT_SECONDS, MAX_SECONDS);
        String word = given.text(FORMAT, FlameFormat.COLLAPSED.word());
        FlameFormat named = FlameFormat.named(word);
        if (named == null) {
            throw new IllegalArgumentException(FORMAT + " is '" + word + "', expected " + FlameFormat.words());
        }
        if (!named.holds(kind.measure())) {
            throw new IllegalArgumentException(FORMAT + " " + word + " has no event for the sums of a " + kind.title());
        }
        format = named;
        framed = given.flag(PROGRESS);
        int wanted = given.number(SLOW, 0, Math.max(1, seconds - 1));
        if (wanted >= seconds) {
            throw new IllegalArgumentException("slow needs a profile of at least 2 seconds");
        }
        slow = wanted == 0 ? null : new SlowSeconds(admin, totals, seconds, wanted);
    }

    /**
     * Begins a profile.
     *
     * @throws IllegalArgumentException with the problem of a parameter
     */
    static void begin(LatencyTotals totals, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        ProfileKind kind = kind(target);
        PAGE.begin(then, new ProfilePage(kind, given(target, kind.rate()), totals, then));
    }

    private static ProfileKind kind(String target) {
        String word = given(target, "hz", "bytes").text(KIND, "cpu");
        ProfileKind kind = ProfileKind.named(word);
        if (kind == null) {
            throw new IllegalArgumentException(KIND + " is '" + word + "', expected cpu, wall, alloc, lock or kernel");
        }
        return kind;
    }

    /** Returns the parameters; a kind without a rate gives an empty name. */
    private static Parameters given(String target, String... rates) {
        List<String> examples =
                new ArrayList<>(List.of("kind=cpu", "seconds=30", "format=html", "progress=true", "slow=10"));
        for (String rate : rates) {
            if (!rate.isEmpty()) {
                examples.add(rate.equals("hz") ? "hz=100" : rate + "=65536");
            }
        }
        return Parameters.of(target, examples.toArray(new String[0]));
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException, InterruptedException {
        Profile profile = Profile.begin(kind, rate);
        if (profile == null) {
            throw new IOException(BUSY);
        }
        CallTree tree;
        StreamedAnswer out;
        try (profile) {
            out = turn.stream(framed ? ProfileFrames.CONTENT_TYPE : format.contentType());
            answer = out;
            tree = run(profile);
        }
        out.endBy(System.nanoTime() + SlowPage.SEND_NS);
        boolean[] selected = select(profile);
        String title = kind.title() + " of " + seconds + " s";
        String heading = Character.toUpperCase(title.charAt(0)) + title.substring(1);
        long nowMs = System.currentTimeMillis();
        OutputStream body = framed ? new ProfileFrames(out) : out;
        format.write(
                tree,
                new FlameHead(
                        heading,
                        note(tree, profile, selected),
                        kind.measure(),
                        profile.period(),
                        nowMs,
                        seconds * MS_PER_S),
                body);
        body.flush();
        if (framed) {
            ProfileFrames.end(out);
        }
        String how = kind == ProfileKind.KERNEL ? ' ' + profile.method() : "";
        Log.info("profile: " + title + " taken" + how + "; sent it as " + format.word() + " peer=" + turn.peer()
                + " samples="
                + profile.samples() + " dropped=" + profile.dropped() + " cut="
                + (tree.cut(CallTree.NOW) + tree.cut(CallTree.BEFORE)) + " bytes="
                + turn.end());
    }

    private CallTree run(Profile profile) throws IOException, InterruptedException {
        if (slow != null) {
            profile.keepSeconds();
            slow.at(0);
        }
        return profile.run(seconds * NS_PER_S, this);
    }

    /** Returns the seconds that are compared with the rest, null for none. */
    private boolean @Nullable [] select(Profile profile) throws IOException, InterruptedException {
        if (slow == null) {
            return null;
        }
        boolean[] selected = slow.select();
        profile.split(selected);
        return selected;
    }

    @Override
    public void at(long elapsedSeconds, long samples) throws IOException {
        if (slow != null) {
            slow.at(elapsedSeconds);
        }
        StreamedAnswer out = answer;
        if (out != null) {
            out.touch();
            if (framed) {
                ProfileFrames.progress(out, elapsedSeconds, seconds, samples);
            }
        }
    }

    private String note(CallTree tree, Profile profile, boolean @Nullable [] selected) {
        String how =
                switch (kind) {
                    case CPU, KERNEL -> " samples at " + rate + " Hz of each thread's CPU time, " + profile.method();
                    case WALL ->
                        " samples, one per " + profile.period() / NS_PER_MS + " ms of each thread, " + profile.method();
                    case ALLOC ->
                        " samples, one per " + kind.measure().text(rate) + " that a thread allocates; "
                                + kind.measure().text(tree.total(CallTree.NOW) + tree.total(CallTree.BEFORE))
                                + " in all";
                    case LOCK ->
                        " waits for monitors that have ended; "
                                + kind.measure().text(tree.total(CallTree.NOW) + tree.total(CallTree.BEFORE))
                                + " in all";
                };
        String compared = slow == null || selected == null ? "" : "; " + slow.note(selected);
        return profile.samples() + how + "; " + profile.dropped() + " dropped, "
                + kind.measure().text(tree.cut(CallTree.NOW) + tree.cut(CallTree.BEFORE)) + " cut" + compared;
    }
}

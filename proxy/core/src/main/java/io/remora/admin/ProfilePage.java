package io.remora.admin;

import io.remora.flame.CallTree;
import io.remora.flame.FlameFormat;
import io.remora.flame.FlameHead;
import io.remora.log.Log;
import io.remora.profile.Profile;
import io.remora.profile.ProfileKind;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /profile}: samples the process for a while on a separate thread, and sends the result.
 *
 * <p>Bounds: one at a time in the process, {@value #MAX_SECONDS} seconds. Cost: loaded by the first such request.
 */
final class ProfilePage implements Runnable, Profile.Progress {
    /**
     * Samples all threads for {@code ?seconds=30}, and returns a flame graph or another {@code format}. With {@code kind},
     * the samples show {@code cpu} time, {@code wall} clock time, {@code alloc}ations or waits for a {@code lock}. Only one profile can be taken at a time; a second request gets 409. Requires {@code admin.profile: true}. See
     * [profile.md](profile.md).
     */
    static final String PATH = "/profile";

    private static final int MAX_SECONDS = 300;
    private static final int SECONDS = 30;
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;
    /** Time in which a client has to read the result. */
    private static final long SEND_NS = 60 * NS_PER_S;

    private static final String[] RATES = {"hz", "bytes"};
    private static final String[] PARAMETERS = {"kind", "seconds", "hz", "bytes", "format", "progress"};

    private final LaterReply then;
    private final ProfileKind kind;
    private final int rate;
    private final int seconds;
    private final FlameFormat format;
    private final boolean framed;
    private @Nullable StreamedAnswer answer;

    private ProfilePage(LaterReply then, ProfileKind kind, int rate, int seconds, FlameFormat format, boolean framed) {
        this.then = then;
        this.kind = kind;
        this.rate = rate;
        this.seconds = seconds;
        this.format = format;
        this.framed = framed;
    }

    /** Begins a profile, or reports what is wrong with the request. */
    static void begin(String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        Map<String, String> given = new HashMap<>();
        String problem = read(target, given);
        if (problem != null) {
            then.told(400, problem + '\n');
            return;
        }
        ProfileKind kind = ProfileKind.named(given.getOrDefault("kind", "cpu"));
        if (kind == null) {
            then.told(400, "kind is cpu, wall, alloc or lock\n");
            return;
        }
        int rate = rate(kind, given);
        int seconds = number(given.getOrDefault("seconds", Integer.toString(SECONDS)), MAX_SECONDS);
        FlameFormat format = FlameFormat.named(given.getOrDefault("format", FlameFormat.COLLAPSED.word()));
        if (seconds == 0 || rate < 0 || format == null) {
            String bounds = kind.rate().isEmpty()
                    ? "there is no hz and no bytes"
                    : kind.rate() + " is " + kind.leastRate() + " to " + kind.mostRate();
            then.told(
                    400,
                    "seconds is 1 to " + MAX_SECONDS + ", format is " + FlameFormat.words() + ", and with this kind, "
                            + bounds + '\n');
            return;
        }
        boolean framed = given.getOrDefault("progress", "false").equals("true");
        Thread thread = new Thread(new ProfilePage(then, kind, rate, seconds, format, framed), "remora-profile");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns how often to sample; -1 for a parameter out of range, or one that the kind does not have. */
    private static int rate(ProfileKind kind, Map<String, String> given) {
        for (String name : RATES) {
            if (given.containsKey(name) && !name.equals(kind.rate())) {
                return -1;
            }
        }
        String text = given.get(kind.rate());
        int rate = text == null ? kind.defaultRate() : number(text, kind.mostRate());
        return rate < kind.leastRate() ? -1 : rate;
    }

    private static @Nullable String read(String target, Map<String, String> given) {
        for (String pair : RequestTarget.parameters(target)) {
            int equals = pair.indexOf('=');
            String name = pair.substring(0, Math.max(equals, 0));
            boolean known = false;
            for (String one : PARAMETERS) {
                known |= one.equals(name);
            }
            if (!known) {
                return "'" + pair
                        + "' is not a parameter, expected kind=cpu, seconds=30, hz=100, bytes=65536, format=html"
                        + " or progress=true";
            }
            if (given.put(name, pair.substring(equals + 1)) != null) {
                return name + " is given twice";
            }
        }
        return null;
    }

    /** Returns a number from 1 to the most; 0 for any other text. */
    private static int number(String text, int most) {
        int number = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9 || number > most) {
                return 0;
            }
            number = 10 * number + digit;
        }
        return number > most ? 0 : number;
    }

    @Override
    public void run() {
        try (Profile profile = begin()) {
            if (profile != null) {
                send(profile);
            }
        } catch (IOException e) {
            failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            failed("interrupted");
        } catch (RuntimeException e) {
            failed(e.toString());
        }
    }

    private void failed(String why) {
        Log.warn("profile: " + why + "; cutting the response peer=" + then.peer());
    }

    /** Begins a profile; returns null if the client has received the reason why there is none. */
    private @Nullable Profile begin() {
        try {
            Profile profile = Profile.begin(kind, rate);
            if (profile == null) {
                then.told(409, "another profile is being taken; try again when it has ended\n");
            }
            return profile;
        } catch (IOException e) {
            Log.warn("profile: " + e.getMessage() + "; responding with 503 peer=" + then.peer());
            then.told(503, "no profile: " + e.getMessage() + '\n');
            return null;
        }
    }

    private void send(Profile profile) throws IOException, InterruptedException {
        StreamedAnswer out = then.stream(framed ? ProfileFrames.CONTENT_TYPE : format.contentType());
        answer = out;
        try {
            CallTree tree = profile.run(seconds * NS_PER_S, this);
            out.endBy(System.nanoTime() + SEND_NS);
            CountedStream body = new CountedStream(framed ? new ProfileFrames(out) : out);
            String title = kind.title() + " of " + seconds + " s";
            String heading = Character.toUpperCase(title.charAt(0)) + title.substring(1);
            long nowMs = System.currentTimeMillis();
            format.write(
                    tree, new FlameHead(heading, note(tree, profile), kind.measure(), profile.period(), nowMs), body);
            body.flush();
            if (framed) {
                ProfileFrames.end(out);
            }
            out.end();
            Log.info("profile: " + title + " taken; sent it as " + format.word() + " peer=" + then.peer() + " samples="
                    + profile.samples() + " dropped=" + profile.dropped() + " cut=" + tree.cut(CallTree.NOW) + " bytes="
                    + body.count());
        } catch (IOException | InterruptedException | RuntimeException e) {
            out.cut();
            throw e;
        }
    }

    @Override
    public void at(long elapsedSeconds, long samples) throws IOException {
        StreamedAnswer out = answer;
        if (out != null) {
            out.touch();
            if (framed) {
                ProfileFrames.progress(out, elapsedSeconds, seconds, samples);
            }
        }
    }

    private String note(CallTree tree, Profile profile) {
        String how =
                switch (kind) {
                    case CPU ->
                        " samples at " + rate + " Hz of each thread's CPU time, by timers; the kernel is one frame";
                    case WALL ->
                        " samples, one per " + profile.period() / NS_PER_MS
                                + " ms of each thread, by signals; the kernel is one frame";
                    case ALLOC ->
                        " samples, one per " + kind.measure().text(rate) + " that a thread allocates; "
                                + kind.measure().text(tree.total(CallTree.NOW)) + " in all";
                    case LOCK ->
                        " waits for monitors that have ended; " + kind.measure().text(tree.total(CallTree.NOW))
                                + " in all";
                };
        return profile.samples() + how + "; " + profile.dropped() + " dropped, "
                + kind.measure().text(tree.cut(CallTree.NOW)) + " cut";
    }
}

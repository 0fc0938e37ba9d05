package io.remora.admin;

import io.remora.flame.CallTree;
import io.remora.flame.FlameFormat;
import io.remora.log.Log;
import io.remora.profile.CpuProfile;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /profile}: samples the process for a while on a separate thread, and sends the result.
 *
 * <p>Bounds: one at a time in the process, {@value #MAX_SECONDS} seconds. Cost: loaded by the first such request.
 */
final class ProfilePage implements Runnable, CpuProfile.Progress {
    /**
     * Samples the CPU time of all threads for {@code ?seconds=30}, and returns a flame graph or another {@code format}.
     * Only one profile can be taken at a time; a second request gets 409. Requires {@code admin.profile: true}. See
     * [profile.md](profile.md).
     */
    static final String PATH = "/profile";

    private static final int MAX_SECONDS = 300;
    private static final int SECONDS = 30;
    private static final int HZ = 100;
    private static final long NS_PER_S = 1_000_000_000L;
    /** Time in which a client has to read the result. */
    private static final long SEND_NS = 60 * NS_PER_S;
    private static final String[] PARAMETERS = {"kind", "seconds", "hz", "format", "progress"};

    private final LaterReply then;
    private final int seconds;
    private final int hz;
    private final FlameFormat format;
    private final boolean framed;
    private @Nullable StreamedAnswer answer;

    private ProfilePage(LaterReply then, int seconds, int hz, FlameFormat format, boolean framed) {
        this.then = then;
        this.seconds = seconds;
        this.hz = hz;
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
        int seconds = number(given.getOrDefault("seconds", Integer.toString(SECONDS)), MAX_SECONDS);
        int hz = number(given.getOrDefault("hz", Integer.toString(HZ)), CpuProfile.MAX_HZ);
        FlameFormat format = FlameFormat.named(given.getOrDefault("format", FlameFormat.COLLAPSED.word()));
        if (seconds == 0 || hz == 0 || format == null) {
            then.told(
                    400,
                    "seconds is 1 to " + MAX_SECONDS + ", hz is 1 to " + CpuProfile.MAX_HZ + ", format is "
                            + FlameFormat.words() + '\n');
            return;
        }
        boolean framed = given.getOrDefault("progress", "false").equals("true");
        Thread thread = new Thread(new ProfilePage(then, seconds, hz, format, framed), "remora-profile");
        thread.setDaemon(true);
        thread.start();
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
                return "'" + pair + "' is not a parameter, expected kind=cpu, seconds=30, hz=100, format=html or"
                        + " progress=true";
            }
            if (given.put(name, pair.substring(equals + 1)) != null) {
                return name + " is given twice";
            }
        }
        return given.getOrDefault("kind", "cpu").equals("cpu") ? null : "kind is cpu; there is no other yet";
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
        try (CpuProfile profile = begin()) {
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
    private @Nullable CpuProfile begin() {
        try {
            CpuProfile profile = CpuProfile.begin(hz);
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

    private void send(CpuProfile profile) throws IOException, InterruptedException {
        StreamedAnswer out = then.stream(framed ? ProfileFrames.CONTENT_TYPE : format.contentType());
        answer = out;
        try {
            CallTree tree = profile.run(seconds * NS_PER_S, this);
            out.endBy(System.nanoTime() + SEND_NS);
            CountedStream body = new CountedStream(framed ? new ProfileFrames(out) : out);
            String note = note(tree, profile.dropped());
            String title = "CPU profile of " + seconds + " s";
            format.write(tree, title, note, NS_PER_S / hz, System.currentTimeMillis(), body);
            body.flush();
            if (framed) {
                ProfileFrames.end(out);
            }
            out.end();
            Log.info("profile: CPU profile of " + seconds + " s taken; sent it as " + format.word() + " peer="
                    + then.peer() + " samples=" + tree.total(CallTree.NOW) + " dropped=" + profile.dropped() + " cut="
                    + tree.cut(CallTree.NOW) + " bytes=" + body.count());
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

    private String note(CallTree tree, long dropped) {
        return tree.total(CallTree.NOW) + " samples at " + hz + " Hz of each thread's CPU time, by timers; " + dropped
                + " dropped, " + tree.cut(CallTree.NOW) + " cut; the kernel is one frame";
    }
}

package io.remora.profile;

import io.remora.adminclient.AdminClient;
import io.remora.adminclient.AdminTarget;
import io.remora.flame.FlameFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code remora profile} of a host: it has a running sidecar take a profile, shows how far that is, and writes
 * the result. In images, the launcher does this without a JVM.
 */
public final class ProfileCommand {
    private static final int OK = 200;
    private static final int MAX_FRAME = 1 << 20;
    private static final int MAX_NUMBER = 9_999;
    private static final int MAX_BYTES = 100_000_000;
    private static final int BAR = 30;
    /** The sidecar may take a minute to write a profile. */
    private static final int SILENCE_MS = 70_000;

    private final AdminTarget target = new AdminTarget();
    private @Nullable String kind;
    private String seconds = "30";
    private @Nullable String hz;
    private @Nullable String slow;
    private @Nullable String bytes;
    private @Nullable String out;
    private @Nullable String format;

    private ProfileCommand() {}

    /**
     * Returns the command of a command line, whose first word is {@code profile}; null if it is none.
     *
     * @throws IllegalArgumentException with the problem of the address or of its TLS
     */
    public static @Nullable ProfileCommand of(String[] arguments) {
        ProfileCommand command = new ProfileCommand();
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            boolean known = word.startsWith("-")
                    ? ++i < arguments.length && command.take(word, arguments[i])
                    : command.target.set(word);
            if (!known) {
                return null;
            }
        }
        String problem = command.target.problem();
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return command.isSound() ? command : null;
    }

    private boolean take(String option, String value) {
        switch (option) {
            case "--admin" -> {
                return target.set(value);
            }
            case "--cpu", "--wall", "--alloc", "--lock", "--kernel" -> {
                if (kind != null) {
                    return false;
                }
                kind = option.substring(2);
                seconds = seconds(value);
            }
            case "--hz" -> hz = value;
            case "--bytes" -> bytes = value;
            case "--slow" -> slow = seconds(value);
            case "--out" -> out = value;
            case "--format" -> format = value;
            default -> {
                target.set(option, value);
                return AdminTarget.isOption(option);
            }
        }
        return true;
    }

    private static String seconds(String value) {
        return value.endsWith("s") ? value.substring(0, value.length() - 1) : value;
    }

    private boolean isSound() {
        boolean given = format != null;
        FlameFormat byName = out == null ? null : FlameFormat.ofFile(out);
        if (format == null) {
            format = byName == null ? FlameFormat.COLLAPSED.word() : byName.word();
        }
        // a file whose name says nothing needs the option
        boolean named = FlameFormat.named(format) != null && (out == null || byName != null || given);
        return named
                && number(seconds, MAX_NUMBER) >= 0
                && (hz == null || number(hz, MAX_NUMBER) >= 0)
                && (slow == null || number(slow, MAX_NUMBER) > 0)
                && (bytes == null || number(bytes, MAX_BYTES) >= 0);
    }

    /** Returns a number of decimal digits; -1 for any other text and beyond the most. */
    private static int number(String text, int most) {
        int number = text.isEmpty() ? -1 : 0;
        for (int i = 0; i < text.length() && number >= 0; i++) {
            int digit = text.charAt(i) - '0';
            number = digit < 0 || digit > 9 || number > most ? -1 : 10 * number + digit;
        }
        return number > most ? -1 : number;
    }

    /**
     * Runs the command. Without {@code --out}, the profile goes to {@code print}.
     *
     * @return false after it has printed why the sidecar refuses
     * @throws IOException if the sidecar does not respond, or its response is not whole
     */
    public boolean run(PrintStream print, PrintStream progress) throws IOException {
        String page = "/profile?kind=" + (kind == null ? "cpu" : kind) + "&progress=true&seconds=" + seconds
                + (hz == null ? "" : "&hz=" + hz)
                + (bytes == null ? "" : "&bytes=" + bytes)
                + (slow == null ? "" : "&slow=" + slow)
                + "&format=" + format;
        return AdminClient.of(target).post(page, SILENCE_MS, (status, body) -> {
            if (status == OK) {
                write(body, print, progress);
            } else {
                progress.print("remora: " + target.text() + ": ");
                body.transferTo(progress);
            }
            return status == OK;
        });
    }

    private void write(InputStream in, PrintStream print, PrintStream progress) throws IOException {
        if (out == null) {
            frames(in, print, progress);
            print.flush();
            return;
        }
        try (OutputStream file = Files.newOutputStream(Path.of(out))) {
            frames(in, file, progress);
        }
        progress.println("remora: wrote " + out);
    }

    private static void frames(InputStream in, OutputStream to, PrintStream progress) throws IOException {
        boolean shown = false;
        for (String line = AdminClient.line(in); !line.equals("end"); line = AdminClient.line(in)) {
            int space = line.indexOf(' ');
            String word = space < 0 ? "" : line.substring(0, space);
            if (word.equals("progress")) {
                progress.print('\r' + bar(line.substring(space + 1)));
                progress.flush();
                shown = true;
            } else if (word.equals("data")) {
                copy(in, to, line.substring(space + 1));
            } else {
                throw new IOException("the response is not whole");
            }
        }
        if (shown) {
            progress.println();
        }
    }

    private static void copy(InputStream in, OutputStream to, String length) throws IOException {
        int left = number(length, MAX_FRAME);
        byte[] octets = left < 0 ? new byte[0] : in.readNBytes(left);
        if (octets.length != left) {
            throw new IOException("the response is not whole");
        }
        to.write(octets);
    }

    /** Returns a bar from the words of a progress line: seconds, of how many, samples. */
    private static String bar(String words) {
        int first = words.indexOf(' ');
        int second = words.indexOf(' ', first + 1);
        int done = first <= 0 ? -1 : number(words.substring(0, first), MAX_NUMBER);
        int all = second <= first ? -1 : number(words.substring(first + 1, second), MAX_NUMBER);
        if (done < 0 || all <= 0) {
            return words;
        }
        int full = Math.min(BAR, BAR * done / all);
        return '[' + "#".repeat(full) + " ".repeat(BAR - full) + "] " + done + '/' + all + " s, "
                + words.substring(second + 1) + " samples ";
    }
}

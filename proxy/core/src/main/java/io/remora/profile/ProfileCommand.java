package io.remora.profile;

import io.remora.flame.FlameFormat;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code remora profile} of a host: it has a running sidecar take a profile, shows how far that is, and writes
 * the result. In images, the launcher does this without a JVM.
 */
public final class ProfileCommand {
    private static final String UNIX = "unix:";
    private static final String DEFAULT = "127.0.0.1:9990";
    private static final int MAX_HEAD = 8_192;
    private static final int MAX_FRAME = 1 << 20;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_NUMBER = 9_999;
    private static final int MAX_BYTES = 100_000_000;
    private static final int BAR = 30;

    private String address = DEFAULT;
    private @Nullable String kind;
    private String seconds = "30";
    private @Nullable String hz;
    private @Nullable String bytes;
    private @Nullable String out;
    private @Nullable String format;

    private ProfileCommand() {}

    /** Returns the command of a command line, whose first word is {@code profile}; null if it is none. */
    public static @Nullable ProfileCommand of(String[] arguments, @Nullable String admin) {
        ProfileCommand command = new ProfileCommand();
        command.address = admin == null || admin.isEmpty() ? DEFAULT : admin;
        boolean addressed = false;
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            if (!word.startsWith("-")) {
                if (addressed) {
                    return null;
                }
                addressed = true;
                command.address = word;
            } else if (++i == arguments.length || !command.take(word, arguments[i])) {
                return null;
            }
        }
        return command.isSound() ? command : null;
    }

    private boolean take(String option, String value) {
        switch (option) {
            case "--admin" -> address = value;
            case "--cpu", "--wall", "--alloc", "--lock" -> {
                if (kind != null) {
                    return false;
                }
                kind = option.substring(2);
                seconds = value.endsWith("s") ? value.substring(0, value.length() - 1) : value;
            }
            case "--hz" -> hz = value;
            case "--bytes" -> bytes = value;
            case "--out" -> out = value;
            case "--format" -> format = value;
            default -> {
                return false;
            }
        }
        return true;
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
        SocketAddress peer = peer();
        boolean unix = peer instanceof UnixDomainSocketAddress;
        try (SocketChannel channel = unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open()) {
            channel.connect(peer);
            String request = "POST /profile?kind=" + (kind == null ? "cpu" : kind) + "&progress=true&seconds=" + seconds
                    + (hz == null ? "" : "&hz=" + hz)
                    + (bytes == null ? "" : "&bytes=" + bytes)
                    + "&format=" + format + " HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
            ByteBuffer octets = ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1));
            while (octets.hasRemaining()) {
                channel.write(octets);
            }
            return receive(new BufferedInputStream(Channels.newInputStream(channel)), print, progress);
        } catch (IOException e) {
            throw new IOException(address + ": " + e.getMessage(), e);
        }
    }

    private SocketAddress peer() throws IOException {
        if (address.startsWith(UNIX)) {
            return UnixDomainSocketAddress.of(address.substring(UNIX.length()));
        }
        int colon = address.lastIndexOf(':');
        int port = number(address.substring(colon + 1), MAX_PORT);
        if (colon <= 0 || port <= 0) {
            throw new IOException("not an address, expected HOST:PORT or unix:/PATH");
        }
        String host = address.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new InetSocketAddress(bracketed ? host.substring(1, host.length() - 1) : host, port);
    }

    private boolean receive(InputStream in, PrintStream print, PrintStream progress) throws IOException {
        String status = line(in);
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            // the frames need none of the fields
        }
        if (!status.startsWith("HTTP/1.1 200 ")) {
            progress.print("remora: " + address + ": ");
            in.transferTo(progress);
            return false;
        }
        if (out == null) {
            frames(in, print, progress);
            print.flush();
            return true;
        }
        try (OutputStream file = Files.newOutputStream(Path.of(out))) {
            frames(in, file, progress);
        }
        progress.println("remora: wrote " + out);
        return true;
    }

    private static void frames(InputStream in, OutputStream to, PrintStream progress) throws IOException {
        boolean shown = false;
        for (String line = line(in); !line.equals("end"); line = line(in)) {
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

    /** Returns a line without its end; an end of the input is one of the line. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet != '\n'; octet = in.read()) {
            if (octet < 0) {
                throw new IOException("the response is not whole");
            }
            if (line.length() == MAX_HEAD) {
                throw new IOException("a line of the response is too long");
            }
            line.append((char) octet);
        }
        int end = line.length() > 0 && line.charAt(line.length() - 1) == '\r' ? line.length() - 1 : line.length();
        return line.substring(0, end);
    }
}

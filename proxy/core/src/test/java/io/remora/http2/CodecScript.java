package io.remora.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Any octets, read as what happens on one connection: frames of the peer, damaged ones among them, and commands of the
 * side that is tested. The first octet chooses the role; then one octet says what comes next, the octets behind it fill
 * it, and behind their end there is nothing but zeroes.
 *
 * <p>Bounds: few streams of low numbers, small windows and sections that share a table, so that faults meet.
 */
final class CodecScript {
    /** Streams that a peer may have open at once. */
    static final int MOST_STREAMS = 4;
    /** Window of a stream for the peer's content. */
    static final int WINDOW = 1_000;

    static final int LARGEST_SECTION = 1 << 16;

    /** The first stream of either role; some codecs leave 1 to a request that was upgraded. */
    static final int FIRST = 3;

    private static final int NUMBERS = 8;
    private static final int MOST_STEPS = 300;
    private static final int SETTING_OCTETS = 6;
    private static final int HEADER_TABLE_SIZE = 1;
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final long[] TABLES = {0, 64, 4_096, 65_536};
    private static final String[] NAMES = {"x-a", "x-b", "cookie", "x-a-name-that-is-longer-than-others", "te"};
    private static final String[] VALUES = {"", "a", "0123456789012345678901234567890123456789", "\u00e4 \t~"};
    /** Indexes of RFC 7541 appendix A that no codec judges by itself. */
    private static final int[] STATIC = {2, 4, 6, 16, 31, 38, 54, 61};

    /** One thing that happens. */
    sealed interface Step permits Octets, Head, Write, Reset {}

    /**
     * Octets of the peer.
     *
     * @param table size of the table for our sections that they announce; -1 for none
     * @param isKnown whether they are the frame that {@code what} names
     */
    record Octets(byte[] octets, String what, int stream, long table, boolean isKnown) implements Step {}

    /** The head of a request or of a response. */
    record Head(int stream, boolean ends) implements Step {}

    record Write(int stream, int octets, boolean ends) implements Step {}

    record Reset(int stream) implements Step {}

    private final byte[] input;
    private final List<Step> steps = new ArrayList<>();
    private int at;

    CodecScript(byte[] input) {
        this.input = input;
    }

    /** Returns whether the side that is tested is the server. */
    boolean isServer() {
        return input.length == 0 || (input[0] & 1) == 0;
    }

    /** Returns whether content is taken as it comes. */
    boolean takes() {
        return input.length == 0 || (input[0] & 2) == 0;
    }

    /** The fields of the heads that the side writes. */
    static Map<String, String> head(boolean isServer) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (isServer) {
            fields.put(":status", "200");
        } else {
            fields.put(":method", "POST");
            fields.put(":scheme", "http");
            fields.put(":authority", "app");
            fields.put(":path", "/a?b=c");
        }
        fields.put("content-type", "application/grpc");
        fields.put("x-name", "a value that is repeated");
        fields.put("cookie", "secret");
        return fields;
    }

    List<Step> steps() {
        at = 1;
        begin();
        while (at < input.length && steps.size() < MOST_STEPS) {
            next();
        }
        return steps;
    }

    private void begin() {
        if (isServer()) {
            raw(FrameClient.PREFACE.getBytes(US_ASCII), "preface");
        }
        if (!isServer()) {
            steps.add(new Head(FIRST, false));
            steps.add(new Head(FIRST + 2, true));
            steps.add(new Head(FIRST + 4, false));
        }
        boolean isBare = input.length > 0 && (input[0] & 4) != 0 && octet() % 8 == 0;
        if (!isBare) {
            frame(FrameClient.SETTINGS, 0, 0, new byte[0], "SETTINGS");
            frame(FrameClient.SETTINGS, FrameClient.ACK, 0, new byte[0], "SETTINGS");
        }
    }

    private void next() {
        switch (octet() % 20) {
            case 0 -> section(FrameClient.END_STREAM);
            case 1, 2 -> section(0);
            case 3 -> parts();
            case 4, 5 -> data();
            case 6 -> padded();
            case 7 -> number(FrameClient.RST_STREAM, stream(), octet() % 14);
            case 8 -> settings();
            case 9 -> frame(FrameClient.PING, octet() % 4 == 0 ? 1 : 0, 0, new byte[8], "PING");
            case 10 -> window();
            case 11 -> priority();
            case 12 -> prioritized();
            case 13 -> goAway();
            case 14 -> anyFrame();
            case 15 -> damaged();
            case 16 -> steps.add(new Head(stream(), octet() % 2 == 0));
            case 17, 18 -> steps.add(new Write(stream(), 64 * octet(), octet() % 4 == 0));
            default -> steps.add(new Reset(stream()));
        }
    }

    // ---- frames

    private void section(int flags) {
        int stream = stream();
        frame(FrameClient.HEADERS, flags | FrameClient.END_HEADERS, stream, block(), "HEADERS");
    }

    /** A section in a HEADERS frame and CONTINUATIONs, with something else between them now and then. */
    private void parts() {
        int stream = stream();
        byte[] block = block();
        int cut = Math.min(block.length, octet() % 16);
        int ends = octet() % 2;
        frame(FrameClient.HEADERS, ends, stream, Arrays.copyOf(block, cut), "HEADERS");
        int between = octet() % 16;
        if (between == 0) {
            frame(FrameClient.CONTINUATION, 0, stream, new byte[0], "CONTINUATION");
        } else if (between == 1) {
            anyFrame();
        }
        byte[] rest = Arrays.copyOfRange(block, cut, block.length);
        frame(FrameClient.CONTINUATION, FrameClient.END_HEADERS, stream, rest, "CONTINUATION");
    }

    private void data() {
        int stream = stream();
        int ends = octet() % 4 == 0 ? FrameClient.END_STREAM : 0;
        frame(FrameClient.DATA, ends, stream, content(), "DATA");
    }

    /** Large content now and then, for the windows. */
    private byte[] content() {
        int kind = octet();
        byte[] content = new byte[kind < 200 ? kind % 32 : kind < 250 ? 4 * kind : 64 * kind];
        Arrays.fill(content, (byte) kind);
        return content;
    }

    /** Padding of any length, which may be longer than its frame. */
    private void padded() {
        int stream = stream();
        boolean isSection = octet() % 2 == 0;
        byte[] content = isSection ? block() : content();
        int padding = octet();
        int there = octet() % 4 == 0 ? octet() : padding;
        byte[] payload = new byte[1 + content.length + there];
        payload[0] = (byte) padding;
        System.arraycopy(content, 0, payload, 1, content.length);
        int flags = 8 | (octet() % 4 == 0 ? FrameClient.END_STREAM : 0);
        if (isSection) {
            frame(FrameClient.HEADERS, flags | FrameClient.END_HEADERS, stream, payload, "HEADERS");
        } else {
            frame(FrameClient.DATA, flags, stream, payload, "DATA");
        }
    }

    private void settings() {
        int count = octet() % 4;
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        long table = -1;
        for (int i = 0; i < count; i++) {
            int id = octet() % 10;
            long value = number() & 0xffff_ffffL;
            if (id == HEADER_TABLE_SIZE) {
                value = TABLES[(int) (value % TABLES.length)];
                table = value;
            } else if (id == MAX_CONCURRENT_STREAMS && !isServer()) {
                // which the code above the codec keeps, as it opens the streams
                id = 0;
            }
            payload.write(0);
            payload.write(id);
            payload.writeBytes(FrameClient.number((int) value));
        }
        byte[] octets = FrameClient.frame(FrameClient.SETTINGS, 0, 0, payload.toByteArray());
        steps.add(new Octets(octets, "SETTINGS", 0, table, true));
    }

    private void window() {
        int stream = octet() % 4 == 0 ? 0 : stream();
        int kind = octet() % 8;
        int increment = kind == 0 ? 0 : kind == 1 ? Integer.MAX_VALUE : kind == 2 ? number() : 256 * octet() + 1;
        number(FrameClient.WINDOW_UPDATE, stream, increment);
    }

    private void priority() {
        int stream = stream();
        frame(FrameClient.PRIORITY, 0, stream, dependency(new byte[0]), "PRIORITY");
    }

    private void prioritized() {
        int stream = stream();
        int flags = FrameClient.END_HEADERS | 0x20 | octet() % 2;
        frame(FrameClient.HEADERS, flags, stream, dependency(block()), "HEADERS");
    }

    private byte[] dependency(byte[] behind) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        payload.writeBytes(FrameClient.number(stream()));
        payload.write(octet());
        payload.writeBytes(behind);
        return payload.toByteArray();
    }

    private void goAway() {
        // it ends most of what follows
        if (octet() % 4 == 0) {
            byte[] payload = Arrays.copyOf(FrameClient.number(octet() % 2 == 0 ? Integer.MAX_VALUE : stream()), 8);
            frame(FrameClient.GOAWAY, 0, 0, payload, "GOAWAY");
        }
    }

    private void number(int type, int stream, int number) {
        String what = type == FrameClient.RST_STREAM ? "RST_STREAM" : "WINDOW_UPDATE";
        frame(type, 0, stream, FrameClient.number(number), what);
    }

    private void anyFrame() {
        int type = octet() % 20;
        int flags = octet();
        int stream = octet() % 4 == 0 ? 0 : octet() % 16 == 0 ? number() : stream();
        byte[] payload = octets();
        steps.add(new Octets(FrameClient.frame(type, flags, stream, payload), "any " + type, stream, -1, false));
    }

    /** Changes an octet of the frame before, or cuts a part of it out: the frames behind it may be read as its rest. */
    private void damaged() {
        Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
        if (octet() % 4 != 0 || !(last instanceof Octets frame) || frame.octets().length == 0) {
            return;
        }
        byte[] octets = frame.octets().clone();
        int place = octet() % octets.length;
        if (octet() % 4 == 0) {
            octets = Arrays.copyOf(octets, place);
        } else {
            octets[place] ^= (byte) (1 << octet() % 8);
        }
        steps.set(steps.size() - 1, new Octets(octets, "damaged " + frame.what(), frame.stream(), -1, false));
    }

    private void frame(int type, int flags, int stream, byte[] payload, String what) {
        steps.add(new Octets(FrameClient.frame(type, flags, stream, payload), what, stream, -1, true));
    }

    private void raw(byte[] octets, String what) {
        steps.add(new Octets(octets, what, 0, -1, true));
    }

    // ---- sections

    private byte[] block() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        if (isServer()) {
            // GET http /
            block.write(0x82);
            block.write(0x86);
            block.write(0x84);
        } else {
            // 200
            block.write(0x88);
        }
        for (int more = octet() % 4; more > 0; more--) {
            field(block);
        }
        return block.toByteArray();
    }

    private void field(ByteArrayOutputStream block) {
        switch (octet() % 12) {
            case 0, 1 -> block.write(0x80 | STATIC[octet() % STATIC.length]);
            case 2, 3, 4, 5 -> literal(block, 0x40);
            case 6, 7 -> literal(block, 0);
            case 8 -> literal(block, 0x10);
            case 9 -> {
                // the name of an entry, which may be none
                block.write(0x40 | 62 - octet() % 2);
                text(block, VALUES[octet() % VALUES.length]);
            }
            case 10 -> block.write(0x80 | 62 + octet() % 3);
            default -> {
                int kind = octet() % 32;
                if (kind == 0) {
                    block.write(0x20 | octet() % 32);
                } else if (kind == 1) {
                    block.writeBytes(octets());
                }
            }
        }
    }

    private void literal(ByteArrayOutputStream block, int kind) {
        block.write(kind);
        text(block, NAMES[octet() % NAMES.length]);
        text(block, VALUES[octet() % VALUES.length]);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        block.write(text.length());
        block.writeBytes(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    // ---- octets

    private int octet() {
        return at < input.length ? input[at++] & 0xff : 0;
    }

    /** Numbers that a client opens, and now and then a server's, or none. */
    private int stream() {
        int octet = octet();
        return octet < 248 ? 2 * (octet % NUMBERS) + 1 : octet % NUMBERS;
    }

    private int number() {
        return octet() << 24 | octet() << 16 | octet() << 8 | octet();
    }

    private byte[] octets() {
        int length = octet() % 32;
        byte[] taken = Arrays.copyOfRange(input, Math.min(at, input.length), Math.min(at, input.length) + length);
        at += length;
        return taken;
    }

    /** Describes a step for the report of a failure. */
    static String describe(@Nullable Step step) {
        return step instanceof Octets frame
                ? frame.what() + " of " + frame.stream() + " " + hex(frame.octets())
                : String.valueOf(step);
    }

    private static String hex(byte[] octets) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(octets.length, 64); i++) {
            text.append(Character.forDigit(octets[i] >> 4 & 15, 16)).append(Character.forDigit(octets[i] & 15, 16));
        }
        return text + (octets.length > 64 ? "... " + octets.length : "");
    }
}

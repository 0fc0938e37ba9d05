package io.remora.http2;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a client may send on an open WebSocket, most of it wrong, by the sections of RFC 6455 and RFC 7692. A case is octets; what a
 * server makes of them is the server's.
 */
final class WebSocketCases {
    private static final int FIN = 0x80;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;
    private static final int MASKED = 0x80;
    private static final byte[] MASK = {0x37, (byte) 0xfa, 0x21, 0x3d};
    /** What a client says last: its echo tells that everything before it has been answered, and then it closes. */
    static final byte[] LAST = text("last");

    static final String LAST_ECHO = "\u0081\4last";
    static final byte[] GOODBYE = frame(FIN | CLOSE, code(1000, "bye"));

    private final List<Case> cases = new ArrayList<>();

    /**
     * @param how it ends
     */
    record Case(String name, byte[] octets, End how) {
        @Override
        public String toString() {
            return name;
        }
    }

    enum End {
        /** By a message and then a close frame, where the server has not ended the connection before. */
        CLOSE,
        /** Likewise; but a message comes before what the server ends the connection for, and some forget to answer it. */
        CLOSE_BEHIND_A_MESSAGE,
        /** The client ends its side without a close frame. */
        NO_CLOSE
    }

    private WebSocketCases() {}

    static List<Case> all() {
        WebSocketCases all = new WebSocketCases();
        all.framing();
        all.masking();
        all.reserved();
        all.fragments();
        all.controls();
        all.closing();
        all.text();
        all.compression();
        all.endings();
        return all.cases;
    }

    private void add(String name, byte[]... parts) {
        cases.add(new Case(name, join(parts), End.CLOSE));
    }

    private void addBehindMessage(String name, byte[]... parts) {
        cases.add(new Case(name, join(parts), End.CLOSE_BEHIND_A_MESSAGE));
    }

    private void addEnding(String name, byte[]... parts) {
        cases.add(new Case(name, join(parts), End.NO_CLOSE));
    }

    // ---- frames

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] masked(byte[] payload) {
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i % MASK.length];
        }
        return masked;
    }

    /** Masked, its length in the shortest form. */
    static byte[] frame(int first, byte[] payload) {
        int bytes = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
        return frame(first, bytes, payload);
    }

    /** With so many octets of extended length. */
    private static byte[] frame(int first, int lengthBytes, byte[] payload) {
        return join(head(first, MASKED, lengthBytes, payload.length), MASK, masked(payload));
    }

    private static byte[] head(int first, int mask, int lengthBytes, long length) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        out.write(mask | (lengthBytes == 0 ? (int) length : lengthBytes == 2 ? 126 : 127));
        for (int i = lengthBytes - 1; i >= 0; i--) {
            out.write((int) (length >> 8 * i));
        }
        return out.toByteArray();
    }

    private static byte[] octets(int... values) {
        byte[] octets = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            octets[i] = (byte) values[i];
        }
        return octets;
    }

    private static byte[] some(int count) {
        byte[] some = new byte[count];
        Arrays.fill(some, (byte) 'x');
        return some;
    }

    private static byte[] text(String text) {
        return frame(FIN | TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] code(int code, String reason) {
        return join(octets(code >> 8, code), reason.getBytes(StandardCharsets.UTF_8));
    }

    // ---- by section

    private void framing() {
        for (int length : new int[] {0, 1, 125, 126, 127, 128, 4_096}) {
            add("5.2 text of " + length, frame(FIN | TEXT, some(length)));
            add("5.2 binary of " + length, frame(FIN | BINARY, some(length)));
        }
        for (int length : new int[] {0, 5, 125}) {
            add("5.2 length " + length + " in two octets", frame(FIN | TEXT, 2, some(length)));
            add("5.2 length " + length + " in eight octets", frame(FIN | TEXT, 8, some(length)));
        }
        add("5.2 length 300 in eight octets", frame(FIN | BINARY, 8, some(300)));
        add("5.2 two messages", text("one"), text("two"));
        add("5.2 six messages", join(text("a"), text("b"), text("c"), text("d")), join(text("e"), text("f")));
    }

    private void masking() {
        add("5.1 text without a mask", head(FIN | TEXT, 0, 0, 5), some(5));
        add("5.1 ping without a mask", head(FIN | PING, 0, 0, 5), some(5));
        add("5.1 close without a mask", head(FIN | CLOSE, 0, 0, 2), code(1000, ""));
        addBehindMessage(
                "5.1 text behind one without a mask", text("good"), head(FIN | TEXT, 0, 0, 3), some(3), text("late"));
        add("5.3 a mask of zeros", head(FIN | TEXT, MASKED, 0, 5), new byte[4], some(5));
        add("5.3 a mask that hides a head", head(FIN | BINARY, MASKED, 0, 18), MASK, masked(some(18)));
        add(
                "10.3 content that looks like HTTP",
                frame(FIN | TEXT, "GET / HTTP/1.1\r\nHost: app\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
    }

    private void reserved() {
        for (int bits = 1; bits < 8; bits++) {
            add("5.2 reserved bits " + bits + " on text", frame(FIN | bits << 4 | TEXT, some(5)));
            add("5.2 reserved bits " + bits + " on ping", frame(FIN | bits << 4 | PING, some(5)));
            add("5.2 reserved bits " + bits + " on close", frame(FIN | bits << 4 | CLOSE, code(1000, "")));
        }
        for (int opcode : new int[] {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
            add("5.2 opcode " + opcode, frame(FIN | opcode, some(3)));
            add(
                    "5.2 opcode " + opcode + " without content, in a message",
                    frame(TEXT, some(2)),
                    frame(opcode, some(0)));
        }
    }

    private void fragments() {
        add("5.4 three fragments", frame(TEXT, some(2)), frame(0, some(3)), frame(FIN, some(4)));
        add("5.4 empty fragments", frame(TEXT, some(0)), frame(0, some(0)), frame(FIN, some(0)));
        add("5.4 continuation of nothing", frame(FIN, some(4)));
        add("5.4 unfinished continuation of nothing", frame(0, some(4)), frame(FIN, some(4)));
        add("5.4 a message in a message", frame(TEXT, some(2)), frame(FIN | TEXT, some(2)));
        add("5.4 another kind in a message", frame(TEXT, some(2)), frame(BINARY, some(2)), frame(FIN, some(1)));
        add("5.4 ping between fragments", frame(TEXT, some(2)), frame(FIN | PING, some(1)), frame(FIN, some(3)));
        add("5.4 pong between fragments", frame(BINARY, some(2)), frame(FIN | PONG, some(1)), frame(FIN, some(3)));
        add("5.4 close between fragments", frame(TEXT, some(2)), frame(FIN | CLOSE, code(1000, "")));
        addBehindMessage(
                "5.4 continuation behind the last", frame(TEXT, some(2)), frame(FIN, some(3)), frame(FIN, some(3)));
        byte[][] many = new byte[300][];
        for (int i = 0; i < many.length; i++) {
            many[i] = frame(i == 0 ? BINARY : i == many.length - 1 ? FIN : 0, some(1));
        }
        add("5.4 three hundred fragments", many);
    }

    private void controls() {
        for (int length : new int[] {0, 1, 125}) {
            add("5.5.2 ping of " + length, frame(FIN | PING, some(length)));
            add("5.5.3 pong of " + length, frame(FIN | PONG, some(length)), text("still there"));
        }
        add("5.5 ping of 126", frame(FIN | PING, some(126)));
        add("5.5 pong of 126", frame(FIN | PONG, some(126)));
        add("5.5 close of 126", frame(FIN | CLOSE, code(1000, "x".repeat(124))));
        add("5.5 ping in fragments", frame(PING, some(2)), frame(FIN, some(2)));
        add("5.5 close in fragments", frame(CLOSE, code(1000, "")), frame(FIN, some(2)));
        byte[][] pings = new byte[20][];
        Arrays.setAll(pings, i -> frame(FIN | PING, ("ping " + i).getBytes(StandardCharsets.US_ASCII)));
        add("5.5.2 twenty pings", pings);
    }

    private void closing() {
        add("5.5.1 close without a code", frame(FIN | CLOSE, some(0)));
        add("5.5.1 close of one octet", frame(FIN | CLOSE, some(1)));
        for (int code :
                new int[] {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 3000, 3999, 4000, 4999}) {
            add("7.4 close with " + code, frame(FIN | CLOSE, code(code, "")));
        }
        for (int code : new int[] {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535}) {
            add("7.4 close with " + code + ", which is no code", frame(FIN | CLOSE, code(code, "why")));
        }
        add("7.1.6 the longest reason", frame(FIN | CLOSE, code(1000, "x".repeat(123))));
        add("7.1.6 a reason of wide characters", frame(FIN | CLOSE, code(3000, "zu spät, 再见")));
        add(
                "7.1.6 a reason that is no UTF-8",
                frame(FIN | CLOSE, join(code(1000, "x"), octets(0xce, 0xba, 0xed, 0xa0))));
        add("5.5.1 text behind close", frame(FIN | CLOSE, code(1000, "")), text("late"));
        add("5.5.1 ping behind close", frame(FIN | CLOSE, code(1000, "")), frame(FIN | PING, some(1)));
        add("5.5.1 close behind close", frame(FIN | CLOSE, code(1000, "")), frame(FIN | CLOSE, code(1001, "")));
        addBehindMessage("7.1 text, then close", text("first"), frame(FIN | CLOSE, code(1000, "then")));
    }

    private void text() {
        add("8.1 wide characters", text("Grüße, κόσμε, 再见, \ud83d\ude00"));
        byte[] wide = "κόσμε".getBytes(StandardCharsets.UTF_8);
        for (int at = 1; at < wide.length; at += 2) {
            byte[] from = Arrays.copyOfRange(wide, 0, at);
            byte[] to = Arrays.copyOfRange(wide, at, wide.length);
            add("8.1 a character cut at octet " + at, frame(TEXT, from), frame(FIN, to));
        }
        int[][] wrong = {
            {0x80},
            {0xbf, 0x41},
            {0xc0, 0xaf},
            {0xc1, 0xbf},
            {0xc2},
            {0xe0, 0x80, 0xaf},
            {0xe0, 0x9f, 0xbf},
            {0xed, 0xa0, 0x80},
            {0xed, 0xbf, 0xbf},
            {0xe2, 0x82},
            {0xf0, 0x80, 0x80, 0xaf},
            {0xf4, 0x90, 0x80, 0x80},
            {0xf5, 0x80, 0x80, 0x80},
            {0xf8, 0x88, 0x80, 0x80, 0x80},
            {0xfe},
            {0xff}
        };
        for (int[] sequence : wrong) {
            String name = "8.1 no UTF-8, " + Arrays.toString(sequence);
            add(name, frame(FIN | TEXT, octets(sequence)));
            add(name + ", in fragments", frame(TEXT, some(3)), frame(FIN, octets(sequence)));
            add(name + ", which is binary", frame(FIN | BINARY, octets(sequence)));
        }
    }

    /** Without the extension having been agreed on, each of them is wrong; with it, some. */
    private void compression() {
        // "Hello" as RFC 7692 7.2.3 has it
        byte[] hello = octets(0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00);
        int deflated = 0x40;
        add("RFC 7692 7.2.3.1 a deflated message", frame(FIN | deflated | TEXT, hello));
        add(
                "RFC 7692 7.2.3.2 the same twice",
                frame(FIN | deflated | TEXT, hello),
                frame(FIN | deflated | TEXT, hello));
        add(
                "RFC 7692 7.2.1 a deflated message in fragments",
                frame(deflated | TEXT, Arrays.copyOf(hello, 3)),
                frame(FIN, Arrays.copyOfRange(hello, 3, hello.length)));
        add("RFC 7692 6.1 the bit on a later fragment", frame(TEXT, some(2)), frame(FIN | deflated, some(2)));
        add("RFC 7692 6.1 the bit on a ping", frame(FIN | deflated | PING, some(2)));
        add(
                "RFC 7692 7.2.3.3 stored, not deflated",
                frame(FIN | deflated | TEXT, join(octets(0, 5, 0, 0xfa, 0xff), some(5), octets(0))));
        add("RFC 7692 7.2.3.6 empty", frame(FIN | deflated | TEXT, octets(0)));
        add("RFC 7692 no deflated data", frame(FIN | deflated | TEXT, octets(0xff, 0xff, 0xff, 0xff)));
        addBehindMessage(
                "RFC 7692 6 plain beside deflated",
                text("plain"),
                frame(FIN | deflated | TEXT, hello),
                text("plain again"));
    }

    /** The client ends its side, or is gone. */
    private void endings() {
        addEnding("7.1.1 nothing at all");
        addEnding("5.2 length with the highest bit", head(FIN | BINARY, MASKED, 8, Long.MIN_VALUE), MASK, some(10));
        addEnding("5.2 length beyond all memory", head(FIN | BINARY, MASKED, 8, Long.MAX_VALUE), MASK, some(10));
        addEnding("7.1.1 an end in a head", octets(0x81));
        addEnding("7.1.1 an end in a length", octets(0x82, 0xfe, 0x01));
        addEnding("7.1.1 an end in a mask", octets(0x81, 0x85, 0x37));
        addEnding("7.1.1 an end in a frame", Arrays.copyOf(text("unfinished"), 9));
        addEnding("7.1.1 an end in a message", frame(TEXT, some(3)), frame(0, some(3)));
    }
}

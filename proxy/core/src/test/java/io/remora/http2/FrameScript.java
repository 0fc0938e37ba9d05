package io.remora.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads any octets as a hostile client's frames, and knows what each request of them was meant to be. One octet says which frame
 * comes next, the octets behind it fill it; at their end there is nothing but zeroes.
 *
 * <p>Bounds: as many streams, all of low numbers, as meet one another often.
 */
final class FrameScript {
    private static final int STREAMS = 8;
    private static final int MOST_FRAMES = 400;

    /** Names that a request may have, must have once, or must not have. */
    private static final String[] NAMES = {
        ":method",
        ":path",
        ":scheme",
        ":authority",
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "te",
        "cookie",
        "expect",
        "upgrade",
        "keep-alive",
        "proxy-connection",
        "trailer",
        "via",
        "max-forwards",
        "x-forwarded-for",
        "forwarded",
        "x-request-id",
        "http2-settings",
        "x-a",
        "x_a",
        "X-Upper",
        "x a",
        "x:a",
        "x\r\ny",
        ":protocol",
        ":status",
        "",
        "content-length ",
        "sec-websocket-key1"
    };

    private static final String[] VALUES = {
        "GET",
        "POST",
        "HEAD",
        "OPTIONS",
        "CONNECT",
        "/",
        "/b?c=d",
        "*",
        "http",
        "https",
        "app",
        "app:80",
        "u@app",
        "",
        "0",
        "5",
        "05",
        "+5",
        "5, 5",
        "18446744073709551621",
        "chunked",
        "trailers",
        "close",
        "100-continue",
        "a\r\nx-b: c",
        "a\n\nGET /smuggled HTTP/1.1\r\nHost: app\r\n\r\n",
        "a\0b",
        " a",
        "a ",
        "/a b",
        "/a HTTP/1.1\r\nx-b: c",
        "http://other/"
    };

    /** What a client has said of one request. */
    static final class Meant {
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private boolean ended;
        private boolean known = true;

        byte[] content() {
            return content.toByteArray();
        }

        boolean ended() {
            return ended;
        }

        /** Whether nothing was sent on its stream whose meaning is not known here. */
        boolean isKnown() {
            return known;
        }
    }

    private final byte[] input;
    private final String tagName;
    private final int serial;
    private final Map<String, Meant> byTag = new HashMap<>();
    private final Map<Integer, Meant> byStream = new HashMap<>();
    private final Set<Integer> opened = new HashSet<>();
    private final List<byte[]> writes = new ArrayList<>();
    private ByteArrayOutputStream write = new ByteArrayOutputStream();
    private int at;
    private boolean framed = true;

    /**
     * @param tagName of a field that tells one request from another, which nobody can have guessed
     * @param serial tells the requests of one script from those of another
     */
    FrameScript(byte[] input, String tagName, int serial) {
        this.input = input;
        this.serial = serial;
        this.tagName = tagName;
    }

    /** What a backend is to do, as the first octet says. */
    int backend() {
        return input.length == 0 ? 0 : input[0] & 0xff;
    }

    /** What to write, one behind the other. */
    List<byte[]> writes() {
        at = 1;
        for (int i = 0; at < input.length && i < MOST_FRAMES; i++) {
            next();
        }
        writes.add(write.toByteArray());
        return writes;
    }

    /** Null for a request whose head was raw octets. */
    @Nullable
    Meant meant(@Nullable String tag) {
        return tag == null ? null : byTag.get(tag);
    }

    /** Streams on which a head was begun; without meaning where {@link #isFramed} does not hold. */
    int streams() {
        return opened.size();
    }

    /** Whether all that is written is whole frames, so that a frame behind them is seen as one. */
    boolean isFramed() {
        return framed;
    }

    // ---- frames

    private void next() {
        switch (octet() % 16) {
            case 0 -> head(FrameClient.GET, FrameClient.END_STREAM);
            case 1 -> head(FrameClient.POST, 0);
            case 2 -> fields();
            case 3 -> rawHead();
            case 4, 5 -> data();
            case 6 -> frame(FrameClient.CONTINUATION, octet(), stream(), octets());
            case 7 -> frame(FrameClient.RST_STREAM, 0, stream(), FrameClient.number(octet() % 16));
            case 8 -> frame(FrameClient.SETTINGS, octet() % 4 == 0 ? 1 : 0, octet() % 8 == 0 ? 1 : 0, settings());
            case 9 -> frame(FrameClient.PING, octet() % 4 == 0 ? 1 : 0, 0, new byte[octet() % 8 == 0 ? 7 : 8]);
            case 10 ->
                frame(FrameClient.WINDOW_UPDATE, 0, octet() % 4 == 0 ? 0 : stream(), FrameClient.number(number()));
            case 11 -> frame(FrameClient.PRIORITY, 0, stream(), priority());
            case 12 -> frame(FrameClient.GOAWAY, 0, 0, new byte[8]);
            case 13 -> anyFrame();
            case 14 -> raw();
            default -> flush();
        }
    }

    /** A request that is as it should be, but for a field or two. */
    private void head(String[] usual, int flags) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(FrameClient.block(usual));
        int stream = stream();
        for (int more = octet() % 4; more > 0; more--) {
            block.writeBytes(field());
        }
        open(stream, flags, block);
    }

    /** A section of any fields. */
    private void fields() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        int stream = stream();
        int flags = octet() % 2;
        for (int more = octet() % 8; more > 0; more--) {
            block.writeBytes(field());
        }
        open(stream, flags, block);
    }

    private void open(int stream, int flags, ByteArrayOutputStream block) {
        Meant meant = byStream.computeIfAbsent(stream, id -> new Meant());
        if (opened.add(stream)) {
            String tag = serial + "." + byTag.size();
            byTag.put(tag, meant);
            block.writeBytes(FrameClient.block(tagName, tag));
        }
        meant.ended |= flags != 0;
        // one in eight goes on in CONTINUATION frames, if such come
        int whole = octet() % 8 == 7 ? 0 : FrameClient.END_HEADERS;
        frame(FrameClient.HEADERS, flags | whole, stream, block.toByteArray());
    }

    private byte[] field() {
        String name = NAMES[octet() % NAMES.length];
        int value = octet() % (VALUES.length + 1);
        return FrameClient.block(name, value == VALUES.length ? new String(octets(), ISO_8859_1) : VALUES[value]);
    }

    /** HPACK as it comes. */
    private void rawHead() {
        int stream = stream();
        opened.add(stream);
        Meant meant = byStream.computeIfAbsent(stream, id -> new Meant());
        meant.known = false;
        frame(FrameClient.HEADERS, octet(), stream, octets());
    }

    private void data() {
        int stream = stream();
        int flags = octet();
        byte[] content = octets();
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        if ((flags & 8) != 0) {
            int padding = octet() % 32;
            payload.write(padding);
            payload.writeBytes(content);
            payload.writeBytes(new byte[padding]);
        } else {
            payload.writeBytes(content);
        }
        Meant meant = byStream.get(stream);
        if (meant != null) {
            meant.content.writeBytes(content);
            meant.ended |= (flags & FrameClient.END_STREAM) != 0;
        }
        frame(FrameClient.DATA, flags & 9, stream, payload.toByteArray());
    }

    private byte[] settings() {
        byte[] pairs = new byte[6 * (octet() % 4)];
        for (int i = 0; i < pairs.length; i += 6) {
            pairs[i + 1] = (byte) (octet() % 9);
            System.arraycopy(FrameClient.number(number()), 0, pairs, i + 2, 4);
        }
        return pairs;
    }

    private byte[] priority() {
        byte[] payload = Arrays.copyOf(FrameClient.number(stream()), 5);
        payload[4] = (byte) octet();
        return payload;
    }

    private void anyFrame() {
        int type = octet();
        int stream = octet() % 4 == 0 ? number() & Integer.MAX_VALUE : stream();
        if (type == FrameClient.HEADERS) {
            opened.add(stream);
        }
        byStream.computeIfAbsent(stream, id -> new Meant()).known = false;
        frame(type, octet(), stream, octets());
    }

    /** Octets as they come, which may be half a frame. */
    private void raw() {
        framed = false;
        write.writeBytes(octets());
    }

    private void flush() {
        writes.add(write.toByteArray());
        write = new ByteArrayOutputStream();
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        if (!framed) {
            // wherever it begins, it is another frame
            byStream.values().forEach(meant -> meant.known = false);
        }
        write.writeBytes(FrameClient.frame(type, flags, stream, payload));
    }

    // ---- octets

    private int octet() {
        return at < input.length ? input[at++] & 0xff : 0;
    }

    /** Clients' streams, and now and then none or a server's. */
    private int stream() {
        int octet = octet();
        return octet < 248 ? 2 * (octet % STREAMS) + 1 : octet % STREAMS;
    }

    private int number() {
        return octet() << 24 | octet() << 16 | octet() << 8 | octet();
    }

    /** A length, and as many of what follows. */
    private byte[] octets() {
        int length = octet();
        byte[] taken = Arrays.copyOfRange(input, Math.min(at, input.length), Math.min(at, input.length) + length);
        at += length;
        return taken;
    }
}

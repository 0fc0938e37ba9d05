package io.remora.probes;

import io.remora.http.GrpcHealth;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A probe by gRPC's health service over cleartext HTTP/2. One call needs so few frames that they are written and read here, without
 * the codec, which a sidecar without HTTP/2 does not load. The message of the response decides, so that no field of it is decoded.
 *
 * <p>Owner: the run's thread. Bounds: {@value #MAX_FRAMES} frames of {@value #MAX_FRAME} octets. Spec: RFC 9113, RFC 7541,
 * {@code grpc.health.v1}.
 */
final class GrpcProbe extends ProbeCall {
    private static final int MAX_FRAMES = 64;
    private static final int MAX_FRAME = 16_384;

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;

    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    /** The setting ENABLE_PUSH, 0. */
    private static final byte[] NO_PUSH = {0, 2, 0, 0, 0, 0};

    private final byte[] message = new byte[GrpcHealth.MOST_OCTETS + 1];
    private int octets;

    GrpcProbe(AppProbe probe) {
        super(probe);
    }

    @Override
    ProbeAnswer answer() throws IOException {
        try (Socket socket = connect(host(), probe.port())) {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(PREFACE);
            frame(request, SETTINGS, 0, 0, NO_PUSH);
            frame(request, HEADERS, END_HEADERS, 1, head());
            frame(request, DATA, END_STREAM, 1, GrpcHealth.request(probe.service()));
            OutputStream out = socket.getOutputStream();
            out.write(request.toByteArray());
            read(new ProbeInput(this, socket), out);
        }
        String of = probe.service().isEmpty() ? "" : " of " + probe.service();
        if (octets == 0) {
            return ProbeAnswer.failed("the health service gives no status" + of);
        }
        return GrpcHealth.isServing(message, octets)
                ? new ProbeAnswer(200, "SERVING\n")
                : new ProbeAnswer(503, "the health service says not SERVING" + of + '\n');
    }

    /** The request's fields, as literals but for entries of the static table (RFC 7541 appendix A). */
    private byte[] head() {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        // :method POST and :scheme http are entries, :path and :authority have names there
        head.write(0x83);
        head.write(0x86);
        head.write(4);
        text(head, GrpcHealth.PATH);
        head.write(1);
        text(head, place(host(), probe.port()));
        literal(head, "te", "trailers");
        literal(head, "content-type", "application/grpc");
        literal(head, "user-agent", "kube-probe/remora");
        literal(head, "grpc-timeout", probe.timeoutMs() + "m");
        return head.toByteArray();
    }

    private static void literal(ByteArrayOutputStream head, String name, String value) {
        head.write(0);
        text(head, name);
        text(head, value);
    }

    // a length is one octet up to 126, and 127 with the rest behind it otherwise (RFC 7541 5.1)
    private static void text(ByteArrayOutputStream head, String text) {
        int rest = text.length() - 127;
        head.write(rest < 0 ? text.length() : 127);
        for (; rest >= 128; rest >>= 7) {
            head.write(rest & 127 | 128);
        }
        if (text.length() >= 127) {
            head.write(rest);
        }
        head.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        out.write(payload.length >> 16);
        out.write(payload.length >> 8);
        out.write(payload.length);
        out.write(type);
        out.write(flags);
        out.write(0);
        out.write(0);
        out.write(0);
        out.write(stream);
        out.writeBytes(payload);
    }

    private void read(ProbeInput in, OutputStream out) throws IOException {
        for (int frames = 0; frames < MAX_FRAMES; frames++) {
            int length = in.next() << 16 | in.next() << 8 | in.next();
            int type = in.next();
            int flags = in.next();
            int stream = (in.next() & 127) << 24 | in.next() << 16 | in.next() << 8 | in.next();
            if (length > MAX_FRAME || frames == 0 && type != SETTINGS) {
                throw new IOException("the response is not HTTP/2");
            }
            byte[] payload = new byte[length];
            for (int i = 0; i < length; i++) {
                payload[i] = (byte) in.next();
            }
            if (type == GOAWAY || type == RST_STREAM && stream == 1) {
                throw new IOException("the application ended the call");
            }
            acknowledge(out, type, flags, payload);
            if (stream == 1 && type == DATA) {
                take(payload, flags);
            }
            if (stream == 1 && (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0) {
                return;
            }
        }
        throw new IOException("the response has more than " + MAX_FRAMES + " frames");
    }

    private static void acknowledge(OutputStream out, int type, int flags, byte[] payload) throws IOException {
        if ((type == SETTINGS || type == PING) && (flags & ACK) == 0) {
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            frame(answer, type, ACK, 0, type == PING ? payload : new byte[0]);
            out.write(answer.toByteArray());
        }
    }

    private void take(byte[] payload, int flags) {
        boolean padded = (flags & PADDED) != 0 && payload.length > 0;
        int from = padded ? 1 : 0;
        int to = payload.length - (padded ? payload[0] & 0xff : 0);
        for (int i = from; i < to && octets < message.length; i++) {
            message[octets++] = payload[i];
        }
    }
}

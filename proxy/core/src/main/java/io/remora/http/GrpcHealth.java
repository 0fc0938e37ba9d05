package io.remora.http;

import java.nio.charset.StandardCharsets;

/**
 * The two messages of gRPC's health service, which have a field each. Pure functions.
 *
 * <p>Spec: {@code grpc.health.v1}, and protocol buffers' wire format.
 */
public final class GrpcHealth {
    public static final String PATH = "/grpc.health.v1.Health/Check";

    /** The longest answer that can be right. */
    public static final int MOST_OCTETS = 64;

    /** The octets before a message: whether it is compressed, and its length. */
    private static final int PREFIX = 5;
    /** Field 1, by its length, of the request. */
    private static final int SERVICE = 1 << 3 | 2;
    /** Field 1, a number, of the response. */
    private static final int STATUS = 1 << 3;

    private static final int SERVING = 1;

    private GrpcHealth() {}

    /**
     * Makes the request, a message behind its prefix.
     *
     * @param service empty for the server as a whole, at most 127 characters of ASCII
     */
    public static byte[] request(String service) {
        byte[] name = service.getBytes(StandardCharsets.US_ASCII);
        int length = name.length == 0 ? 0 : 2 + name.length;
        byte[] framed = new byte[PREFIX + length];
        framed[PREFIX - 1] = (byte) length;
        if (length > 0) {
            framed[PREFIX] = SERVICE;
            framed[PREFIX + 1] = (byte) name.length;
            System.arraycopy(name, 0, framed, PREFIX + 2, name.length);
        }
        return framed;
    }

    /** Returns whether the octets are one message that says SERVING, as its one field or the last of several. */
    public static boolean isServing(byte[] framed, int length) {
        boolean whole = length >= PREFIX && framed[0] == 0 && framed[1] == 0 && framed[2] == 0 && framed[3] == 0;
        if (!whole || framed[PREFIX - 1] != length - PREFIX) {
            return false;
        }
        int status = 0;
        for (int at = PREFIX; at < length; at += 2) {
            // every value that there is fits into one octet, and no other field has been defined
            if (framed[at] != STATUS || at + 1 == length || framed[at + 1] < 0) {
                return false;
            }
            status = framed[at + 1];
        }
        return status == SERVING;
    }
}

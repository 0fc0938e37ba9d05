package io.remora.detect;

import io.netty.buffer.ByteBuf;
import io.remora.text.Ascii;

/**
 * Tells whether a connection begins with the request line of HTTP, however it comes in pieces. That is a token, a space, anything but control
 * characters, and at the end of the line a version of HTTP: what a server may take for a request has to be judged as one, so that lines
 * pass that are none by the letter. The preface of HTTP/2 is made to look like such a line.
 *
 * <p>Owner: one connection. Bounds: empty lines count as octets, and a method has {@link #MAX_METHOD}. Cost: each octet is looked at once.
 * Spec: RFC 9112 2.2 and 3, RFC 9113 3.4.
 */
final class RequestLine {
    /** Longest method, in octets; the methods in use have fewer than 20. */
    private static final int MAX_METHOD = 64;
    /** Pattern for the last part of the line, in which d is a digit. */
    private static final String VERSION = " HTTP/d.d";
    /** The line by which the preface of HTTP/2 begins. */
    private static final String PREFACE = "PRI * HTTP/2.0";

    /** Verdict on the octets so far. */
    enum Verdict {
        OPEN,
        HTTP,
        OTHER
    }

    private final int maxOctets;
    private int octets;
    private int methodOctets;
    private boolean methodEnded;
    private boolean carriageReturn;
    /** Characters of {@link #VERSION} that the line ends with so far. */
    private int version;
    /** Set once a blank has followed a version: some servers look no further. */
    private boolean versioned;
    /** Characters of {@link #PREFACE} that are all that has come, -1 where something else has. */
    private int preface;

    /**
     * @param maxOctets of which a line is one of HTTP, and too long, that has not ended
     */
    RequestLine(int maxOctets) {
        this.maxOctets = maxOctets;
    }

    /** Tells if nothing has been read. */
    boolean isEmpty() {
        return octets == 0;
    }

    /** Tells if the line is the one by which HTTP/2 begins. */
    boolean isPreface() {
        return preface == PREFACE.length();
    }

    /** Reads {@code bytes} from {@code from} on, which stay where they are. */
    Verdict read(ByteBuf bytes, int from) {
        for (int at = from; at < bytes.writerIndex(); at++) {
            Verdict verdict = next(bytes.getUnsignedByte(at));
            if (verdict != Verdict.OPEN) {
                return verdict;
            }
        }
        return Verdict.OPEN;
    }

    private Verdict next(int octet) {
        octets++;
        if (octet == '\n') {
            return lineEnded();
        }
        if (carriageReturn) {
            return Verdict.OTHER;
        }
        if (octet == '\r') {
            carriageReturn = true;
            return methodEnded || methodOctets == 0 ? Verdict.OPEN : Verdict.OTHER;
        }
        boolean same = preface >= 0 && preface < PREFACE.length() && PREFACE.charAt(preface) == octet;
        preface = same ? preface + 1 : -1;
        return methodEnded ? rest(octet) : method(octet);
    }

    private Verdict lineEnded() {
        carriageReturn = false;
        if (methodOctets == 0) {
            preface = -1;
            return octets < maxOctets ? Verdict.OPEN : Verdict.OTHER;
        }
        return versioned || version == VERSION.length() ? Verdict.HTTP : Verdict.OTHER;
    }

    private Verdict method(int octet) {
        if (octet == ' ' && methodOctets > 0) {
            methodEnded = true;
            version = 1;
            return Verdict.OPEN;
        }
        return Ascii.isTokenCharacter(octet) && ++methodOctets <= MAX_METHOD ? Verdict.OPEN : Verdict.OTHER;
    }

    private Verdict rest(int octet) {
        if (octet < ' ' && octet != '\t' || octet == 0x7f) {
            return Verdict.OTHER;
        }
        versioned |= version == VERSION.length() && octet <= ' ';
        boolean goesOn = version < VERSION.length()
                && (VERSION.charAt(version) == 'd' ? Ascii.isDigit(octet) : VERSION.charAt(version) == octet);
        version = goesOn ? version + 1 : octet == ' ' ? 1 : 0;
        return octets < maxOctets ? Verdict.OPEN : Verdict.HTTP;
    }
}

package io.remora.http2;

import io.netty.util.AsciiString;
import io.netty.util.concurrent.FastThreadLocal;
import io.remora.http.Octets;
import java.util.Arrays;

/**
 * The short names and values of fields that this thread has written last. An API repeats them, and the compressor may
 * keep them, so that each is a copy, but not one for each message.
 *
 * <p>Owner: one thread. Bounds: {@link #SLOTS} names and as many values, of {@link #LONGEST} octets each; a new one
 * takes the slot of the one before it.
 */
final class UsualPieces {
    private static final int SLOTS = 64;
    private static final int LONGEST = 32;

    private static final FastThreadLocal<UsualPieces> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected UsualPieces initialValue() {
            return new UsualPieces();
        }
    };

    private final AsciiString[] names = new AsciiString[SLOTS];
    private final AsciiString[] values = new AsciiString[SLOTS];

    private UsualPieces() {}

    static UsualPieces ofThread() {
        return OF_THREAD.get();
    }

    /** Returns the name in {@code array}, in lower case; a copy. */
    AsciiString lower(byte[] array, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + Octets.toLower(array[i]);
        }
        AsciiString known = names[slot(hash)];
        if (known != null && Octets.equalsIgnoreCase(array, from, to, known.array())) {
            return known;
        }
        byte[] name = new byte[to - from];
        for (int i = 0; i < name.length; i++) {
            name[i] = Octets.toLower(array[from + i]);
        }
        return kept(names, hash, new AsciiString(name, false));
    }

    /** Returns the value in {@code array}, as it is; a copy. */
    AsciiString value(byte[] array, int from, int to) {
        int length = to - from;
        if (length > LONGEST) {
            return new AsciiString(array, from, length, true);
        }
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + array[i];
        }
        AsciiString known = values[slot(hash)];
        return known != null && Arrays.equals(array, from, to, known.array(), 0, known.length())
                ? known
                : kept(values, hash, new AsciiString(array, from, length, true));
    }

    private static AsciiString kept(AsciiString[] slots, int hash, AsciiString made) {
        if (made.length() <= LONGEST) {
            slots[slot(hash)] = made;
        }
        return made;
    }

    private static int slot(int hash) {
        return (hash ^ hash >>> 6 ^ hash >>> 12) & SLOTS - 1;
    }
}

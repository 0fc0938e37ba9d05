package io.remora.tls.openssl;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The functions of libremora_tls.so; see {@code proxy/native/tls/tls.h}. A context and a connection are addresses,
 * which must not be handed in once they were released or freed. Where text comes back it says what went wrong, and null
 * that nothing did.
 *
 * <p>Thread safe, but for connections: each belongs to one thread.
 */
final class OpenSsl {
    /**
     * Flag in the results of {@link #start}, {@link #decrypt}, {@link #encrypt} and {@link #close}, above 32 bits of a
     * count.
     */
    static final long ESTABLISHED = 1L << 32;

    static final long INPUT_CLOSED = 1L << 33;
    static final long FAILED = 1L << 34;
    static final long HAS_FLIGHT = 1L << 35;

    /** Shift of the octets of the record that has not come whole. */
    static final int RECORD_SHIFT = 36;

    /**
     * Octets that a record may add to its content, and octets that may go out before the first (TLS_RECORD_OVERHEAD,
     * TLS_BEFORE_RECORDS).
     */
    static final int RECORD_OVERHEAD = 96;

    static final int BEFORE_RECORDS = 64;

    private OpenSsl() {}

    // ---- the process

    static native @Nullable String begin();

    /** Name and version of the library, for example {@code AWS-LC 5.12.0}. */
    static native String version();

    static native boolean hasAes();

    /** Octets that the library has allocated; -1 where they are not counted. */
    static native long allocated();

    // ---- contexts

    /** Returns a new context, 0 for no memory. */
    static native long newContext(boolean server);

    static native void releaseContext(long context);

    static native @Nullable String versions(long context, int least, int most);

    static native @Nullable String ciphers(long context, String names);

    static native @Nullable String groups(long context, String names);

    static native @Nullable String protocols(long context, byte[] names);

    static native @Nullable String certificate(long context, byte[] der, boolean own);

    static native @Nullable String key(long context, byte[] der);

    static native @Nullable String trust(long context, byte[] der);

    static native @Nullable String list(long context, byte[] der);

    static native void ask(long context, boolean required);

    static native @Nullable String host(long context, String name);

    static native @Nullable String uri(long context, String name);

    static native @Nullable String serve(long context, String name, long answers);

    static native @Nullable String resume(long context, int id, int lifetimeS);

    // ---- connections

    /**
     * Returns a new connection, 0 for no memory, or for a name that cannot be sent.
     *
     * @param peer number of the address that a client is connected to, whose sessions it may resume
     */
    static native long newConnection(long context, @Nullable String serverName, long peer);

    static native void freeConnection(long connection);

    static native long start(long connection);

    static native long decrypt(long connection, long wire, int length, long content, int room);

    static native long encrypt(long connection, long content, int length, long wire, int room);

    static native long close(long connection);

    static native int flightLength(long connection);

    static native int takeFlight(long connection, long wire, int room);

    static native int failure(long connection);

    static native String reason(long connection);

    static native int negotiatedVersion(long connection);

    static native String cipher(long connection);

    static native byte @Nullable [] protocol(long connection);

    static native boolean isResumed(long connection);

    static native byte @Nullable [] peer(long connection, int place);

    static native byte @Nullable [] own(long connection);

    static native long address(ByteBuffer direct);
}

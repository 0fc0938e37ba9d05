package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The protection of one connection: octets of the wire in, content out, and the other way round. It has no socket,
 * never waits, and calls nobody back. Made by a {@link TlsContext}.
 *
 * <p>The order of the calls: {@link #start} once. {@link #decrypt} with all octets that arrive, and after each call,
 * one that threw included, {@link #takeOutgoing} until it gives nothing. {@link #encrypt} once it is established.
 * {@link #closeOutput} at the end, and {@link #takeOutgoing} after it. {@link #free} once, after which it is not
 * touched again.
 *
 * <p>Owner: its connection's event loop, which may lend it to one other thread at a time. Bounds: it keeps less than
 * one record of the octets that arrived, no encrypted content, and one flight of a handshake.
 */
public abstract class TlsSession {
    /** Content of one record (RFC 8446 5.1). */
    public static final int MAX_RECORD_CONTENT = 1 << 14;

    /** Begins the handshake: a client sends first, a server waits. */
    public abstract void start() throws TlsException;

    // ---- from the peer

    /**
     * Takes all of {@code wire}, and appends the content of the records that are whole. It handles handshakes, alerts
     * and session tickets in between. The rest of a record is kept until more comes.
     *
     * @param wire a direct buffer with one NIO buffer; still the caller's afterwards, with nothing left to read
     * @param content a direct buffer with one NIO buffer and room for {@link #contentRoom} octets. Content in it after
     *     a failure came before the failure
     * @throws TlsException where the connection is lost. Its alert, if there is one, is outgoing then, and nothing more
     *     may be decrypted or encrypted
     */
    public abstract void decrypt(ByteBuf wire, ByteBuf content) throws TlsException;

    /** The most content that {@link #decrypt} can bring out of so many octets and those that it has kept. */
    public abstract int contentRoom(int wireOctets);

    /** Returns whether the peer has said that nothing follows (close_notify). */
    public abstract boolean isInputClosed();

    // ---- to the peer

    /**
     * Encrypts all of {@code content}, in records of at most {@link #MAX_RECORD_CONTENT}.
     *
     * @param content a direct buffer with one NIO buffer; still the caller's afterwards, with nothing left to read
     * @param wire a direct buffer with one NIO buffer and room for {@link #wireRoom} octets
     * @throws TlsException where this side has ended, or the connection is lost
     */
    public abstract void encrypt(ByteBuf content, ByteBuf wire) throws TlsException;

    /** The most octets that so much content becomes on the wire, with all that has to go out before it. */
    public abstract int wireRoom(int contentOctets);

    /**
     * Takes the octets that the session sends by itself: its flights of a handshake, alerts, answers to the peer's.
     *
     * @return null for nothing, else a buffer that is the caller's
     */
    public abstract @Nullable ByteBuf takeOutgoing(ByteBufAllocator allocator);

    /** Sends a close_notify; further calls do nothing. Reading goes on. */
    public abstract void closeOutput();

    // ---- what the handshake brought

    /**
     * Returns whether the handshake is over. The peer's certificate and its names have been verified then, as far as
     * the context asks for it: a failure of that is one of {@link #decrypt}, before this is ever true.
     */
    public abstract boolean isEstablished();

    /** The protocol that both sides agreed on by ALPN (RFC 7301), null for none. */
    public abstract @Nullable String protocol();

    /** The peer's certificates in DER, its own first; empty where it showed none. On a resumed session those of the first. */
    public abstract byte[][] peerChain();

    /** This side's own certificate in DER; null where it has none. */
    public abstract byte @Nullable [] ownCertificate();

    /** Returns whether the handshake resumed an earlier session. */
    public abstract boolean isResumed();

    /** Name of the version by IANA and the RFCs, for example {@code TLSv1.3}. */
    public abstract String version();

    /** Name of the cipher suite by IANA, for example {@code TLS_AES_128_GCM_SHA256}. */
    public abstract String cipherSuite();

    /** Frees its memory outside the heap. */
    public abstract void free();
}

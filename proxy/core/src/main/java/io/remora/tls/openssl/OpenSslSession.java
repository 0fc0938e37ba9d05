package io.remora.tls.openssl;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.remora.tls.TlsException;
import io.remora.tls.TlsFailure;
import io.remora.tls.TlsSession;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A connection of OpenSSL: it reads records from the buffer in which they came, and writes them to the one they leave in.
 *
 * <p>Owner: its connection's event loop. Cost: one call of the library for each read and each write; nothing is allocated
 * in between.
 */
final class OpenSslSession extends TlsSession {
    /** Failures by the number of {@code enum tls_failure}, from 1. */
    private static final TlsFailure[] FAILURES = {
        TlsFailure.PROTOCOL,
        TlsFailure.PLAIN_HTTP,
        TlsFailure.NOTHING_IN_COMMON,
        TlsFailure.CERTIFICATE_MISSING,
        TlsFailure.CERTIFICATE_UNTRUSTED,
        TlsFailure.CERTIFICATE_NOT_VALID_NOW,
        TlsFailure.CERTIFICATE_NAME,
        TlsFailure.ALERT,
        TlsFailure.RENEGOTIATION,
        TlsFailure.CLOSED,
        TlsFailure.INTERNAL,
        TlsFailure.CERTIFICATE_REVOKED,
        TlsFailure.REVOCATION_UNKNOWN
    };

    private static final int TLS_1_3 = 0x0304;
    /** A bound above the most certificates that a peer's chain may have. */
    private static final int MOST_CERTIFICATES = 64;

    private static final byte[][] NOBODY = {};

    /** Address of the connection, 0 once it is freed. */
    private long connection;
    /** Result of the last call; see {@link OpenSsl}. */
    private long state;

    private boolean outputClosed;

    OpenSslSession(long connection) {
        this.connection = connection;
    }

    private long connection() {
        if (connection == 0) {
            throw new IllegalStateException("the session is freed");
        }
        return connection;
    }

    @Override
    public void start() throws TlsException {
        state = OpenSsl.start(connection());
        check();
    }

    // ---- from the peer

    @Override
    public void decrypt(ByteBuf wire, ByteBuf content) throws TlsException {
        int length = wire.readableBytes();
        int room = content.writableBytes();
        long from = address(wire, wire.readerIndex(), length);
        long to = address(content, content.writerIndex(), room);
        state = OpenSsl.decrypt(connection(), from, length, to, room);
        wire.skipBytes(length);
        content.writerIndex(content.writerIndex() + (int) state);
        check();
    }

    @Override
    public int contentRoom(int wireOctets) {
        return wireOctets + (int) (state >>> OpenSsl.RECORD_SHIFT);
    }

    @Override
    public boolean isInputClosed() {
        return (state & OpenSsl.INPUT_CLOSED) != 0;
    }

    // ---- to the peer

    @Override
    public void encrypt(ByteBuf content, ByteBuf wire) throws TlsException {
        check();
        if (outputClosed || !isEstablished()) {
            throw new TlsException(TlsFailure.CLOSED, "");
        }
        int length = content.readableBytes();
        int room = wire.writableBytes();
        long from = address(content, content.readerIndex(), length);
        long to = address(wire, wire.writerIndex(), room);
        state = OpenSsl.encrypt(connection(), from, length, to, room);
        content.skipBytes(length);
        wire.writerIndex(wire.writerIndex() + (int) state);
        check();
    }

    @Override
    public int wireRoom(int contentOctets) {
        int records = contentOctets / MAX_RECORD_CONTENT + 1;
        return flight() + OpenSsl.BEFORE_RECORDS + contentOctets + records * OpenSsl.RECORD_OVERHEAD;
    }

    private int flight() {
        return (state & OpenSsl.HAS_FLIGHT) == 0 ? 0 : OpenSsl.flightLength(connection());
    }

    @Override
    public @Nullable ByteBuf takeOutgoing(ByteBufAllocator allocator) {
        int octets = flight();
        if (octets == 0) {
            return null;
        }
        ByteBuf flight = allocator.directBuffer(octets, octets);
        flight.writerIndex(OpenSsl.takeFlight(connection(), address(flight, 0, octets), octets));
        state &= ~OpenSsl.HAS_FLIGHT;
        return flight;
    }

    @Override
    public void closeOutput() {
        outputClosed = true;
        state = OpenSsl.close(connection());
    }

    /** Returns the buffer's address, which Netty keeps where it may; else the buffer tells. */
    private static long address(ByteBuf buffer, int index, int length) {
        if (buffer.hasMemoryAddress()) {
            return buffer.memoryAddress() + index;
        }
        ByteBuffer direct = buffer.internalNioBuffer(index, length);
        return OpenSsl.address(direct) + direct.position();
    }

    private void check() throws TlsException {
        if ((state & OpenSsl.FAILED) != 0) {
            int failure = OpenSsl.failure(connection());
            boolean known = failure > 0 && failure <= FAILURES.length;
            throw new TlsException(known ? FAILURES[failure - 1] : TlsFailure.INTERNAL, OpenSsl.reason(connection()));
        }
    }

    // ---- what the handshake brought

    @Override
    public boolean isEstablished() {
        return (state & OpenSsl.ESTABLISHED) != 0;
    }

    @Override
    public @Nullable String protocol() {
        byte[] name = OpenSsl.protocol(connection());
        return name == null ? null : new String(name, StandardCharsets.ISO_8859_1);
    }

    @Override
    public byte[][] peerChain() {
        byte[][] chain = NOBODY;
        for (int i = 0; i < MOST_CERTIFICATES; i++) {
            byte[] one = OpenSsl.peer(connection(), i);
            if (one == null) {
                break;
            }
            chain = Arrays.copyOf(chain, i + 1);
            chain[i] = one;
        }
        return chain;
    }

    @Override
    public byte @Nullable [] ownCertificate() {
        return OpenSsl.own(connection());
    }

    @Override
    public boolean isResumed() {
        return OpenSsl.isResumed(connection());
    }

    @Override
    public String version() {
        return OpenSsl.negotiatedVersion(connection()) == TLS_1_3 ? "TLSv1.3" : "TLSv1.2";
    }

    @Override
    public String cipherSuite() {
        return OpenSsl.cipher(connection());
    }

    @Override
    public void free() {
        if (connection != 0) {
            OpenSsl.freeConnection(connection);
            connection = 0;
        }
    }
}

package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * One connection by the JDK's engine. The caller's thread does the engine's delegated tasks at once.
 *
 * <p>Owner: as of any session. Cost: records pass through buffers that the thread's sessions share, as the engine wants
 * room for a whole one each time. The buffers are of the heap, as its ciphers copy any other into new arrays. Bounds:
 * one record that is not whole.
 */
final class JdkSession extends TlsSession {
    private static final byte[][] NOBODY = {};
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final String TLS_1_2 = "TLSv1.2";

    /** Octets that a record adds to its content: header, explicit nonce, tag, and the inner type. */
    private static final int RECORD_OVERHEAD = 64;

    /** Room for a key update that goes out before content. */
    private static final int SLACK = 256;

    /** The buffer that records are decrypted from. */
    private static final Scratch RECEIVED = new Scratch();

    /** The buffer that the engine encrypts to. */
    private static final Scratch SENT = new Scratch();

    private final SSLEngine engine;
    private final Records records = new Records();
    /** Octets that the session has to send by itself, null for nothing. */
    private @Nullable ByteBuf outgoing;

    private boolean established;
    private boolean inputClosed;
    private boolean lost;
    /** Null for a client's session. */
    private final @Nullable JdkResumption resumption;

    JdkSession(SSLEngine engine, @Nullable JdkResumption resumption) {
        this.engine = engine;
        this.resumption = resumption;
    }

    @Override
    public void start() throws TlsException {
        try {
            engine.beginHandshake();
            advance();
        } catch (SSLException e) {
            throw lost(e);
        }
    }

    // ---- from the peer

    @Override
    public void decrypt(ByteBuf wire, ByteBuf content) throws TlsException {
        try {
            while (wire.isReadable() && !inputClosed) {
                ByteBuf record = records.next(wire);
                if (record != null) {
                    unwrap(record, records.length(), content);
                    records.done(record);
                }
            }
            wire.skipBytes(wire.readableBytes());
        } catch (SSLException e) {
            throw lost(e);
        } catch (TlsException e) {
            engine.closeOutbound();
            lost = true;
            drain();
            throw e;
        }
    }

    private void unwrap(ByteBuf from, int length, ByteBuf content) throws SSLException, TlsException {
        boolean handshake = Records.typeAt(from, from.readerIndex()) == Records.HANDSHAKE;
        if (established && handshake && engine.getSession().getProtocol().equals(TLS_1_2)) {
            throw new TlsException(TlsFailure.RENEGOTIATION, "");
        }
        ByteBuffer record = RECEIVED.withRoom(length).limit(length);
        from.getBytes(from.readerIndex(), record);
        record.flip();
        ByteBuffer into = content.internalNioBuffer(content.writerIndex(), content.writableBytes());
        int before = into.position();
        while (record.hasRemaining()) {
            SSLEngineResult result = engine.unwrap(record, into);
            Status status = result.getStatus();
            if (status == Status.CLOSED || engine.isInboundDone()) {
                inputClosed = true;
            } else if (status != Status.OK) {
                throw new TlsException(TlsFailure.INTERNAL, "the engine says " + status);
            }
            boolean moved = advance() || result.bytesConsumed() > 0;
            if (inputClosed || !moved) {
                break;
            }
        }
        content.writerIndex(content.writerIndex() + into.position() - before);
    }

    /** Does all steps that the handshake has pending; returns whether there was any. */
    private boolean advance() throws SSLException, TlsException {
        boolean any = false;
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK) {
                Runnable task = engine.getDelegatedTask();
                while (task != null) {
                    task.run();
                    task = engine.getDelegatedTask();
                }
                // throws what a task has failed with, which the engine keeps for its next call, and nobody else may
                // make one
                engine.unwrap(NOTHING, NOTHING);
                if (resumption != null) {
                    resumption.judge(engine);
                }
            } else if (status == HandshakeStatus.NEED_WRAP && (wrapOwn() || engine.getHandshakeStatus() != status)) {
                // the engine may have had a ticket in mind, and nothing to say after all
                any = true;
                continue;
            } else {
                if (status == HandshakeStatus.NOT_HANDSHAKING && !established) {
                    becomeEstablished();
                }
                return any;
            }
            any = true;
        }
    }

    private void becomeEstablished() {
        if (!engine.getSession().getCipherSuite().startsWith("TLS_") || engine.isOutboundDone()) {
            return;
        }
        established = true;
        // which takes it out of the cache: nothing is resumed but by a ticket
        engine.getSession().invalidate();
    }

    // ---- to the peer

    @Override
    public void encrypt(ByteBuf content, ByteBuf wire) throws TlsException {
        ByteBuffer from = content.internalNioBuffer(content.readerIndex(), content.readableBytes());
        try {
            while (from.hasRemaining()) {
                ByteBuffer scratch = SENT.withRoom(engine.getSession().getPacketBufferSize());
                SSLEngineResult result = engine.wrap(from, scratch);
                wire.writeBytes(scratch.flip());
                if (lost || result.getStatus() != Status.OK || result.bytesProduced() == 0) {
                    throw new TlsException(TlsFailure.CLOSED, "");
                }
            }
        } catch (SSLException e) {
            throw lost(e);
        }
        content.skipBytes(content.readableBytes());
    }

    @Override
    public int contentRoom(int wireOctets) {
        return wireOctets + records.kept();
    }

    @Override
    public int wireRoom(int contentOctets) {
        return contentOctets + (contentOctets / MAX_RECORD_CONTENT + 1) * RECORD_OVERHEAD + SLACK;
    }

    /** Encrypts one record of the engine's own; returns whether there was one. */
    private boolean wrapOwn() throws SSLException {
        ByteBuffer scratch = SENT.withRoom(engine.getSession().getPacketBufferSize());
        SSLEngineResult result = engine.wrap(NOTHING, scratch);
        scratch.flip();
        if (scratch.hasRemaining()) {
            if (outgoing == null) {
                outgoing = Unpooled.directBuffer(scratch.remaining());
            }
            outgoing.writeBytes(scratch);
        }
        return result.bytesProduced() > 0;
    }

    /** Takes the last octets of an engine that closes, as far as it can. */
    private void drain() {
        try {
            while (!engine.isOutboundDone() && wrapOwn()) {
                // the next record
            }
        } catch (SSLException e) {
            // then it is said without
        }
    }

    @Override
    public @Nullable ByteBuf takeOutgoing(ByteBufAllocator allocator) {
        ByteBuf taken = outgoing;
        outgoing = null;
        return taken;
    }

    @Override
    public void closeOutput() {
        engine.closeOutbound();
        drain();
    }

    // ---- how it stands

    @Override
    public boolean isInputClosed() {
        return inputClosed;
    }

    @Override
    public boolean isEstablished() {
        return established;
    }

    @Override
    public @Nullable String protocol() {
        String protocol = engine.getApplicationProtocol();
        return protocol == null || protocol.isEmpty() ? null : protocol;
    }

    @Override
    public byte[][] peerChain() {
        try {
            Certificate[] chain = engine.getSession().getPeerCertificates();
            byte[][] der = new byte[chain.length][];
            for (int i = 0; i < der.length; i++) {
                der[i] = chain[i].getEncoded();
            }
            return der;
        } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
            return NOBODY;
        }
    }

    @Override
    public byte @Nullable [] ownCertificate() {
        Certificate[] chain = engine.getSession().getLocalCertificates();
        try {
            return chain == null || chain.length == 0 ? null : chain[0].getEncoded();
        } catch (CertificateEncodingException e) {
            return null;
        }
    }

    @Override
    public boolean isResumed() {
        return resumption != null && resumption.isResumed();
    }

    @Override
    public String version() {
        return engine.getSession().getProtocol();
    }

    @Override
    public String cipherSuite() {
        return engine.getSession().getCipherSuite();
    }

    // ---- the end

    private TlsException lost(SSLException e) {
        lost = true;
        drain();
        if (!engine.isOutboundDone()) {
            // of what a task fails with the engine does not always make an alert
            engine.closeOutbound();
            drain();
        }
        return JdkFailures.of(e);
    }

    @Override
    public void free() {
        records.release();
        if (outgoing != null) {
            outgoing.release();
            outgoing = null;
        }
    }

    /** A buffer of each thread, with room for the largest record so far. */
    private static final class Scratch extends FastThreadLocal<ByteBuffer> {
        private static final int STEP = 2 << 10;

        ByteBuffer withRoom(int octets) {
            ByteBuffer scratch = getIfExists();
            if (scratch == null || scratch.capacity() < octets) {
                scratch = ByteBuffer.allocate((octets + STEP - 1) / STEP * STEP);
                set(scratch);
            }
            return scratch.clear();
        }
    }
}

package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/** A session whose octets on the wire are the content's, as long as it has no fault. Owner: one thread. */
class PlainSession extends TlsSession {
    /** Thrown instead of octets for the wire; null for none. */
    @Nullable
    RuntimeException fault;
    /** The buffer that was to take octets for the wire last. */
    @Nullable
    ByteBuf wire;

    boolean ended;

    @Override
    public void start() {}

    @Override
    public void decrypt(ByteBuf wire, ByteBuf content) {
        content.writeBytes(wire);
    }

    @Override
    public int contentRoom(int wireOctets) {
        return wireOctets;
    }

    @Override
    public boolean isInputClosed() {
        return false;
    }

    @Override
    public void encrypt(ByteBuf content, ByteBuf to) {
        wire = to;
        if (fault != null) {
            throw fault;
        }
        to.writeBytes(content);
    }

    @Override
    public int wireRoom(int contentOctets) {
        return contentOctets;
    }

    @Override
    public @Nullable ByteBuf takeOutgoing(ByteBufAllocator allocator) {
        return null;
    }

    @Override
    public void closeOutput() {
        ended = true;
    }

    @Override
    public boolean isEstablished() {
        return true;
    }

    @Override
    public @Nullable String protocol() {
        return null;
    }

    @Override
    public byte[][] peerChain() {
        return new byte[0][];
    }

    @Override
    public byte @Nullable [] ownCertificate() {
        return null;
    }

    @Override
    public boolean isResumed() {
        return false;
    }

    @Override
    public String version() {
        return "TLSv1.3";
    }

    @Override
    public String cipherSuite() {
        return "TLS_AES_128_GCM_SHA256";
    }

    @Override
    public void free() {}
}

package io.remora.tls;

import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The common state of the connections of one listener or cluster: certificates, keys, trust and protocol parameters. It
 * never changes: another set of certificates is another context.
 *
 * <p>Thread safe.
 */
public abstract class TlsContext {
    /**
     * Returns a session for a connection that was accepted or made, before its first octet. Its side follows from the
     * settings of the context.
     */
    public abstract TlsSession newSession() throws TlsException;

    /**
     * Returns the same for a connection to an address. Each endpoint of a cluster mostly resumes only sessions of its own.
     *
     * @param peer null where it is not known
     */
    public TlsSession newSession(@Nullable SocketAddress peer) throws TlsException {
        return newSession();
    }

    /**
     * Makes a session and drops it, so that a refusal that only a session brings shows before a peer is there.
     *
     * @param key of the configuration that it would be due to; empty where that is not known
     */
    public final TlsContext tried(String key) throws TlsException {
        try {
            newSession().free();
            return this;
        } catch (TlsException e) {
            release();
            throw TlsException.unusable(key, e.problem());
        }
    }

    /** Begins no further session, and frees its memory outside the heap once the last of its sessions is freed. */
    public abstract void release();
}

package io.remora.tls;

/**
 * What the connections of one listener, or of one cluster, have in common: certificates, keys, trust, and what may be
 * agreed on. It never changes: another set of certificates is another context.
 *
 * <p>Thread safe.
 */
public abstract class TlsContext {
    /**
     * A session for a connection that was accepted or made, before its first octet. Which side it is follows from the
     * settings that the context was made from.
     */
    public abstract TlsSession newSession() throws TlsException;

    /** Nothing new begins; what it holds outside the heap is given back, once the last of its sessions is freed. */
    public abstract void release();
}

package io.remora.pool;

import io.remora.http.Failure;

/** Who asked for a connection; exactly one of the two is called, at once or later, on the pool's event loop. */
public interface Lessee<C extends Connection> {
    /**
     * @param reused whether it has served before, so that the backend may have closed it meanwhile
     */
    void leased(C connection, boolean reused);

    void refused(Failure failure);
}

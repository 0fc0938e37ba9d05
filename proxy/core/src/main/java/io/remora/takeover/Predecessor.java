package io.remora.takeover;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.List;

/** The process that is running, as it is taken over. Thread safe. */
public interface Predecessor {
    /** Tells if the process can be taken over now, which it cannot once it drains. */
    boolean isServing();

    /** Has its listeners stay as they are while the work is done. */
    void whileUnchanged(Work work) throws IOException;

    /** The sockets that it listens on. */
    List<Socket> sockets();

    /** Returns the memory that the process takes, at the most that is known. */
    long memoryBytes();

    /** Returns the identity of the limit on its memory; empty without one. */
    String limit();

    /**
     * Sets whether another process has the sockets as well, which may go on with them. If so, their files stay, however
     * this process ends.
     */
    void share(boolean shared);

    /** Another process answers on its sockets from now on: it accepts nobody any more, lets its exchanges finish, and ends. */
    void retire();

    /** A socket that is listened on, with the name of who does. */
    record Socket(String name, SelectableChannel channel) {}

    /** Work that is done while nothing changes. */
    interface Work {
        void run() throws IOException;
    }
}

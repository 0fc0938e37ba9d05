package io.remora.takeover;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.List;

/** The process that is running, as it is taken over. Thread safe. */
public interface Predecessor {
    /** Whether it can be taken over now, which it cannot once it drains. */
    boolean isServing();

    /** Has its listeners stay as they are while the work is done. */
    void whileUnchanged(Work work) throws IOException;

    /** The sockets that it listens on. */
    List<Socket> sockets();

    /** What it takes of the memory, at the most that is known. */
    long memoryBytes();

    /** Returns the identity of the limit on its memory; empty without one. */
    String limit();

    /** Whether another process has the sockets as well, which may go on with them: their files stay, however this process ends. */
    void share(boolean shared);

    /** Another process answers on its sockets from now on: it accepts nobody any more, lets its exchanges finish, and ends. */
    void retire();

    /** A socket that is listened on, with the name of who does. */
    record Socket(String name, SelectableChannel channel) {}

    /** What is done while nothing changes. */
    interface Work {
        void run() throws IOException;
    }
}

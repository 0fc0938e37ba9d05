package io.remora.takeover;

import java.nio.channels.SelectableChannel;
import java.util.List;

/** The process that is running, as it is taken over. Thread safe. */
public interface Predecessor {
    /** Whether it can be taken over now, which it cannot once it drains. */
    boolean isServing();

    /** The sockets that it listens on. */
    List<Socket> sockets();

    /** What it takes of the memory, at the most that is known. */
    long memoryBytes();

    /** Where the limit stands that holds for its memory; empty without one. */
    String limitFrom();

    /** Another process answers on its sockets from now on: it accepts nobody any more, lets its exchanges finish, and ends. */
    void retire();

    /** A socket that is listened on, with the name of who does. */
    record Socket(String name, SelectableChannel channel) {}
}

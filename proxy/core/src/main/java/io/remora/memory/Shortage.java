package io.remora.memory;

/** The part of a loop's memory that a client asks for in vain. */
enum Shortage {
    /** Exchanges, and the memory for their sockets and buffers. */
    EXCHANGES,
    /** The heap for heads and trailers. */
    HEAP,
    /** Neither: the process is near its limit. */
    PRESSURE
}

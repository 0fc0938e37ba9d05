package io.remora.http1;

/** Progress of a parser through the octets that it was given. */
public enum Progress {
    /** All octets are taken, and more are needed. */
    MORE,
    /** The parser's element is whole; octets after it are left where they are. */
    DONE,
    /** The octets break a rule; no more must be given. */
    REFUSED
}

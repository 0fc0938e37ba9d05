package io.remora.http1;

/** How far a parser has come with the octets that it was given. */
public enum Progress {
    /** All octets are taken, and more are needed. */
    MORE,
    /** What it parses is whole; octets behind it are left where they are. */
    DONE,
    /** The octets break a rule; no more must be given. */
    REFUSED
}

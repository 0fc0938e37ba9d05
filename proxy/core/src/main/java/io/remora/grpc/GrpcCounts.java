package io.remora.grpc;

/** The counters of one method's calls. An interface, so that a call knows no feature that counts. Thread safe. */
public interface GrpcCounts {
    /** Counts a call that has ended with this status. */
    void ended(String status);
}

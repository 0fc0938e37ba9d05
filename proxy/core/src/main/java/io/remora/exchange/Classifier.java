package io.remora.exchange;

import io.remora.http.Failure;
import io.remora.http.GrpcStatus;
import io.remora.stream.Verdict;

/** Says what an attempt's end means for its endpoint. Immutable. */
public interface Classifier {
    /** A status of 500 and above is the endpoint's failure; whether another attempt may follow is the failure's own. */
    Classifier BY_STATUS = new Classifier() {
        @Override
        public Verdict ofStatus(int status) {
            return status >= 500 ? Verdict.FAILURE : Verdict.SUCCESS;
        }

        @Override
        public Verdict ofFailure(Failure failure) {
            if (!failure.isBackends()) {
                return Verdict.IGNORED;
            }
            return failure.repeat() == Failure.Repeat.NEVER ? Verdict.FAILURE : Verdict.RETRYABLE;
        }
    };

    /** Of an attempt whose response's head came. */
    Verdict ofStatus(int status);

    /** Of an attempt whose call of gRPC came to this; the status of its head was 200. */
    default Verdict ofGrpc(GrpcStatus status) {
        return status.isEndpoints() ? Verdict.FAILURE : Verdict.SUCCESS;
    }

    /** Of an attempt that failed before its response was whole. */
    Verdict ofFailure(Failure failure);
}

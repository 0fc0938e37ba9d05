package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What gRPC says in fields. */
final class GrpcTest {
    // ---- grpc-timeout

    @ParameterizedTest
    @CsvSource({
        "0n, 0",
        "1n, 1",
        "7u, 7000",
        "250m, 250000000",
        "00000250m, 250000000",
        "2S, 2000000000",
        "3M, 180000000000",
        "1H, 3600000000000",
        "99999999S, 99999999000000000"
    })
    void readsATimeout(String text, long ns) {
        assertThat(GrpcTimeout.ns(text)).isEqualTo(ns);
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999H", "99999999M"})
    void saturates(String text) {
        assertThat(GrpcTimeout.ns(text)).isPositive().isLessThanOrEqualTo(GrpcTimeout.MOST_NS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "S",
                "1",
                "1s",
                "1h",
                "123456789m",
                "-1S",
                "+1S",
                " 1S",
                "1S ",
                "1.5S",
                "1 S",
                "1SS",
                "\u0661S"
            })
    void takesNothingElse(String text) {
        assertThat(GrpcTimeout.ns(text)).isEqualTo(GrpcTimeout.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "-5, 1n",
        "0, 1n",
        "99999999, 99999999n",
        "100000000, 100000u",
        "99999999999, 99999999u",
        "100000000000, 100000m",
        "100000000000000, 100000S",
        "100000000000000000, 1666666M",
        "2305843009213693951, 38430716M"
    })
    void writesWhatIsLeft(long ns, String text) {
        assertThat(GrpcTimeout.text(ns)).isEqualTo(text);
    }

    // ---- statuses

    @ParameterizedTest
    @EnumSource
    void eachFailureHasAStatus(Failure failure) {
        assertThat(GrpcStatus.of(failure)).isNotEqualTo(GrpcStatus.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT_FAILED, 14",
        "OVERLOADED, 14",
        "BREAKER_PENDING, 14",
        "NO_ENDPOINT, 14",
        "CUT, 14",
        "STREAM_RESET, 13",
        "CALLER_DEADLINE, 4",
        "TOTAL_TIMEOUT, 4",
        "RESPONSE_TIMEOUT, 4",
        "IDENTITY_REFUSED, 7",
        "CLIENT_DENIED, 7",
        "RATE_LIMITED, 8",
        "NO_ROUTE, 12",
        "BAD_REQUEST, 13",
        "BAD_DTAB, 3",
        "BAD_PATH, 3",
        "BODY_TOO_LARGE, 8",
        "INTERNAL, 13"
    })
    void theTableIsThis(Failure failure, String code) {
        assertThat(GrpcStatus.of(failure).code()).isEqualTo(code);
    }

    @Test
    void readsAStatus() {
        assertThat(GrpcStatus.in(null)).isNull();
        assertThat(GrpcStatus.in(new Fields())).isNull();
        assertThat(GrpcStatus.in(saying("0"))).isEqualTo(GrpcStatus.OK);
        assertThat(GrpcStatus.in(saying("16"))).isEqualTo(GrpcStatus.UNAUTHENTICATED);
        assertThat(GrpcStatus.in(saying("17"))).isEqualTo(GrpcStatus.UNKNOWN);
        assertThat(GrpcStatus.in(saying("OK"))).isEqualTo(GrpcStatus.UNKNOWN);
    }

    private static Fields saying(String status) {
        Fields fields = new Fields();
        fields.set(GrpcStatus.STATUS, status);
        return fields;
    }

    @Test
    void encodesAMessage() {
        assertThat(GrpcStatus.encoded("a b~%\n\u00e9")).isEqualTo("a b~%25%0A%E9");
    }

    @ParameterizedTest
    @CsvSource({
        "application/grpc, true",
        "application/grpc+proto, true",
        "Application/GRPC;x=y, true",
        "application/grpc-web, false",
        "application/grp, false",
        "application/grpcx, false",
        "text/plain, false"
    })
    void knowsACallByItsContentType(String type, boolean grpc) {
        Fields fields = new Fields();
        fields.set(FieldName.CONTENT_TYPE, type);
        assertThat(head(fields).isGrpc()).isEqualTo(grpc);
        assertThat(head(new Fields()).isGrpc()).isFalse();
    }

    private static RequestHead head(Fields fields) {
        return new RequestHead("POST", Octets.of("/"), Octets.of("app"), "2.0", fields, BodyLength.UNKNOWN);
    }
}

package io.remora.probes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One probe of an application, as the pod has it before injection. Immutable.
 *
 * @param name container and kind, such as {@code web/readiness}
 * @param host to connect to; null for the pod's address
 * @param path with a query if there is one; for {@link Kind#HTTP} only
 * @param fields names and values of the request, in turn; for {@link Kind#HTTP} only
 * @param service of gRPC's health service, empty for the server as a whole; for {@link Kind#GRPC} only
 */
public record AppProbe(
        String name,
        Kind kind,
        @Nullable String host,
        int port,
        String path,
        List<String> fields,
        String service,
        long timeoutMs) {
    /** The action of a probe. */
    public enum Kind {
        HTTP,
        /** HTTP over TLS, without a check of the certificate. */
        HTTPS,
        TCP,
        GRPC
    }
}

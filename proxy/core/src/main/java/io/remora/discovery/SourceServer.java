package io.remora.discovery;

import io.remora.config.model.Address;
import io.remora.tls.config.ClusterTls;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server of a source of endpoints over HTTP, with the credentials that the sidecar shows it.
 *
 * @param addresses IP addresses, or one name; empty where the environment of a pod says it
 * @param tokenFile a file with the token that is shown to the server, null for none
 * @param tls null for plain HTTP
 */
public record SourceServer(
        List<Address> addresses,
        @Nullable String tokenFile,
        @Nullable ClusterTls tls) {
    /**
     * Returns whether an address is a name to look up in DNS. An IP address is none, and neither is this host itself.
     */
    public static boolean isName(Address address) {
        return address.host().indexOf(':') < 0 && !Address.isIpV4(address.host()) && !address.isLoopback();
    }
}

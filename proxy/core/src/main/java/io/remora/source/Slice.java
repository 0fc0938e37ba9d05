package io.remora.source;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Needed parts of one EndpointSlice, or of any other object of Kubernetes' API that is sent instead of one.
 *
 * <p>Owner: the source's thread. Cost: an object for each address.
 */
final class Slice {
    /** Name in its metadata. */
    String name = "";

    String version = "";
    String addressType = "";
    final List<Member> members = new ArrayList<>();
    final List<Port> ports = new ArrayList<>();
    /** Code of a Status, which reports an error. */
    long code;

    String message = "";

    boolean isIpV6() {
        return addressType.equals("IPv6");
    }

    boolean hasAddresses() {
        return isIpV6() || addressType.equals("IPv4");
    }

    /** The port that is meant by a name, a number, or by nothing where there is only one; 0 where there is none. */
    int port(@Nullable String wanted) {
        int found = 0;
        for (Port port : ports) {
            if (!port.isTcp) {
                continue;
            }
            if (wanted == null) {
                // which of several is not said
                if (found != 0) {
                    return 0;
                }
                found = port.number;
            } else if (wanted.equals(port.name) || wanted.equals(Integer.toString(port.number))) {
                return port.number;
            } else if (port.number == Port.ALL && wanted.charAt(0) <= '9') {
                found = Integer.parseInt(wanted);
            }
        }
        return Math.max(found, 0);
    }

    /** A port of the slice. */
    static final class Port {
        /** Number that stands for all ports. */
        static final int ALL = -1;

        String name = "";
        int number = ALL;
        boolean isTcp = true;
    }

    /** An endpoint of the slice. */
    static final class Member {
        final InetAddress address;
        final String zone;
        final boolean ready;
        /** Set for an endpoint that is about to end, and serves until then. */
        final boolean leaving;

        Member(InetAddress address, String zone, boolean ready, boolean leaving) {
            this.address = address;
            this.zone = zone;
            this.ready = ready;
            this.leaving = leaving;
        }
    }
}

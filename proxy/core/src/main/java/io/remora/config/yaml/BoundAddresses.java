package io.remora.config.yaml;

import io.remora.config.model.Address;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses that the sidecar will bind, each with its owner. */
final class BoundAddresses {
    private final Problems problems;
    private final List<Address> addresses = new ArrayList<>();
    private final List<String> owners = new ArrayList<>();

    BoundAddresses(Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads an address and puts it down for its owner; it is a problem where another has it already.
     *
     * @return an address in any case; a problem has been reported where it is not the file's own
     */
    Address read(Node node, String owner) {
        return read(node, AddressText.read(node, "address", 0, problems), owner);
    }

    /** Reads an address that may also be a Unix socket. */
    Address readAny(Node node, String owner) {
        return read(node, AddressText.readAny(node, "address", 0, problems), owner);
    }

    private Address read(Node node, @Nullable Address address, String owner) {
        if (address == null) {
            return AddressText.NONE;
        }
        for (int i = 0; i < addresses.size(); i++) {
            if (clash(addresses.get(i), address)) {
                String taken =
                        "address " + node.quoted() + " is already used by " + owners.get(i) + " on " + addresses.get(i);
                problems.at(node, taken + "; use another address");
                break;
            }
        }
        return put(address, owner);
    }

    Address put(Address address, String owner) {
        addresses.add(address);
        owners.add(owner);
        return address;
    }

    /** Returns whether both cannot be bound at once. A wildcard covers both families: sockets are dual-stack. */
    private static boolean clash(Address one, Address other) {
        if (one.isUnix() || other.isUnix()) {
            return one.isUnix() && one.isSame(other);
        }
        return one.port() == other.port()
                && one.port() != 0
                && (one.isWildcard() || other.isWildcard() || one.isSame(other));
    }
}

package dev.varve.platform.intake;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Identifies a client: an IPv4 address, or an IPv6 network of 64 bits, which is the smallest
 * network that a host is assigned.
 *
 * @param network text of the address or network
 */
record ClientAddress(String network) {
    private static final int NETWORK_BYTES = 8;

    static ClientAddress of(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress socket) || socket.getAddress() == null) {
            return new ClientAddress("unknown");
        }
        InetAddress address = socket.getAddress();
        return new ClientAddress(
                address instanceof Inet6Address && !address.isLoopbackAddress()
                        ? HexFormat.of()
                                .formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES))
                        : address.getHostAddress());
    }
}

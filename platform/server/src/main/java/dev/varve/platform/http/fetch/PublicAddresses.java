package dev.varve.platform.http.fetch;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;

/**
 * Tells addresses of the public Internet from those of this machine, of local networks and of the
 * services that clouds offer to their machines.
 */
final class PublicAddresses {
    /** Networks of IANA's registry of special-purpose IPv4 addresses. */
    private static final List<Network> SPECIAL_V4 =
            List.of(
                    Network.of("0.0.0.0", 8),
                    Network.of("10.0.0.0", 8),
                    Network.of("100.64.0.0", 10),
                    Network.of("127.0.0.0", 8),
                    Network.of("169.254.0.0", 16),
                    Network.of("172.16.0.0", 12),
                    Network.of("192.0.0.0", 24),
                    Network.of("192.0.2.0", 24),
                    Network.of("192.88.99.0", 24),
                    Network.of("192.168.0.0", 16),
                    Network.of("198.18.0.0", 15),
                    Network.of("198.51.100.0", 24),
                    Network.of("203.0.113.0", 24),
                    Network.of("224.0.0.0", 3));

    /** All other networks of IPv6 are local, reserved, or lead to IPv4 addresses. */
    private static final Network PUBLIC_V6 = Network.of("2000::", 3);

    /** Parts of it that are for examples, or contain IPv4 addresses. */
    private static final List<Network> SPECIAL_V6 =
            List.of(
                    Network.of("2001::", 23),
                    Network.of("2001:db8::", 32),
                    Network.of("2002::", 16),
                    Network.of("3fff::", 20));

    private PublicAddresses() {}

    /** A network by the first bits of its addresses. */
    private record Network(byte[] address, int bits) {
        static Network of(String address, int bits) {
            return new Network(InetAddress.ofLiteral(address).getAddress(), bits);
        }

        boolean contains(byte[] other) {
            int whole = bits / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (address[i] != other[i]) {
                    return false;
                }
            }
            int rest = bits % Byte.SIZE;
            return rest == 0 || (address[whole] ^ other[whole]) >> Byte.SIZE - rest == 0;
        }
    }

    /** Returns whether an address belongs to the public Internet. */
    static boolean contain(InetAddress address) {
        byte[] bytes = address.getAddress();
        List<Network> special = address instanceof Inet4Address ? SPECIAL_V4 : SPECIAL_V6;
        return special.stream().noneMatch(network -> network.contains(bytes))
                && (address instanceof Inet4Address || PUBLIC_V6.contains(bytes));
    }
}

package dev.varve.plugin.grpc.net;

import dev.varve.api.VarveException;
import dev.varve.api.transport.TransportOptions;

import java.net.InetAddress;
import java.util.List;

/** Encryption of the bytes, as the options and the addresses of both ends require it. */
enum Protection {
    PLAIN_TEXT,
    TLS;

    private static final String FLAGS =
            "--shard-tls-cert and --shard-tls-key (certificate and key of this side),"
                    + " --shard-tls-ca (trusted authorities)";

    /**
     * Returns the protection of a client towards a server that may be at any of these addresses.
     *
     * @throws VarveException of kind INVALID_REQUEST if no option says how to trust a server on
     *     another machine
     */
    static Protection ofClient(
            HostPort target, List<InetAddress> addresses, TransportOptions options) {
        if (options.identity().isPresent() || options.trusted().isPresent()) {
            return TLS;
        }
        if (options.insecure() || addresses.stream().allMatch(InetAddress::isLoopbackAddress)) {
            return PLAIN_TEXT;
        }
        throw refused(
                target
                        + ": plain text must not leave this machine; set "
                        + FLAGS
                        + ", or --shard-insecure");
    }

    /**
     * Returns the protection of a listener.
     *
     * @throws VarveException of kind INVALID_REQUEST if strangers could connect or read the data
     */
    static Protection ofListener(HostPort address, InetAddress local, TransportOptions options) {
        if (options.trusted().isPresent() && options.identity().isEmpty()) {
            throw refused(
                    address
                            + ": --shard-tls-ca requires certificates of clients, which needs a"
                            + " certificate of this side: set --shard-tls-cert and"
                            + " --shard-tls-key");
        }
        boolean reachable = !local.isLoopbackAddress() && !options.insecure();
        if (options.identity().isEmpty()) {
            if (reachable) {
                throw refused(
                        address
                                + ": plain text must not leave this machine; set "
                                + FLAGS
                                + ", --shard-token-file, or --shard-insecure");
            }
            return PLAIN_TEXT;
        }
        if (reachable && options.trusted().isEmpty() && options.token().isEmpty()) {
            throw refused(
                    address
                            + ": any machine could connect; set --shard-tls-ca (clients present a"
                            + " certificate), --shard-token-file (clients send a secret), or"
                            + " --shard-insecure");
        }
        return TLS;
    }

    private static VarveException refused(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}

package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Where the server listens.
 *
 * @param host address to bind
 * @param port port to bind, 0 for any free one
 */
public record ListenAddress(String host, int port) {
    /** Loopback, any free port. */
    public static final ListenAddress LOOPBACK = new ListenAddress("127.0.0.1", 0);

    private static final int MAX_PORT = 65535;

    /** Checks both; the host need not exist yet. */
    public ListenAddress {
        // The address of nothing is loopback's, but listening on nothing is listening everywhere.
        if (Optional.ofNullable(host).orElse("").isBlank()) {
            throw invalid(Setting.HOST + ": expected an address, found none");
        }
        if (port < 0 || port > MAX_PORT) {
            throw invalid(Setting.PORT + ": expected 0 to 65535, found " + port);
        }
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }

    /** Whether only programs on this machine can reach it. */
    boolean isLoopback() {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.HOST + ": no such address: " + host,
                    e);
        }
    }
}

package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Address on which the server listens.
 *
 * @param host address to bind
 * @param port port to bind, 0 for any free one
 * @param basePath prefix of all paths behind a proxy, such as {@code /varve}; empty for none
 */
public record ListenAddress(String host, int port, String basePath) {
    private static final int MAX_PORT = 65535;

    /** Segments without escapes and without dot segments. */
    private static final Pattern BASE_PATH =
            Pattern.compile("(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)*");

    /** Loopback, any free port. */
    public static final ListenAddress LOOPBACK = new ListenAddress("127.0.0.1", 0);

    /** Makes an address without a base path. */
    public ListenAddress(String host, int port) {
        this(host, port, "");
    }

    /** Checks the values; the host need not exist yet. */
    public ListenAddress {
        // A blank host resolves to loopback, but binding it listens on all addresses.
        if (Optional.ofNullable(host).orElse("").isBlank()) {
            throw invalid(Setting.HOST + ": expected an address, found none");
        }
        if (port < 0 || port > MAX_PORT) {
            throw invalid(Setting.PORT + ": expected 0 to 65535, found " + port);
        }
        if (!BASE_PATH.matcher(basePath).matches()) {
            throw invalid(
                    Setting.BASE_PATH
                            + ": expected a path such as /varve, without a trailing slash, found "
                            + basePath);
        }
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }

    /** Returns whether only programs on this machine can reach the address. */
    boolean isLoopback() {
        return resolve().isLoopbackAddress();
    }

    /**
     * Resolves the host, which takes long if a name server does not respond.
     *
     * @throws VarveException of kind UNAVAILABLE if it does not exist
     */
    public void requireExisting() {
        resolve();
    }

    private InetAddress resolve() {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            if (host.contains("/") || host.matches("[^:]*:[0-9]+")) {
                throw invalid(
                        Setting.HOST
                                + ": expected a name or an address without scheme and port, which"
                                + " is for "
                                + Setting.PORT
                                + "; found "
                                + host);
            }
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    Setting.HOST + ": no such address: " + host,
                    e);
        }
    }
}

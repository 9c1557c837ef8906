package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.intake.IntakeLimits;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How the server listens.
 *
 * @param host address to bind
 * @param port port to bind, 0 for any free one
 * @param apiKeys keys of which every request must bring one; empty: no key needed
 * @param insecure whether to listen on other addresses than loopback without a key
 * @param pages which web pages may call
 * @param limits what clients may take
 */
public record HttpOptions(
        String host,
        int port,
        Set<String> apiKeys,
        boolean insecure,
        PageAccess pages,
        IntakeLimits limits) {
    public HttpOptions {
        apiKeys = Set.copyOf(apiKeys);
        Objects.requireNonNull(pages);
        Objects.requireNonNull(limits);
        // The address of nothing is loopback's, but listening on nothing is listening everywhere.
        if (Optional.ofNullable(host).orElse("").isBlank()) {
            throw invalid("--host: expected an address, found none");
        }
        if (port < 0 || port > 65535) {
            throw invalid("--port: expected 0 to 65535, found " + port);
        }
        if (apiKeys.stream().anyMatch(String::isBlank)) {
            throw invalid("--api-key: expected a key, found an empty one");
        }
        if (apiKeys.isEmpty() && !insecure && !isLoopback(host)) {
            throw invalid(
                    "--host "
                            + host
                            + " is reachable from other machines: give an API key (--api-key,"
                            + " --api-key-file or VARVE_API_KEY), or listen on 127.0.0.1, or say"
                            + " --insecure to let everybody in");
        }
    }

    /** Loopback, any free port, no key. */
    public static HttpOptions loopback() {
        return new HttpOptions(
                "127.0.0.1", 0, Set.of(), false, PageAccess.NONE, IntakeLimits.DEFAULT);
    }

    /** The same with other limits. */
    public HttpOptions withLimits(IntakeLimits other) {
        return new HttpOptions(host, port, apiKeys, insecure, pages, other);
    }

    /** The same with other pages. */
    public HttpOptions withPages(PageAccess other) {
        return new HttpOptions(host, port, apiKeys, insecure, other, limits);
    }

    static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST, "--host: no such address: " + host, e);
        }
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}

package dev.varve.plugin.grpc.net;

import dev.varve.api.VarveException;

/**
 * A host and a port, as in {@code box:7700} or {@code [fe80::1]:7700}.
 *
 * @param host name or address, without brackets
 * @param port 0 to 65535
 */
record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;

    /** Parses an address to listen at; port 0 lets the system choose one. */
    static HostPort parse(String address) {
        int colon = address.lastIndexOf(':');
        String port = address.substring(colon + 1);
        if (colon <= 0 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MAX_PORT) {
            throw malformed(address);
        }
        return new HostPort(host(address, address.substring(0, colon)), Integer.parseInt(port));
    }

    /** Parses an address to connect to. */
    static HostPort parseTarget(String address) {
        HostPort target = parse(address);
        if (target.port == 0) {
            throw malformed(address);
        }
        return target;
    }

    private static String host(String address, String text) {
        if (text.startsWith("[") && text.endsWith("]")) {
            String inner = text.substring(1, text.length() - 1);
            if (!inner.matches("[0-9A-Fa-f:.]+(%[0-9A-Za-z._-]+)?") || !inner.contains(":")) {
                throw malformed(address);
            }
            return inner;
        }
        if (!text.matches("[0-9A-Za-z._-]+")) {
            throw malformed(address);
        }
        return text;
    }

    private static VarveException malformed(String address) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "grpc:" + address + ": expected grpc:HOST:PORT or grpc:[IPV6]:PORT");
    }

    /** Returns the same host with another port. */
    HostPort withPort(int other) {
        return new HostPort(host, other);
    }

    /** Host and port as in the {@code :authority} of a call. */
    String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** The full address, with the scheme. */
    @Override
    public String toString() {
        return "grpc:" + authority();
    }
}

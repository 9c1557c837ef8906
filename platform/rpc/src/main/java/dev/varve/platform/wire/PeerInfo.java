package dev.varve.platform.wire;

/**
 * Identity of the other side, as it reports it.
 *
 * @param address in the notation of the connection
 * @param role its role
 * @param buildId its build
 */
public record PeerInfo(String address, String role, String buildId) {}

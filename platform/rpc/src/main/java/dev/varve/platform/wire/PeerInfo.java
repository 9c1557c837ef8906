package dev.varve.platform.wire;

/**
 * What the other side said of itself.
 *
 * @param address as the connection names it
 * @param role what it is
 * @param buildId which build it is
 */
public record PeerInfo(String address, String role, String buildId) {}

package dev.varve.platform.wire;

/**
 * How much one side takes from the other.
 *
 * @param maxFrameBytes most payload bytes of one frame; the smaller one of both sides counts
 * @param byteCredit most bytes of requests that the side holds at once, the same again of results;
 *     also the largest message that it takes
 * @param requestCredit most requests that the side works on at once
 */
public record WireLimits(int maxFrameBytes, long byteCredit, int requestCredit) {}

package dev.varve.platform.wire;

/**
 * Limits of one side on data from the other side.
 *
 * @param maxFrameBytes most payload bytes of one frame; the smaller value of both sides applies
 * @param byteCredit most bytes of requests that the side holds at once, and the same amount of
 *     results; also the largest message that it accepts
 * @param requestCredit most requests that the side processes at once
 */
public record WireLimits(int maxFrameBytes, long byteCredit, int requestCredit) {}

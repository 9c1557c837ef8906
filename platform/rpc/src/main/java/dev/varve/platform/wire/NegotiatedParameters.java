package dev.varve.platform.wire;

/**
 * Parameters that both sides negotiated.
 *
 * @param peer the other side
 * @param firstId first request id of this side: 1 if it connected, else 2
 * @param maxFrameBytes largest frame, both ways
 * @param peerByteCredit bytes of requests that this side may have in flight
 * @param peerRequestCredit requests that this side may have in flight
 */
record NegotiatedParameters(
        PeerInfo peer,
        long firstId,
        int maxFrameBytes,
        long peerByteCredit,
        int peerRequestCredit) {
    /**
     * Returns the bytes of results that may be in flight. It is an eighth more than the largest
     * message, so that credit can be returned in batches of that size and every message still fits.
     */
    static long replyWindow(long byteCredit) {
        return byteCredit + batch(byteCredit);
    }

    static long batch(long byteCredit) {
        return byteCredit / 8;
    }

    /** Whether a request id belongs to the other side. */
    boolean isPeerId(long id) {
        return id > 0 && id % 2 != firstId % 2;
    }
}

package dev.varve.platform.wire;

/**
 * What both sides agreed on.
 *
 * @param peer who the other side is
 * @param firstId first request id of this side: 1 if it connected, else 2
 * @param maxFrameBytes largest frame, both ways
 * @param peerByteCredit what this side may have under way at the other one
 * @param peerRequestCredit requests likewise
 */
record NegotiatedParameters(
        PeerInfo peer,
        long firstId,
        int maxFrameBytes,
        long peerByteCredit,
        int peerRequestCredit) {
    /**
     * Bytes of results that may be under way. An eighth more than the largest message, so that
     * credit can be given back in batches of that size and still every message finds room.
     */
    static long replyWindow(long byteCredit) {
        return byteCredit + batch(byteCredit);
    }

    static long batch(long byteCredit) {
        return byteCredit / 8;
    }

    /** Whether a request id is one of the other side's. */
    boolean isPeerId(long id) {
        return id > 0 && id % 2 != firstId % 2;
    }
}

package dev.varve.platform.compression;

/** What becomes of a prompt. */
public enum CompressionDecision {
    /** It stays as it is: it is short, or nobody wants it otherwise. */
    VERBATIM,
    /**
     * It stays as it is, since it continues a conversation whose computed beginning would be lost.
     */
    VERBATIM_CONTINUATION,
    /**
     * It stays as it is, so that later turns of its conversation can go on from what is computed
     * for it. One that does not fit is refused.
     */
    VERBATIM_FIRST_TURN,
    /** Old messages of it shrink, and what they have become is used in all later turns. */
    BY_MESSAGE,
    /** It shrinks as a whole. */
    WHOLE;

    /** Whether anything may be left out. */
    public boolean compresses() {
        return this == BY_MESSAGE || this == WHOLE;
    }
}

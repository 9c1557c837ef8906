package dev.varve.platform.compression;

/** How a prompt is treated. */
public enum CompressionDecision {
    /** Not compressed: the prompt is short, or compression is off. */
    VERBATIM,
    /** Not compressed: the prompt continues a conversation, and its cached prefix would be lost. */
    VERBATIM_CONTINUATION,
    /**
     * Not compressed, so that later turns of its conversation can reuse the cached prefix. A prompt
     * that does not fit the context is rejected.
     */
    VERBATIM_FIRST_TURN,
    /** Old messages are compressed, and all later turns use their compressed texts. */
    BY_MESSAGE,
    /** Compressed as a whole. */
    WHOLE
}

package dev.varve.api.vision;

/** Which tokens of an image a token of it attends to, in the model that the rows enter. */
public enum ImageAttention {
    /** Those before it, as in text. */
    CAUSAL,
    /** In layers with sliding windows all of them, and in others those before it. */
    BIDIRECTIONAL_IN_WINDOWS
}

package dev.varve.api.vision;

/** Positions that the tokens of an image have for rotary embeddings. */
public enum ImagePositions {
    /** Each token one more than the one before, as in text. */
    LINE,
    /**
     * On three axes: an image that begins at position P has, in row r and column c, P on the time
     * axis, P + r on the height axis and P + c on the width axis. The next token has P plus the
     * larger of the image's rows and columns on all of them.
     */
    GRID
}

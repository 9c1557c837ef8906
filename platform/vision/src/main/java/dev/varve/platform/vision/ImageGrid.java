package dev.varve.platform.vision;

/**
 * Tokens of an image.
 *
 * @param columns tokens side by side
 * @param rows tokens one below the other
 */
public record ImageGrid(int columns, int rows) {
    /** Number of tokens. */
    public int tokens() {
        return columns * rows;
    }
}

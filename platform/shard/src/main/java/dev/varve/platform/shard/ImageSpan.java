package dev.varve.platform.shard;

import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;

import java.util.Objects;

/**
 * Place of an image in a sequence. Its tokens are the image's rows from the top, each from the
 * left.
 *
 * @param begin index of its first token in the sequence
 * @param columns tokens side by side
 * @param rows tokens one below the other
 * @param positions positions of its tokens
 * @param attention which tokens of the image its tokens attend to
 */
public record ImageSpan(
        int begin, int columns, int rows, ImagePositions positions, ImageAttention attention) {
    /** Checks that there are tokens. */
    public ImageSpan {
        if (begin < 0 || columns < 1 || rows < 1) {
            throw new IllegalArgumentException(
                    "invalid image of " + columns + "x" + rows + " tokens at " + begin);
        }
        Math.addExact(begin, Math.multiplyExact(columns, rows));
        Objects.requireNonNull(positions);
        Objects.requireNonNull(attention);
    }

    /** Creates the place of an image whose tokens attend causally. */
    public ImageSpan(int begin, int columns, int rows, ImagePositions positions) {
        this(begin, columns, rows, positions, ImageAttention.CAUSAL);
    }

    /** Number of its tokens. */
    public int tokens() {
        return columns * rows;
    }

    /**
     * Whether its tokens attend to one another in sliding layers, so that one batch has to compute
     * all of them.
     */
    public boolean isIndivisible() {
        return attention == ImageAttention.BIDIRECTIONAL_IN_WINDOWS;
    }

    /** Index of the token after it. */
    public int end() {
        return begin + tokens();
    }

    /** Difference of index and position of the tokens after it that the image adds. */
    int shift() {
        return positions == ImagePositions.GRID ? tokens() - Math.max(columns, rows) : 0;
    }
}

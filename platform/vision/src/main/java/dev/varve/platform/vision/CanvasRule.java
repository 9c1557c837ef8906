package dev.varve.platform.vision;

import dev.varve.api.vision.ImageInput;

/**
 * Chooses the canvas of an image: its sides are rounded to multiples of the square that becomes one
 * token, and scaled if the tokens exceed their limits. Computed in single precision like the
 * programs whose token counts clients expect.
 *
 * @param align side in pixels of the square that becomes one token
 * @param minTokens smaller images are enlarged to about as many tokens
 * @param maxTokens larger images are reduced to at most as many tokens
 */
public record CanvasRule(int align, int minTokens, int maxTokens) {
    /** Checks the limits. */
    public CanvasRule {
        if (align < 1 || minTokens < 1 || maxTokens < minTokens) {
            throw new IllegalArgumentException(
                    "invalid rule: " + align + ", " + minTokens + " to " + maxTokens + " tokens");
        }
    }

    /** The rule of an encoder. */
    public static CanvasRule of(ImageInput input) {
        return new CanvasRule(input.align(), input.minTokens(), input.maxTokens());
    }

    /**
     * Returns the rule with another maximum.
     *
     * @param tokens at least 1; larger than the present maximum changes nothing
     */
    public CanvasRule limitedTo(int tokens) {
        int most = Math.min(maxTokens, tokens);
        return new CanvasRule(align, Math.min(minTokens, most), most);
    }

    /**
     * Returns the canvas of an image.
     *
     * @param width in pixels, at least 1
     * @param height in pixels, at least 1
     */
    public CanvasSize canvas(int width, int height) {
        long square = (long) align * align;
        long least = minTokens * square;
        long most = maxTokens * square;
        int across = rounded(width);
        int down = rounded(height);
        long pixels = (long) across * down;
        float given = (float) ((long) width * height);
        if (pixels > most) {
            float reduction = (float) Math.sqrt(given / most);
            return new CanvasSize(floored(width / reduction), floored(height / reduction));
        }
        if (pixels < least) {
            float growth = (float) Math.sqrt(least / given);
            return new CanvasSize(ceiled(width * growth), ceiled(height * growth));
        }
        return new CanvasSize(across, down);
    }

    private int rounded(int side) {
        return Math.max(align, align * Math.round((float) side / align));
    }

    private int floored(float side) {
        return Math.max(align, align * (int) Math.floor(side / align));
    }

    private int ceiled(float side) {
        return align * (int) Math.ceil(side / align);
    }

    /** Number of tokens of a canvas. */
    public int tokens(CanvasSize canvas) {
        return columns(canvas) * rows(canvas);
    }

    /** Number of tokens side by side. */
    public int columns(CanvasSize canvas) {
        return canvas.width() / align;
    }

    /** Number of tokens one below the other. */
    public int rows(CanvasSize canvas) {
        return canvas.height() / align;
    }
}

package dev.varve.plugin.qwen35;

import dev.varve.api.vision.ImagePixels;

/**
 * Order of the patches of an image: blocks of 2x2 patches, which become one token, follow one
 * another in raster order, and so do the patches of a block.
 *
 * @param columns patches side by side, even
 * @param rows patches one below the other, even
 */
record PatchGrid(int columns, int rows) {
    private static final int MERGE = Qwen3VlSizes.MERGE;

    /** Number of patches. */
    int patches() {
        return columns * rows;
    }

    /** Column of a patch. */
    int column(int patch) {
        int block = patch / (MERGE * MERGE);
        return block % (columns / MERGE) * MERGE + patch % MERGE;
    }

    /** Row of a patch. */
    int row(int patch) {
        int block = patch / (MERGE * MERGE);
        return block / (columns / MERGE) * MERGE + patch / MERGE % MERGE;
    }

    /**
     * Values of each patch: {@code [side * side * 3, patches]}, column, row, channel.
     *
     * @param side of a patch in pixels
     */
    float[] values(ImagePixels pixels, int side) {
        int length = side * side * ImagePixels.CHANNELS;
        float[] values = new float[Math.multiplyExact(length, patches())];
        int at = 0;
        for (int patch = 0; patch < patches(); patch++) {
            for (int channel = 0; channel < ImagePixels.CHANNELS; channel++) {
                for (int y = 0; y < side; y++) {
                    int from = pixels.offset(channel, column(patch) * side, row(patch) * side + y);
                    System.arraycopy(pixels.values(), from, values, at, side);
                    at += side;
                }
            }
        }
        return values;
    }

    /** Positions for the rotation, {@code [4 * patches]}: row, column, row, column. */
    int[] positions() {
        int count = patches();
        int[] positions = new int[4 * count];
        for (int patch = 0; patch < count; patch++) {
            positions[patch] = row(patch);
            positions[count + patch] = column(patch);
            positions[2 * count + patch] = row(patch);
            positions[3 * count + patch] = column(patch);
        }
        return positions;
    }
}

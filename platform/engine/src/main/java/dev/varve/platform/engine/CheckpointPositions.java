package dev.varve.platform.engine;

import java.util.Arrays;

/**
 * Chooses the checkpoint positions of a prompt: those where other prompts are likely to diverge
 * from it. These are the first boundary (the end of the part before the first message that
 * changes), the last two boundaries (the start of the last message and the end of the prompt), and
 * others that are not too near to each other. A long prompt also has checkpoints at regular
 * distances. A prompt without boundaries has one near its end.
 */
final class CheckpointPositions {
    /**
     * Minimum distance of two checkpoints in tokens; not applied to the first and the last ones.
     */
    private static final int LEAST = 256;

    /** Maximum distance of two checkpoints of a short prompt in tokens; whole prefill windows. */
    private static final int MAX_DISTANCE = 2048;

    /** Positions that are not boundaries are multiples of this. */
    static final int NEAR = 32;

    /** Approximate number of checkpoints of a long prompt. */
    private static final int MANY = 16;

    /** Number of last boundaries that are always kept. */
    private static final int LAST = 2;

    private CheckpointPositions() {}

    /** Returns the positions, ascending. */
    static int[] of(GenerationRequest.Prompt prompt) {
        if (!prompt.scope().isCached()) {
            return new int[0];
        }
        int[] boundaries = prompt.boundaries();
        int distance = Math.max(LEAST, prompt.length() / MANY);
        int farthest = Math.max(1, prompt.length() / MANY / MAX_DISTANCE) * MAX_DISTANCE;
        int[] kept = new int[boundaries.length + prompt.length() / farthest + 1];
        int count = 0;
        for (int i = 0; i < boundaries.length; i++) {
            int boundary = boundaries[i];
            count = fill(kept, count, farthest, boundary);
            int last = count == 0 ? 0 : kept[count - 1];
            if (i == 0 || i >= boundaries.length - LAST || boundary - last >= distance) {
                kept[count++] = boundary;
            }
        }
        count = fill(kept, count, farthest, prompt.length());
        if (boundaries.length == 0) {
            count = addNearEnd(kept, count, prompt.length());
        }
        return Arrays.copyOf(kept, count);
    }

    /** Adds a position near the end, so that a repeated prompt computes only its last tokens. */
    private static int addNearEnd(int[] kept, int count, int length) {
        int near = (length - 1) / NEAR * NEAR;
        int last = count == 0 ? 0 : kept[count - 1];
        if (near - last < LEAST / 2) {
            return count;
        }
        kept[count] = near;
        return count + 1;
    }

    /** Adds positions at regular distances between the last one and the next. */
    private static int fill(int[] kept, int count, int farthest, int next) {
        int added = count;
        int last = count == 0 ? 0 : kept[count - 1];
        for (int at = (last / farthest + 1) * farthest; at < next; at += farthest) {
            if (at - last >= farthest / 2) {
                kept[added++] = at;
                last = at;
            }
        }
        return added;
    }
}

package dev.varve.platform.engine;

import java.util.Arrays;

/**
 * At which positions of a prompt its state is kept: where other prompts are likely to part from it.
 * Those are the end of what comes before the first message that changes, the begin of the last
 * message, the end of the prompt, and others that are not too near to each other; without
 * boundaries a long prompt has some at regular distances, and one near its end.
 */
final class CheckpointPositions {
    /** Least tokens between two of them, except for the first and the last ones. */
    private static final int LEAST = 256;

    /** Most tokens between two of them in a short prompt; whole windows of prefill. */
    private static final int FARTHEST = 2048;

    /** Where nothing else is known of a prompt, positions are multiples of that. */
    static final int NEAR = 32;

    /** About as many positions of a long prompt are kept. */
    private static final int MANY = 16;

    /** Last boundaries that are always kept. */
    private static final int LAST = 2;

    private CheckpointPositions() {}

    /** The positions, ascending. */
    static int[] of(GenerationRequest.Prompt prompt) {
        if (!prompt.scope().keeps()) {
            return new int[0];
        }
        int[] boundaries = prompt.boundaries();
        int distance = Math.max(LEAST, prompt.length() / MANY);
        int farthest = Math.max(1, prompt.length() / MANY / FARTHEST) * FARTHEST;
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

    /** For those who ask the same again: the last tokens are computed together with others. */
    private static int addNearEnd(int[] kept, int count, int length) {
        int near = (length - 1) / NEAR * NEAR;
        int last = count == 0 ? 0 : kept[count - 1];
        if (near - last < LEAST / 2) {
            return count;
        }
        kept[count] = near;
        return count + 1;
    }

    /** Adds positions between the last one and the next. */
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

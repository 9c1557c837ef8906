package dev.varve.platform.prefix;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Chooses the positions of a handed prompt at which the peer keeps checkpoints. The peer stores
 * blocks together with the next checkpoint, so that this server can read them early.
 */
final class HandOffBoundaries {
    /** Distance of added positions in tokens; whole prefill windows. */
    private static final int SPACING = 1024;

    /** Tokens of a prompt that gets no further positions: a peer adds some to a long one itself. */
    private static final int LONG = 8 * SPACING;

    private HandOffBoundaries() {}

    /**
     * Returns the positions, ascending; the last one is the end of the handed tokens.
     *
     * @param all boundaries of the prompt, ascending
     * @param end number of handed tokens
     * @param forgets whether a checkpoint has states, so that further ones cost memory
     */
    static int[] of(int[] all, int end, boolean forgets) {
        IntStream own = Arrays.stream(all).filter(boundary -> boundary < end);
        IntStream further = forgets || end > LONG ? IntStream.empty() : further(all, end);
        return IntStream.concat(IntStream.concat(own, further).sorted(), IntStream.of(end))
                .toArray();
    }

    /** Positions at regular distances; a peer may leave out one of two near checkpoints. */
    private static IntStream further(int[] all, int end) {
        return IntStream.rangeClosed(1, (end - 1) / SPACING)
                .map(i -> i * SPACING)
                .filter(
                        at ->
                                IntStream.concat(Arrays.stream(all), IntStream.of(end))
                                        .noneMatch(other -> Math.abs(other - at) < SPACING / 2));
    }
}

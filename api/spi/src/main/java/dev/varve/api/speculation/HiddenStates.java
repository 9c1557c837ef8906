package dev.varve.api.speculation;

import java.util.List;

/**
 * Hidden states of consecutive tokens of a sequence.
 *
 * @param sequence its number
 * @param firstPosition position of the first token
 * @param tokens number of tokens
 * @param layers one for each layer that the speculator requested, in its order
 */
public record HiddenStates(long sequence, int firstPosition, int tokens, List<Layer> layers) {
    /** Copies the list. */
    public HiddenStates {
        layers = List.copyOf(layers);
        if (firstPosition < 0 || tokens < 1) {
            throw new IllegalArgumentException(
                    "hidden states need at least 1 token and no negative position, got "
                            + tokens
                            + " tokens from position "
                            + firstPosition);
        }
    }

    /**
     * Hidden states that entered a layer.
     *
     * @param layer its index; the number of layers stands for the last layer's output
     * @param values {@code F32 [embeddingLength, columns]}, column by column, including columns of
     *     other tokens; valid during the call and not to be modified
     * @param firstColumn column of the first token
     */
    public record Layer(int layer, float[] values, int firstColumn) {}
}

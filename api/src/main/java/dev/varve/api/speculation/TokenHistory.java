package dev.varve.api.speculation;

/** The tokens of a sequence, which only ever become more. */
public interface TokenHistory {
    /** Number of tokens, at least one. */
    int size();

    /**
     * The token at a position.
     *
     * @throws IndexOutOfBoundsException if there is none
     */
    int get(int position);
}

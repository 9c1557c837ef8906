package dev.varve.api.speculation;

/** The tokens of a sequence; tokens are only appended. */
public interface TokenHistory {
    /** Number of tokens, at least one. */
    int size();

    /**
     * Returns the token at a position.
     *
     * @throws IndexOutOfBoundsException if there is none
     */
    int get(int position);
}

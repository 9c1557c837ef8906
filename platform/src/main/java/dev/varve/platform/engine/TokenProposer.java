package dev.varve.platform.engine;

/**
 * Guesses how a sequence goes on, so that one forward can check several tokens at once. A guess
 * changes how long tokens take and never which ones they are. Only the engine's thread calls it.
 */
@FunctionalInterface
interface TokenProposer {
    /** Guesses nothing: every forward gives one token. */
    TokenProposer NONE = (request, most) -> new int[0];

    /**
     * Tokens that may follow those of a request in decode.
     *
     * @param most how many can be of use, 0 or more
     * @return up to that many, all of them in the vocabulary; none if there is no good guess
     */
    int[] propose(Request request, int most);
}

package dev.varve.bench.http.stream;

/**
 * Tokens of the prompt and of the answer, as the server reports them.
 *
 * @param cachedTokens tokens of the prompt that were not computed; 0 if the server reports none
 */
public record Usage(int promptTokens, int completionTokens, int cachedTokens) {
    /** Creates the usage of a prompt that was computed whole. */
    public Usage(int promptTokens, int completionTokens) {
        this(promptTokens, completionTokens, 0);
    }
}

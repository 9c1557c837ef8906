package dev.varve.fleet;

import dev.varve.platform.replica.PromptBlockHashes;

/**
 * A request of a session. Its prompt begins with a system prompt that many sessions share, and then
 * contains the earlier turns of its session.
 *
 * @param session number of the session, unique and not negative
 * @param system number of the system prompt, not negative
 * @param systemTokens tokens of the system prompt
 * @param promptTokens all tokens of the prompt
 * @param outputTokens tokens of the response, at least one
 */
public record Turn(long session, int system, int systemTokens, int promptTokens, int outputTokens) {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    /** Checks the numbers of tokens. */
    public Turn {
        if (outputTokens < 1 || promptTokens < 1 || systemTokens > promptTokens) {
            throw new IllegalArgumentException(
                    "expected a system prompt within the prompt and a response, got "
                            + systemTokens
                            + ", "
                            + promptTokens
                            + " and "
                            + outputTokens
                            + " tokens");
        }
    }

    /** Returns a hash of the session, not negative: a router's choice without knowledge. */
    public int sessionHash() {
        return (int) ((session + 1) * MULTIPLIER >>> 33);
    }

    /** Returns the hashes of the prompt's blocks. */
    PromptBlockHashes blocks() {
        long[] chain = new long[promptTokens / PromptBlockHashes.TOKENS];
        int shared = systemTokens / PromptBlockHashes.TOKENS;
        for (int block = 0; block < chain.length; block++) {
            chain[block] = block < shared ? mix(~system, block) : mix(session, block);
        }
        return PromptBlockHashes.of(chain, promptTokens);
    }

    private static long mix(long text, int block) {
        long mixed = (text * 31 + 7) * MULTIPLIER + block;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}

package dev.varve.platform.replica;

import dev.varve.platform.engine.GenerationRequest.Prompt;

/**
 * Hashes of the blocks of a prompt. Each hash covers all tokens from the first one to the end of
 * its block, and the cache scope. Prompts with a common hash begin alike, except for collisions; a
 * collision sends a request to a replica without its prefix.
 */
public final class PromptBlockHashes {
    /** Tokens of a block. */
    public static final int TOKENS = 32;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long[] chain;
    private final int tokens;

    private PromptBlockHashes(long[] chain, int tokens) {
        this.chain = chain;
        this.tokens = tokens;
    }

    /** Returns the hashes of the whole blocks of a prompt; none if its scope keeps nothing. */
    static PromptBlockHashes of(Prompt prompt) {
        int[] tokens = prompt.tokens();
        long[] chain = new long[prompt.scope().isCached() ? tokens.length / TOKENS : 0];
        long state = mix(prompt.scope().identity().hashCode());
        for (int block = 0; block < chain.length; block++) {
            for (int i = block * TOKENS; i < (block + 1) * TOKENS; i++) {
                state = mix(state ^ tokens[i]);
            }
            chain[block] = state;
        }
        return new PromptBlockHashes(chain, tokens.length);
    }

    /**
     * Returns hashes that are known, such as those of a synthetic prompt without tokens.
     *
     * @param chain hash of each whole block in order
     * @param tokens number of tokens of the prompt, at least those of its blocks
     */
    public static PromptBlockHashes of(long[] chain, int tokens) {
        if (tokens < chain.length * TOKENS) {
            throw new IllegalArgumentException(
                    chain.length + " blocks have more than " + tokens + " tokens");
        }
        return new PromptBlockHashes(chain.clone(), tokens);
    }

    private static long mix(long value) {
        long mixed = (value + 1) * MULTIPLIER;
        mixed ^= mixed >>> 32;
        mixed *= MULTIPLIER;
        return mixed ^ mixed >>> 29;
    }

    /** Returns the number of tokens of the whole prompt. */
    public int tokens() {
        return tokens;
    }

    /** Returns the number of whole blocks. */
    public int count() {
        return chain.length;
    }

    /** Returns the hash of a block, which covers all tokens up to its end. */
    public long get(int block) {
        return chain[block];
    }
}

package dev.varve.platform.replica;

import dev.varve.platform.engine.GenerationRequest.Prompt;

/**
 * The blocks of a prompt, each by a number that stands for all tokens from the first one to its
 * end, and for who may continue them. Two prompts with a number in common begin alike, as good as
 * certainly; where they do not, a request goes to a replica that knows nothing of it.
 */
final class PromptBlockHashes {
    /** Tokens of a block. */
    static final int TOKENS = 32;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long[] chain;
    private final int tokens;

    private PromptBlockHashes(long[] chain, int tokens) {
        this.chain = chain;
        this.tokens = tokens;
    }

    /** The whole blocks of a prompt; none if nothing of it is kept. */
    static PromptBlockHashes of(Prompt prompt) {
        int[] tokens = prompt.tokens();
        long[] chain = new long[prompt.scope().keeps() ? tokens.length / TOKENS : 0];
        long state = mix(prompt.scope().name().hashCode());
        for (int block = 0; block < chain.length; block++) {
            for (int i = block * TOKENS; i < (block + 1) * TOKENS; i++) {
                state = mix(state ^ tokens[i]);
            }
            chain[block] = state;
        }
        return new PromptBlockHashes(chain, tokens.length);
    }

    private static long mix(long value) {
        long mixed = (value + 1) * MULTIPLIER;
        mixed ^= mixed >>> 32;
        mixed *= MULTIPLIER;
        return mixed ^ mixed >>> 29;
    }

    /** Tokens of the whole prompt. */
    int tokens() {
        return tokens;
    }

    int count() {
        return chain.length;
    }

    long get(int block) {
        return chain[block];
    }
}

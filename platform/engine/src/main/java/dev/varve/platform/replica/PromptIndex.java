package dev.varve.platform.replica;

import java.util.LinkedHashMap;

/**
 * What a replica is likely to have of prompts: those that it was given, as far as its caches hold
 * that many tokens, the ones used last. Its own caches know better, but only between two steps.
 * Thread-safe.
 */
final class PromptIndex {
    private static final long LEAST_BLOCKS = 64;

    /** Blocks in the order of their last use. */
    private final LinkedHashMap<Long, Boolean> blocks = new LinkedHashMap<>(1024, 0.75f, true);

    private long mostBlocks;

    /**
     * @param tokens what the replica's caches hold
     */
    PromptIndex(long tokens) {
        mostBlocks = Math.max(LEAST_BLOCKS, tokens / PromptBlockHashes.TOKENS);
    }

    /** Leading tokens of a prompt that are likely to be there. */
    synchronized int cached(PromptBlockHashes prompt) {
        int block = 0;
        while (block < prompt.count() && blocks.containsKey(prompt.get(block))) {
            block++;
        }
        return block * PromptBlockHashes.TOKENS;
    }

    /** Tokens for which others would have to give way if so many were computed. */
    synchronized long displaced(long tokens) {
        return Math.max(0, used() + tokens - mostBlocks * PromptBlockHashes.TOKENS);
    }

    /** Tokens that are likely to be there. */
    synchronized long used() {
        return (long) blocks.size() * PromptBlockHashes.TOKENS;
    }

    /** Takes note of a prompt that is being computed. */
    synchronized void add(PromptBlockHashes prompt) {
        // The end first: what many have in common is used last, and stays longest.
        for (int block = prompt.count() - 1; block >= 0; block--) {
            blocks.put(prompt.get(block), Boolean.TRUE);
        }
        trim();
    }

    private void trim() {
        while (blocks.size() > mostBlocks) {
            blocks.pollFirstEntry();
        }
    }

    /**
     * A prompt of these was not there: the caches hold less than was thought, since a sequence
     * takes whole blocks of slots, or rows of state.
     */
    synchronized void overrated() {
        mostBlocks = Math.max(LEAST_BLOCKS, Math.min(mostBlocks, blocks.size()) * 9 / 10);
        trim();
    }

    /** Nothing is there any more. */
    synchronized void clear() {
        blocks.clear();
    }
}

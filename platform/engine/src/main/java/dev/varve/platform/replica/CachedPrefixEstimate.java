package dev.varve.platform.replica;

import java.util.LinkedHashMap;

/**
 * Estimates the cached prefixes of a replica: the most recently used blocks of the prompts that
 * were routed to it, as many as its caches hold. The caches know exactly, but only between two
 * steps. Thread-safe.
 */
final class CachedPrefixEstimate {
    private static final long LEAST_BLOCKS = 64;

    /** Blocks in the order of their last use. */
    private final LinkedHashMap<Long, Boolean> blocks = new LinkedHashMap<>(1024, 0.75f, true);

    private long mostBlocks;

    /**
     * @param tokens capacity of the replica's caches
     */
    CachedPrefixEstimate(long tokens) {
        mostBlocks = Math.max(LEAST_BLOCKS, tokens / PromptBlockHashes.TOKENS);
    }

    /** Returns the number of leading tokens of a prompt that are likely cached. */
    synchronized int cached(PromptBlockHashes prompt) {
        int block = 0;
        while (block < prompt.count() && blocks.containsKey(prompt.get(block))) {
            block++;
        }
        return block * PromptBlockHashes.TOKENS;
    }

    /** Returns the number of tokens that would be evicted if so many more were computed. */
    synchronized long displaced(long tokens) {
        return Math.max(0, used() + tokens - mostBlocks * PromptBlockHashes.TOKENS);
    }

    /** Returns the number of tokens that are likely cached. */
    synchronized long used() {
        return (long) blocks.size() * PromptBlockHashes.TOKENS;
    }

    /** Records a prompt that was routed to the replica. */
    synchronized void add(PromptBlockHashes prompt) {
        // The last block first: common prefixes are then used last, and stay longest.
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
     * Reduces the estimated capacity after an expected prefix was missing: the caches hold fewer
     * tokens, since a sequence takes whole blocks of slots, or state rows.
     */
    synchronized void lowerCapacity() {
        mostBlocks = Math.max(LEAST_BLOCKS, Math.min(mostBlocks, blocks.size()) * 9 / 10);
        trim();
    }

    /** Removes all blocks. */
    synchronized void clear() {
        blocks.clear();
    }
}

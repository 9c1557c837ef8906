package dev.varve.platform.replica;

import java.util.LinkedHashMap;

/**
 * Estimates the cached prefixes of a replica: the most recently used blocks of the prompts that
 * were routed to it, as many as its caches hold. The caches know exactly, but only between two
 * steps. Thread-safe.
 */
public final class CachedPrefixEstimate implements PrefixEstimate {
    private static final long LEAST_BLOCKS = 64;

    /** Blocks in the order of their last use. */
    private final LinkedHashMap<Long, Boolean> blocks = new LinkedHashMap<>(1024, 0.75f, true);

    private long mostBlocks;

    /**
     * Creates an estimate without blocks.
     *
     * @param tokens capacity of the replica's caches
     */
    public CachedPrefixEstimate(long tokens) {
        mostBlocks = Math.max(LEAST_BLOCKS, tokens / PromptBlockHashes.TOKENS);
    }

    @Override
    public synchronized int cached(PromptBlockHashes prompt) {
        int block = 0;
        while (block < prompt.count() && blocks.containsKey(prompt.get(block))) {
            block++;
        }
        return block * PromptBlockHashes.TOKENS;
    }

    @Override
    public synchronized long displaced(long tokens) {
        return Math.max(0, used() + tokens - mostBlocks * PromptBlockHashes.TOKENS);
    }

    @Override
    public synchronized long used() {
        return (long) blocks.size() * PromptBlockHashes.TOKENS;
    }

    /** Records a prompt that was routed to the replica. */
    public synchronized void add(PromptBlockHashes prompt) {
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
    public synchronized void lowerCapacity() {
        mostBlocks = Math.max(LEAST_BLOCKS, Math.min(mostBlocks, blocks.size()) * 9 / 10);
        trim();
    }

    /** Removes all blocks. */
    public synchronized void clear() {
        blocks.clear();
    }
}

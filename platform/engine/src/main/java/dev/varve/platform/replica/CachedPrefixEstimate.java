package dev.varve.platform.replica;

import java.util.LinkedHashMap;

/**
 * Estimates the cached prefixes of a replica: the most recently used blocks of the prompts that
 * were routed to it, as many as its caches hold. The caches know exactly, but only between two
 * steps. Thread-safe.
 */
public final class CachedPrefixEstimate implements PrefixEstimate {
    private static final long LEAST_BLOCKS = 64;

    /** Minimum of blocks that should have been found for a correction of the capacity. */
    private static final int MIN_CORRECTED_BLOCKS = 4;

    /** Blocks in the order of their last use, and whether the replica has computed them. */
    private final LinkedHashMap<Long, Boolean> blocks = new LinkedHashMap<>(1024, 0.75f, true);

    private final long capacity;
    private long mostBlocks;

    /**
     * Creates an estimate without blocks.
     *
     * @param tokens capacity of the replica's caches
     */
    public CachedPrefixEstimate(long tokens) {
        capacity = Math.max(LEAST_BLOCKS, tokens / PromptBlockHashes.TOKENS);
        mostBlocks = capacity;
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
            blocks.putIfAbsent(prompt.get(block), Boolean.FALSE);
        }
        trim();
    }

    /** Records that the replica has computed a prompt. */
    public synchronized void computed(PromptBlockHashes prompt) {
        for (int block = prompt.count() - 1; block >= 0; block--) {
            blocks.computeIfPresent(prompt.get(block), (hash, done) -> Boolean.TRUE);
        }
    }

    private void trim() {
        while (blocks.size() > mostBlocks) {
            blocks.pollFirstEntry();
        }
    }

    /**
     * Corrects the estimated capacity with what a request found. The caches hold fewer tokens than
     * their capacity, since a sequence takes whole blocks of slots, or state rows. A prefix that
     * another request still computes corrects nothing.
     *
     * @param prompt prompt of the request
     * @param cachedTokens tokens of it that the caches had
     */
    public synchronized void correct(PromptBlockHashes prompt, int cachedTokens) {
        int expected = computedBlocks(prompt);
        if (expected < MIN_CORRECTED_BLOCKS) {
            return;
        }
        if (cachedTokens < expected * PromptBlockHashes.TOKENS / 2) {
            mostBlocks = Math.max(LEAST_BLOCKS, Math.min(mostBlocks, blocks.size()) * 9 / 10);
            trim();
        } else {
            mostBlocks = Math.min(capacity, mostBlocks + Math.max(1, mostBlocks / 32));
        }
    }

    private int computedBlocks(PromptBlockHashes prompt) {
        int computed = cached(prompt) / PromptBlockHashes.TOKENS;
        for (int block = computed - 1; block >= 0; block--) {
            if (!blocks.get(prompt.get(block))) {
                computed = block;
            }
        }
        return computed;
    }

    /** Removes all blocks. */
    public synchronized void clear() {
        blocks.clear();
    }
}

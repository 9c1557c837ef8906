package dev.varve.platform.engine;

import dev.varve.platform.shard.ExpertCounts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Divides the experts that batches needed among the entries of each batch, by the number of their
 * tokens. Exact for a batch of one request; several requests may need the same expert, which is
 * counted once. Not thread-safe.
 */
final class ExpertShares {
    private final Supplier<ExpertCounts> total;
    private ExpertCounts before;

    /**
     * @param total counts of all shards so far
     */
    ExpertShares(Supplier<ExpertCounts> total) {
        this.total = total;
        before = total.get();
    }

    /**
     * Divides what was counted since the call before.
     *
     * @param tokens number of tokens of each entry, each at least 1
     * @return a share for each entry, whose sum is the whole; nothing if nothing was counted
     */
    List<ExpertCounts> divide(int... tokens) {
        ExpertCounts now = total.get();
        ExpertCounts counted = now.since(before);
        before = now;
        if (counted.isEmpty()) {
            return List.of();
        }
        long all = Arrays.stream(tokens).sum();
        List<ExpertCounts> shares = new ArrayList<>(tokens.length);
        ExpertCounts divided = ExpertCounts.NONE;
        long end = 0;
        for (int count : tokens) {
            end += count;
            ExpertCounts upTo = counted.scaled(end, all);
            shares.add(upTo.since(divided));
            divided = upTo;
        }
        return shares;
    }
}

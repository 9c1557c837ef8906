package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Recently evicted prefixes, by which a miss after an eviction is distinguished from an unknown
 * prompt. Keeps a limited number of token hashes; a hash collision only changes a statistic.
 */
final class RecentEvictions {
    private static final int MOST = 1 << 14;

    /** A prompt without a whole block is identified by this many leading tokens. */
    private static final int BEGINNING = 32;

    private final Set<Long> numbers = new LinkedHashSet<>();

    void add(CacheScope scope, Checkpoint checkpoint) {
        CachedBlock block = checkpoint.block();
        long tokens =
                block.end() > 0
                        ? block.chain()
                        : CachedBlock.chain(1, beginning(checkpoint.tail()));
        numbers.add(in(scope, tokens));
        if (numbers.size() > MOST) {
            numbers.remove(numbers.iterator().next());
        }
    }

    /** Whether an evicted prefix begins like a prompt. */
    boolean contains(CacheScope scope, int[] tokens) {
        if (numbers.contains(in(scope, CachedBlock.chain(1, beginning(tokens))))) {
            return true;
        }
        long chain = 0;
        for (int end = CachedBlock.TOKENS; end <= tokens.length; end += CachedBlock.TOKENS) {
            chain =
                    CachedBlock.chain(
                            chain, Arrays.copyOfRange(tokens, end - CachedBlock.TOKENS, end));
            if (numbers.contains(in(scope, chain))) {
                return true;
            }
        }
        return false;
    }

    void clear() {
        numbers.clear();
    }

    private static int[] beginning(int[] tokens) {
        return Arrays.copyOf(tokens, Math.min(BEGINNING, tokens.length));
    }

    private static long in(CacheScope scope, long tokens) {
        return 31 * tokens + scope.hashCode();
    }
}

package dev.varve.platform.paging;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.PagePoolSizing;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Computes the slots of a sequence's pool: the requested number in whole blocks, at least {@value
 * #LEAST} and at most the whole blocks of a context. The minimum is the same for every model,
 * because layers with a sliding window have their own regions beside the pool.
 */
public final class ResidentPoolSizing {
    /** Slots of a block, here as in shards. */
    public static final int BLOCK = 256;

    /** The smallest pool that pages can leave, {@link PagePoolSizing#LEAST}, in whole blocks. */
    public static final int LEAST = (PagePoolSizing.LEAST + BLOCK - 1) / BLOCK * BLOCK;

    /**
     * Divisor of the context if the free memory is unknown: pages that leave the pool can return.
     */
    private static final int SHARE_WITH_SCORES = 4;

    /** Divisor of the context if pages never return, so that more must stay. */
    private static final int SHARE_WITHOUT_SCORES = 2;

    private ResidentPoolSizing() {}

    /**
     * A computed pool.
     *
     * @param tokens slots, whole blocks
     * @param notes explanations for the operator
     * @param warnings deviations from the requested size
     */
    public record Pool(int tokens, List<String> notes, List<String> warnings) {
        /** Copies the texts. */
        public Pool {
            notes = List.copyOf(notes);
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * Computes a pool of a given size.
     *
     * @param contextTokens maximum tokens of a sequence
     * @throws VarveException of kind INVALID_REQUEST if a context is smaller than the smallest pool
     */
    public static Pool fixed(int tokens, int contextTokens) {
        requireMinimumContext(contextTokens);
        List<String> warnings = new ArrayList<>();
        int pool = wholeBlocks(tokens, contextTokens, "requested", warnings);
        return new Pool(pool, List.of(), warnings);
    }

    /**
     * Computes a pool whose size depends on the memory.
     *
     * @param contextTokens maximum tokens of a sequence
     * @param scores whether pages are chosen by scores
     * @throws VarveException of kind INVALID_REQUEST if a context is smaller than the smallest
     *     pool, or the reserve leaves no memory for one
     */
    public static Pool automatic(
            RequestedPaging.Size.Automatic size,
            int contextTokens,
            boolean scores,
            ResidentPoolMemory budget) {
        requireMinimumContext(contextTokens);
        long tokens = contextTokens / (scores ? SHARE_WITH_SCORES : SHARE_WITHOUT_SCORES);
        if (budget.isKnown()) {
            tokens = Math.min(budget.tokens(), Math.min(contextTokens, size.mostTokens()));
            requireAny(tokens, budget);
        }
        List<String> warnings = new ArrayList<>();
        int pool =
                wholeBlocks(
                        Math.min(tokens, blocksWithin(contextTokens)),
                        contextTokens,
                        RequestedPaging.AUTO,
                        warnings);
        return new Pool(pool, List.of(describe(pool, budget)), warnings);
    }

    private static void requireMinimumContext(int contextTokens) {
        if (contextTokens < LEAST) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    String.format(
                            Locale.ROOT,
                            "%s: expected %s of at least %d, the smallest pool, found %d",
                            Setting.KVFLASH,
                            Setting.CONTEXT_TOKENS,
                            LEAST,
                            contextTokens));
        }
    }

    private static void requireAny(long tokens, ResidentPoolMemory budget) {
        if (tokens == 0) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    String.format(
                            Locale.ROOT,
                            "%s: expected memory for a pool beside a reserve of %s, found"
                                    + " %s free beside weights and states; a number of"
                                    + " tokens may need less memory than %s",
                            Setting.KVFLASH,
                            ByteCount.format(budget.reserveBytes()),
                            ByteCount.format(budget.freeBytes()),
                            RequestedPaging.AUTO));
        }
    }

    private static int wholeBlocks(
            long asked, int contextTokens, String which, List<String> warnings) {
        long tokens = Math.ceilDiv(asked, BLOCK) * BLOCK;
        if (tokens < LEAST) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %s pool %d < minimum %d; raising",
                            Setting.KVFLASH,
                            which,
                            asked,
                            LEAST));
            tokens = LEAST;
        }
        if (tokens > contextTokens) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %s pool %d > max_ctx %d; clamping to %d",
                            Setting.KVFLASH,
                            which,
                            tokens,
                            contextTokens,
                            blocksWithin(contextTokens)));
            tokens = blocksWithin(contextTokens);
        }
        return (int) tokens;
    }

    private static int blocksWithin(int contextTokens) {
        return contextTokens / BLOCK * BLOCK;
    }

    private static String describe(int pool, ResidentPoolMemory budget) {
        return String.format(
                Locale.ROOT,
                "%s: auto pool: %d tokens (%s)",
                Setting.KVFLASH,
                pool,
                budget.isKnown()
                        ? String.format(
                                Locale.ROOT,
                                "%s free, %s of it in reserve, %d bytes per token, %d"
                                        + " sequences",
                                ByteCount.format(budget.freeBytes()),
                                ByteCount.format(budget.reserveBytes()),
                                budget.bytesPerToken(),
                                budget.sequences())
                        : "a fraction of the context, since the free memory is unknown");
    }
}

package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PagePoolSizing;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class ResidentPoolSizingTest {
    private static final long GIB = 1L << 30;
    private static final long KIB = 1 << 10;

    /** Nobody knows what is free. */
    private static final ResidentPoolMemory UNKNOWN = ResidentPoolMemory.of(0, 80 * KIB, 1);

    private static ResidentPoolSizing.Pool automatic(
            int most, int context, boolean scores, ResidentPoolMemory budget) {
        return ResidentPoolSizing.automatic(
                new RequestedPaging.Size.Automatic(most), context, scores, budget);
    }

    @Test
    void minimumPoolIsAMultipleOfTheShardBlocks() {
        assertEquals(KvSlotSpan.BLOCK, ResidentPoolSizing.BLOCK);
        assertEquals(448, PagePoolSizing.LEAST);
        assertEquals(512, ResidentPoolSizing.LEAST);
    }

    @ParameterizedTest
    @CsvSource({
        "1,          8192, 512",
        "512,        8192, 512",
        "513,        8192, 768",
        "1000,       8192, 1024",
        "1024,       8192, 1024",
        "8192,       8192, 8192",
        "10000,      8192, 8192",
        "2147483647, 8192, 8192",
        "4096,       1000, 768",
        "512,        512,  512",
    })
    void poolHasWholeBlocksUpToTheContext(int asked, int context, int tokens) {
        assertEquals(tokens, ResidentPoolSizing.fixed(asked, context).tokens());
    }

    @Property(tries = 500)
    void poolIsTheSmallestNumberOfBlocksThatHoldsTheRequestedTokens(
            @ForAll @IntRange(min = 1) int asked,
            @ForAll @IntRange(min = 512, max = 1 << 20) int context) {
        ResidentPoolSizing.Pool pool = ResidentPoolSizing.fixed(asked, context);

        int tokens = pool.tokens();
        assertEquals(0, tokens % 256);
        assertTrue(tokens >= 512 && tokens <= context, "pool " + tokens);
        boolean asAsked = tokens >= asked && tokens - asked < 256;
        assertEquals(!asAsked, !pool.warnings().isEmpty(), pool.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "511   | 8192 |",
                "100   | 8192 | requested pool 100 < minimum 512; raising",
                "10000 | 8192 | requested pool 10240 > max_ctx 8192; clamping to 8192",
                "1000  | 1000 | requested pool 1024 > max_ctx 1000; clamping to 768",
            })
    void adjustedPoolSizeIsAWarning(int asked, int context, String warning) {
        List<String> warnings = ResidentPoolSizing.fixed(asked, context).warnings();

        assertEquals(
                warning == null ? List.of() : List.of(Setting.KVFLASH + ": " + warning), warnings);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 200, 300, 511})
    void contextBelowTheMinimumPoolIsRefused(int context) {
        for (VarveException error :
                List.of(
                        assertThrows(
                                VarveException.class, () -> ResidentPoolSizing.fixed(512, context)),
                        assertThrows(
                                VarveException.class,
                                () -> automatic(16_384, context, true, UNKNOWN)))) {
            assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
            assertEquals(
                    Setting.KVFLASH
                            + ": expected "
                            + Setting.CONTEXT_TOKENS
                            + " of at least 512, the smallest pool, found "
                            + context,
                    error.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // The cap, and half of what the reserve leaves: 2^30 / 2 / 81920 = 6553.
        "12, 16384,  16384",
        "12, 32768,  32768",
        "12, 131072, 72192",
        "2,  16384,  6656",
        "2,  1,      512",
    })
    void automaticPoolIsHalfOfTheMemoryBehindTheReserveUpToItsBound(
            long freeGib, int most, int tokens) {
        ResidentPoolMemory budget = new ResidentPoolMemory(freeGib * GIB, GIB, 80 * KIB, 1);

        assertEquals(tokens, automatic(most, 131_072, true, budget).tokens());
    }

    @Test
    void sequencesShareTheBudget() {
        ResidentPoolMemory budget = new ResidentPoolMemory(2 * GIB, GIB, 80 * KIB, 4);

        // 6553 / 4 = 1638.
        assertEquals(1792, automatic(16_384, 131_072, true, budget).tokens());
    }

    @ParameterizedTest
    @CsvSource({"0, 81920", "-1, 81920", "17179869184, 0"})
    void withoutABudgetThePoolIsAFractionOfTheContext(long free, long perToken) {
        ResidentPoolMemory budget = ResidentPoolMemory.of(free, perToken, 1);

        assertEquals(32_768, automatic(16_384, 131_072, true, budget).tokens());
        assertEquals(65_536, automatic(16_384, 131_072, false, budget).tokens());
    }

    @Test
    void automaticPoolIsSilentlyClampedToTheContext() {
        ResidentPoolSizing.Pool pool =
                automatic(16_384, 1000, true, ResidentPoolMemory.of(100 * GIB, 1, 1));

        assertEquals(768, pool.tokens());
        assertEquals(List.of(), pool.warnings());
    }

    @Test
    void automaticPoolReportsItsDerivation() {
        assertEquals(
                List.of(
                        Setting.KVFLASH
                                + ": auto pool: 16384 tokens (12.0 GiB free, 1.5 GiB of it in"
                                + " reserve, 81920 bytes per token, 2 sequences)"),
                automatic(16_384, 131_072, true, ResidentPoolMemory.of(12 * GIB, 80 * KIB, 2))
                        .notes());
        assertEquals(
                List.of(
                        Setting.KVFLASH
                                + ": auto pool: 32768 tokens (a fraction of the context, since"
                                + " the free memory is unknown)"),
                automatic(16_384, 131_072, true, UNKNOWN).notes());
    }

    @Test
    void littleMemoryGivesTheMinimumPoolWithAWarning() {
        ResidentPoolMemory budget =
                ResidentPoolMemory.of(
                        ResidentPoolMemory.RESERVE_BYTES + 200 * 80 * KIB, 80 * KIB, 1);

        ResidentPoolSizing.Pool pool = automatic(16_384, 131_072, true, budget);

        assertEquals(512, pool.tokens());
        assertEquals(
                List.of(Setting.KVFLASH + ": auto pool 100 < minimum 512; raising"),
                pool.warnings());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 80 * KIB, 160 * KIB - 1})
    void memoryForNoTokenIsRefused(long more) {
        ResidentPoolMemory budget =
                ResidentPoolMemory.of(ResidentPoolMemory.RESERVE_BYTES + more, 80 * KIB, 1);

        VarveException error =
                assertThrows(VarveException.class, () -> automatic(16_384, 131_072, true, budget));

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertEquals(
                Setting.KVFLASH
                        + ": expected memory for a pool beside a reserve of 1.5 GiB, found 1.5"
                        + " GiB free beside weights and states; a number of tokens may need less"
                        + " memory than auto",
                error.getMessage());
    }

    @Test
    void budgetForNoSequenceIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ResidentPoolMemory.of(1, 1, 0));
    }
}

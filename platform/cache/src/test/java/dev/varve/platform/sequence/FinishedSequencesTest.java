package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceImages;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A cache reports each finished sequence to its listener once when it stays and once when it
 * leaves.
 */
class FinishedSequencesTest {
    private static final int[] PROMPT = new int[40];

    private final List<String> heard = new ArrayList<>();
    private final KvCacheManager cache =
            new KvCacheManager(
                    new KvCacheConfig(4 * KvSlotSpan.BLOCK, 9),
                    false,
                    SequenceEvictionHandler.NONE,
                    new FinishedSequenceListener() {
                        @Override
                        public void onAdd(SequenceCache sequence) {
                            heard.add("stays " + sequence.tokens().get(0));
                        }

                        @Override
                        public void onRemove(SequenceCache sequence) {
                            heard.add("leaves " + sequence.tokens().get(0));
                        }
                    });

    private SequenceCache begin(int first, int length) {
        int[] tokens = Arrays.copyOf(PROMPT, length);
        tokens[0] = first;
        SequenceCache sequence =
                cache.begin(
                                new PrefixQuery(
                                        new TokenList(tokens),
                                        ChunkHistory.NONE,
                                        CacheScope.common(),
                                        RequestedOutput.BEST),
                                0)
                        .orElseThrow();
        int[] rest = Arrays.copyOfRange(tokens, sequence.computed(), length);
        cache.advance(
                List.of(
                        new ScheduledTokens(
                                sequence, 1, rest, RequestedOutput.NONE, ChunkKind.WINDOW)),
                List.of());
        return sequence;
    }

    @Test
    void finishedSequenceIsKept() {
        SequenceCache sequence = begin(1, 40);
        assertEquals(List.of(), heard);

        cache.retain(sequence);

        assertEquals(List.of("stays 1"), heard);
        assertEquals(KvSlotSpan.BLOCK, cache.slotUse().resident());
    }

    @Test
    void leastRecentlyUsedIsEvictedFirst() {
        for (int first = 1; first <= 4; first++) {
            cache.retain(begin(first, 40));
        }
        heard.clear();

        cache.retain(begin(5, 300));

        assertEquals(List.of("leaves 1", "leaves 2", "stays 5"), heard);
    }

    @Test
    void continuedSequenceIsKeptIfBothFit() {
        cache.retain(begin(1, 40));
        heard.clear();

        cache.retain(begin(1, 60));

        assertEquals(List.of("stays 1"), heard);
        assertEquals(2 * KvSlotSpan.BLOCK, cache.slotUse().resident());
    }

    /** An image of 30 tokens from position 20: equal ids of some of them prove nothing. */
    @Test
    void partOfAnImageIsNotReused() {
        cache.retain(begin(1, 64));
        int[] tokens = Arrays.copyOf(PROMPT, 64);
        tokens[0] = 1;
        tokens[40] = -2;
        ImageSpan span = new ImageSpan(20, 5, 6, ImagePositions.GRID);
        SequenceImages images = new SequenceImages(List.of(span), List.of(ImageRows.NONE));

        assertEquals(40, found(tokens, SequenceImages.NONE));
        assertEquals(20, found(tokens, images));
        tokens[40] = 0;
        tokens[60] = -2;
        assertEquals(60, found(tokens, images), "the whole image is equal");
    }

    private int found(int[] tokens, SequenceImages images) {
        return cache.find(
                new PrefixQuery(
                        new TokenList(tokens, images),
                        ChunkHistory.NONE,
                        CacheScope.common(),
                        RequestedOutput.BEST));
    }

    @Test
    void sequenceContinuedInPlaceIsRemovedAndAddedAgain() {
        for (int first = 1; first <= 4; first++) {
            cache.retain(begin(first, 40));
        }
        heard.clear();

        SequenceCache next = begin(1, 60);
        assertEquals(60, next.computed());
        cache.retain(next);

        assertEquals(List.of("leaves 1", "stays 1"), heard);
    }

    @Test
    void allAreRemovedTogether() {
        cache.retain(begin(1, 40));
        cache.retain(begin(2, 40));
        heard.clear();

        cache.evictAll();

        assertEquals(List.of("leaves 1", "leaves 2"), heard);
        assertEquals(0, cache.slotUse().resident());
        cache.retain(begin(3, 40));
        heard.clear();
        cache.clear();
        assertEquals(List.of("leaves 3"), heard);
    }

    /** Neither a sequence nor its chunk history contains rejected draft tokens. */
    @Test
    void sequenceEndsAtItsAcceptedTokens() {
        SequenceCache sequence = begin(1, 40);
        cache.advance(
                List.of(
                        new ScheduledTokens(
                                sequence,
                                1,
                                new int[] {7, 8, 9},
                                RequestedOutput.ALL,
                                ChunkKind.ROWS,
                                false,
                                2)),
                List.of());

        cache.accept(sequence, 41);

        assertEquals(41, sequence.computed());
        assertEquals(41, sequence.chunkHistory().end());
        assertEquals(Optional.empty(), sequence.output());
    }
}

package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class KvCacheManagerTest {
    private static final int BLOCK = KvSlotSpan.BLOCK;
    private static final int ROWS = 9;
    private static final CacheScope ALICE = new CacheScope("alice");

    private final KvCacheManager cache = cache(8, true);

    private static KvCacheManager cache(int blocks, boolean forgets) {
        return new KvCacheManager(new KvCacheConfig(blocks * BLOCK, ROWS), forgets);
    }

    /** Distinct prompts by their first token. */
    private static int[] prompt(int first, int length) {
        return IntStream.range(first, first + length).toArray();
    }

    private static PrefixQuery request(int... tokens) {
        return request(CacheScope.common(), new ChunkHistory(), tokens);
    }

    private static PrefixQuery request(CacheScope scope, ChunkHistory replay, int... tokens) {
        return new PrefixQuery(new TokenList(tokens), replay, scope, RequestedOutput.BEST);
    }

    private static int[] longer(int[] tokens, int more) {
        int[] result = Arrays.copyOf(tokens, tokens.length + more);
        Arrays.fill(result, tokens.length, result.length, 999);
        return result;
    }

    /** Computes the rest of a sequence. */
    private static SequenceCache compute(KvCacheManager cache, PrefixQuery request, int... ends) {
        SequenceCache sequence = cache.begin(request, 0).orElseThrow();
        for (int end : ends) {
            advance(cache, sequence, end);
        }
        return sequence;
    }

    private static Batch advance(KvCacheManager cache, SequenceCache sequence, int end) {
        return advance(cache, sequence, end, false);
    }

    private static Batch advance(
            KvCacheManager cache, SequenceCache sequence, int end, boolean keepState) {
        int[] tokens = new int[end - sequence.computed()];
        return cache.advance(
                List.of(
                        new ScheduledTokens(
                                sequence,
                                1,
                                tokens,
                                RequestedOutput.NONE,
                                ChunkKind.WINDOW,
                                keepState,
                                0)),
                List.of());
    }

    private static SequenceCache resident(KvCacheManager cache, PrefixQuery request, int... ends) {
        SequenceCache state = compute(cache, request, ends);
        cache.retain(state);
        return state;
    }

    @Test
    void nothingIsEvictedForARejectedRequest() {
        resident(cache, request(prompt(0, BLOCK)), BLOCK);
        resident(cache, request(prompt(10_000, BLOCK)), BLOCK);
        SequenceCache running = compute(cache, request(prompt(20_000, 2 * BLOCK)), 2 * BLOCK);
        long kept = cache.slotUse().resident();

        Optional<SequenceCache> refused = cache.begin(request(prompt(30_000, 5 * BLOCK)), BLOCK);

        assertTrue(refused.isEmpty());
        assertEquals(kept, cache.slotUse().resident());
        assertTrue(cache.ensure(running, 2 * BLOCK + 1));
        assertEquals(
                BLOCK,
                cache.begin(request(longer(prompt(0, BLOCK), 9)), 0).orElseThrow().computed());
    }

    @Test
    void nothingIsEvictedForASequenceThatCannotGrow() {
        SequenceCache first = compute(cache, request(prompt(0, 3 * BLOCK)), 3 * BLOCK);
        SequenceCache second = compute(cache, request(prompt(10_000, 2 * BLOCK)), 2 * BLOCK);
        resident(cache, request(prompt(20_000, 5)), 5);

        assertEquals(false, cache.ensure(first, 6 * BLOCK));

        assertEquals(BLOCK, cache.slotUse().resident());
        assertEquals(2 * BLOCK, second.computed());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void residentIsUnchangedWhenARequestBranchesOff(boolean forgets) {
        KvCacheManager own = cache(8, forgets);
        int[] prompt = prompt(0, 400);
        SequenceCache state = compute(own, request(prompt), 100);
        advance(own, state, 300, true);
        advance(own, state, 400);
        own.retain(state);

        SequenceCache branch = own.begin(request(longer(prompt(0, 310), 60)), 0).orElseThrow();

        int common = forgets ? 300 : 310;
        assertEquals(common, branch.computed());
        assertEquals(400, state.computed());
        int shared = branch.stateRow();
        Batch batch = advance(own, branch, 370);
        assertEquals(
                List.of(new KvSlotCopy(state.span().begin(), branch.span().begin(), common)),
                batch.changes().copies());
        assertEquals(shared, batch.chunks().getFirst().readRow());
        assertNotEquals(shared, batch.chunks().getFirst().writeRow());
        assertNotEquals(state.stateRow(), batch.chunks().getFirst().writeRow());
        assertEquals(400, own.begin(request(longer(prompt, 5)), 0).orElseThrow().computed());
    }

    @Test
    void continuedConversationLeavesItsResidentToOthers() {
        int[] prompt = prompt(0, 300);
        SequenceCache before = resident(cache, request(prompt), 300);

        SequenceCache after = cache.begin(request(longer(prompt, 10)), 0).orElseThrow();

        assertEquals(300, after.computed());
        assertNotEquals(before.span(), after.span());
        assertEquals(before.span().capacity(), cache.slotUse().resident());
    }

    @Test
    void residentIsContinuedInPlaceIfACopyWouldEvictAnother() {
        KvCacheManager small = cache(5, false);
        int[] prompt = prompt(0, 300);
        SequenceCache before = resident(small, request(prompt), 300);
        KvSlotSpan span = before.span();
        resident(small, request(prompt(7, 300)), 300);

        SequenceCache after = small.begin(request(longer(prompt, 10)), 0).orElseThrow();

        assertEquals(300, after.computed());
        assertEquals(span, after.span());
        assertEquals(List.of(), advance(small, after, 310).changes().copies());
        assertEquals(span.capacity(), small.slotUse().resident());
    }

    @Test
    void storedResidentIsContinuedInPlace() {
        List<List<SequenceCache>> onHandOver = new ArrayList<>();
        KvCacheManager kept =
                new KvCacheManager(
                        new KvCacheConfig(16 * BLOCK, ROWS),
                        true,
                        new SequenceEvictionHandler() {
                            @Override
                            public boolean isStored(SequenceCache sequence) {
                                return true;
                            }

                            @Override
                            public void onEvict(SequenceCache sequence) {
                                throw new AssertionError("there is room for all");
                            }

                            @Override
                            public void onHandOver(
                                    SequenceCache from, SequenceCache to, int shared) {
                                onHandOver.add(List.of(from, to));
                            }

                            @Override
                            public boolean releaseRows() {
                                return false;
                            }
                        });
        int[] prompt = prompt(0, 300);
        SequenceCache before = resident(kept, request(prompt), 300);
        KvSlotSpan span = before.span();

        SequenceCache after = kept.begin(request(longer(prompt, 10)), 0).orElseThrow();

        assertEquals(span, after.span());
        assertEquals(List.of(List.of(before, after)), onHandOver);
    }

    @Test
    void residentIsTruncatedIfACopyDoesNotFit() {
        KvCacheManager small = cache(3, false);
        int[] prompt = prompt(0, 500);
        resident(small, request(prompt), 200, 500);

        SequenceCache state = small.begin(request(longer(prompt(0, 250), 50)), 0).orElseThrow();

        assertEquals(250, state.computed());
        assertEquals(0, small.slotUse().resident());
    }

    @Test
    void residentsOfOtherScopesAreNotFound() {
        int[] prompt = prompt(0, 300);
        resident(cache, request(ALICE, new ChunkHistory(), prompt), 300);

        int common = cache.begin(request(longer(prompt, 5)), 0).orElseThrow().computed();
        int alices =
                cache.begin(request(ALICE, new ChunkHistory(), longer(prompt, 5)), 0)
                        .orElseThrow()
                        .computed();

        assertEquals(0, common);
        assertEquals(300, alices);
    }

    /** Its tokens were computed 100 and 300 at a time; 400 at once give other bits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void replayMatchesOnlyEqualChunkBoundaries(boolean forgets) {
        KvCacheManager differs = cache(8, forgets);
        KvCacheManager agrees = cache(8, forgets);
        int[] prompt = prompt(0, 500);
        ChunkHistory replay = new ChunkHistory();
        replay.add(100, ChunkKind.WINDOW);
        replay.add(400, ChunkKind.WINDOW);
        PrefixQuery again = request(CacheScope.common(), replay, prompt);
        resident(differs, request(prompt(0, 450)), 400);
        resident(agrees, request(prompt(0, 450)), 100, 400);

        SequenceCache other = differs.begin(again, 0).orElseThrow();
        SequenceCache same = agrees.begin(again, 0).orElseThrow();

        assertEquals(0, other.computed());
        assertEquals(400, same.computed());
    }

    @Test
    void forksShareAStateRowUntilTheFirstWrite() {
        int[] prompt = prompt(0, 100);
        SequenceCache leader = compute(cache, request(prompt), 100);
        int shared = leader.stateRow();
        cache.retainCopy(leader, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));

        SequenceCache fork = cache.begin(request(prompt), 0).orElseThrow();

        assertEquals(100, fork.computed());
        assertEquals(7, fork.output().orElseThrow().best());
        assertEquals(shared, fork.stateRow());
        cache.ensure(leader, 102);
        advance(cache, leader, 101);
        assertNotEquals(shared, leader.stateRow());
        cache.drop(leader);
        advance(cache, fork, 101);
        assertNotEquals(shared, fork.stateRow(), "the kept copy holds the row as well");
    }

    /**
     * The state after draft tokens is computed from the shared row once the accepted ones are
     * known. Meanwhile the other sequence could write to that row.
     */
    @Test
    void sequencesThatShareAStateRowHaveNoDraftTokens() {
        KvCacheManager own =
                new KvCacheManager(
                        new KvCacheConfig(8 * BLOCK, ROWS, new RollbackBufferSizes(2, 16)), true);
        int[] prompt = prompt(0, 100);
        SequenceCache leader = compute(own, request(prompt), 100);
        assertTrue(own.mostDraftTokens(leader) > 0);
        own.retainCopy(leader, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));

        SequenceCache fork = own.begin(request(prompt), 0).orElseThrow();

        assertEquals(0, own.mostDraftTokens(leader));
        assertEquals(0, own.mostDraftTokens(fork));
        own.ensure(leader, 102);
        advance(own, leader, 101);
        assertTrue(own.mostDraftTokens(leader) > 0);
    }

    /** Its logits are those behind the last token of the resident, not behind the cut. */
    @Test
    void truncatedResidentHasNoOutput() {
        KvCacheManager own = cache(12, false);
        SequenceCache leader = compute(own, request(prompt(0, 700)), 512, 700);
        own.retainCopy(leader, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));

        SequenceCache cut = own.begin(request(longer(prompt(0, 600), 9)), 0).orElseThrow();
        own.retain(cut);
        SequenceCache same = own.begin(request(prompt(0, 512)), 0).orElseThrow();

        assertEquals(600, cut.computed());
        assertEquals(Optional.empty(), cut.output());
        assertTrue(same.computed() < 512, "there is a token left to compute");
    }

    @Test
    void residentsAreEvictedForACopyThatOthersWaitFor() {
        SequenceCache leader = compute(cache, request(prompt(0, 3 * BLOCK - 1)), 3 * BLOCK - 1);
        for (int other = 0; other < 4; other++) {
            resident(cache, request(prompt(10_000 * (other + 1), 10)), 10);
        }

        cache.retainCopy(leader, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));

        assertEquals(5 * BLOCK, cache.slotUse().resident(), "the copy, and two that need not go");
    }

    /** A copy whose state would be evicted for the row of its fork is of no use. */
    @Test
    void nothingIsCopiedIfNoForkHasARow() {
        KvCacheManager narrow = new KvCacheManager(new KvCacheConfig(16 * BLOCK, 3), true);
        SequenceCache leader = compute(narrow, request(prompt(0, 100)), 60);
        advance(narrow, leader, 80, true);
        advance(narrow, leader, 100);

        narrow.retainCopy(leader, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));

        assertEquals(0, narrow.slotUse().resident());
        assertEquals(List.of(), advance(narrow, leader, 101).changes().copies());
    }

    /**
     * The first sequence shares its row with a copy. The second sequence needs a row, so the cache
     * evicts the copy.
     */
    @Test
    void twoRowsPerSequenceAreEnoughForAnyEvictionOrder() {
        KvCacheManager narrow = new KvCacheManager(new KvCacheConfig(16 * BLOCK, 5), true);
        SequenceCache first = compute(narrow, request(longer(prompt(0, 90), 20)));
        advance(narrow, first, 80, true);
        advance(narrow, first, 100);
        narrow.retainCopy(first, new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST));
        SequenceCache second = compute(narrow, request(longer(prompt(10_000, 90), 20)));
        advance(narrow, second, 100, true);

        Batch batch =
                narrow.advance(
                        Stream.of(first, second)
                                .map(
                                        sequence ->
                                                new ScheduledTokens(
                                                        sequence,
                                                        1,
                                                        new int[1],
                                                        RequestedOutput.NONE,
                                                        ChunkKind.ROWS,
                                                        false,
                                                        0))
                                .toList(),
                        List.of());

        assertEquals(
                2,
                batch.chunks().stream().mapToInt(SequenceChunk::writeRow).distinct().count(),
                batch.toString());
        assertEquals(0, narrow.slotUse().resident(), "the copy gave way");
    }

    @Test
    void everyRowIsReleased() {
        KvCacheManager cache = cache(2 * ROWS, true);
        int[] prompt = prompt(0, 100);
        for (int round = 0; round < 3; round++) {
            SequenceCache leader = compute(cache, request(prompt), 60);
            advance(cache, leader, 80, true);
            advance(cache, leader, 100);
            cache.retainCopy(leader, new TokenLogits(new float[0], 0, 1, RequestedOutput.BEST));
            SequenceCache fork = cache.begin(request(prompt), 0).orElseThrow();
            advance(cache, fork, 101);
            cache.drop(fork);
            cache.retain(leader);
            for (int other = 0; other < 8; other++) {
                // Each sequence takes at least one row, so the cache evicts all residents.
                resident(cache, request(prompt(10_000 * (other + 1), 10)), 10);
            }
        }
        List<SequenceCache> running = new ArrayList<>();
        for (int row = 1; row < ROWS; row++) {
            running.add(compute(cache, request(prompt(200_000 * row, 10)), 10));
        }

        assertEquals(0, cache.slotUse().resident());
        assertEquals(ROWS - 1, running.stream().map(SequenceCache::stateRow).distinct().count());
        SequenceCache tooMany = cache.begin(request(prompt(5_000_000, 10)), 0).orElseThrow();
        assertThrows(IllegalStateException.class, () -> advance(cache, tooMany, 10));
    }

    private static ScheduledTokens next(SequenceCache sequence, int count, boolean keepState) {
        return new ScheduledTokens(
                sequence, 1, new int[count], RequestedOutput.NONE, ChunkKind.WINDOW, keepState, 0);
    }

    @Test
    void sequenceContinuesAfterACheckpointOfItsBatch() {
        SequenceCache sequence = compute(cache, request(prompt(0, 40)), 10);
        int row = sequence.stateRow();

        List<SequenceChunk> chunks =
                cache.advance(
                                List.of(next(sequence, 20, true), next(sequence, 10, false)),
                                List.of())
                        .chunks();

        assertEquals(List.of(10, 30), chunks.stream().map(SequenceChunk::firstPosition).toList());
        assertEquals(row, chunks.getFirst().readRow());
        int checkpoint = chunks.getFirst().writeRow();
        assertEquals(new SequenceCache.Checkpoint(checkpoint, 30), sequence.checkpoint());
        assertEquals(checkpoint, chunks.getLast().readRow());
        assertEquals(row, chunks.getLast().writeRow());
        assertEquals(40, sequence.computed());
        assertEquals(row, sequence.stateRow());
        assertNotEquals(row, checkpoint);
        assertEquals(30, sequence.chunkHistory().lastBegin());
    }

    /** A fork keeps the state from which the sequence began. */
    @Test
    void sharedStateIsNotOverwrittenAfterACheckpoint() {
        SequenceCache resident = resident(cache, request(prompt(0, 40)), 40);
        SequenceCache fork = cache.begin(request(longer(prompt(0, 40), 30)), 0).orElseThrow();
        assertEquals(40, fork.computed());
        assertEquals(resident.stateRow(), fork.stateRow());

        List<SequenceChunk> chunks =
                cache.advance(List.of(next(fork, 20, true), next(fork, 10, false)), List.of())
                        .chunks();

        Set<Integer> rows =
                Set.of(
                        chunks.getFirst().readRow(),
                        chunks.getFirst().writeRow(),
                        chunks.getLast().writeRow());
        assertEquals(3, rows.size());
        assertEquals(40, resident.computed());
        cache.drop(fork);
        cache.evictAll();
        assertEquals(0, cache.slotUse().running());
    }

    @Test
    void sequenceIsTwiceInABatchOnlyAfterACheckpoint() {
        SequenceCache sequence = compute(cache, request(prompt(0, 40)), 10);

        assertThrows(
                IllegalArgumentException.class,
                () ->
                        cache.advance(
                                List.of(next(sequence, 20, false), next(sequence, 10, false)),
                                List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        cache.advance(
                                List.of(next(sequence, 20, true), next(sequence, 10, true)),
                                List.of()));
    }

    /** All rows are in use by as many sequences as the rows are for. */
    @Test
    void aCheckpointAndTheTokensAfterItNeedTwoRows() {
        KvCacheManager small = new KvCacheManager(new KvCacheConfig(2 * BLOCK, 1 + 2 * 2), true);
        List<SequenceCache> sequences = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            sequences.add(small.begin(request(prompt(100 * i, 60)), 0).orElseThrow());
        }
        for (int round = 0; round < 2; round++) {
            List<ScheduledTokens> tokens = new ArrayList<>();
            for (SequenceCache sequence : sequences) {
                tokens.add(next(sequence, 20, true));
                tokens.add(next(sequence, 10, false));
            }
            Set<Integer> written = new HashSet<>();
            small.advance(tokens, List.of())
                    .chunks()
                    .forEach(chunk -> written.add(chunk.writeRow()));
            assertEquals(4, written.size());
        }
    }
}

package dev.varve.platform.sequence;

import static dev.varve.platform.sequence.PagedRig.POOL;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Sequences that share the slots of a cache, each with at most 512 of them. */
class PagedSequenceCacheTest {
    private static final int PAGE = Pages.TOKENS;
    private static final TokenLogits OUTPUT =
            new TokenLogits(new float[0], 0, 7, RequestedOutput.BEST);

    private final PagedRig rig = new PagedRig(8, PagePolicy.LRU, false);
    private final KvCacheManager cache = rig.cache;

    /** Distinct prompts by their first token. */
    private static int[] prompt(int first, int length) {
        return IntStream.range(first, first + length).toArray();
    }

    private static int[] longer(int[] tokens, int more) {
        int[] result = Arrays.copyOf(tokens, tokens.length + more);
        Arrays.setAll(
                result, at -> at < tokens.length ? tokens[at] : 900_000 + 7 * tokens.length + at);
        return result;
    }

    private static SequenceCache computed(PagedRig rig, int... tokens) {
        SequenceCache sequence = rig.begin(tokens);
        rig.prefill(sequence, tokens.length);
        return sequence;
    }

    private static SequenceCache resident(PagedRig rig, int... tokens) {
        SequenceCache sequence = computed(rig, tokens);
        rig.cache.retain(sequence);
        return sequence;
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 256", "256, 256", "257, 512", "512, 512", "513, 512", "99999, 512"})
    void sequenceHasNoMoreSlotsThanItsPool(int tokens, int slots) {
        assertEquals(slots, cache.mostSlots(tokens));
        assertEquals(
                KvSlotSpan.roundUp(tokens),
                new KvCacheManager(new KvCacheConfig(4096, 9), false).mostSlots(tokens));
    }

    @Test
    void longSequenceIsComputedInThePoolAndKeptWhole() {
        int[] tokens = prompt(0, 3000);
        SequenceCache sequence = rig.begin(tokens);
        for (int end = 100; end <= 3000; end += 100) {
            rig.prefill(sequence, end);
            rig.require(sequence);
            assertTrue(cache.ensure(sequence, end + 1));
        }
        rig.decode(sequence, 3100);
        rig.require(sequence);

        assertEquals(POOL, sequence.span().capacity());
        SequencePagingStatus figures = sequence.pagingStatus().orElseThrow();
        assertEquals(8, figures.resident());
        assertEquals(49 - 8, figures.onHost());
        assertEquals(new PagingCounts(41, 0, 41 * PagedRig.PAGE_BYTES, 0, 0, 0), figures.counts());
        assertEquals(
                Optional.of(
                        new PagingStatus(
                                new PagingOptions(POOL, PagePolicy.LRU, 64)
                                        .withPageBytes(PagedRig.PAGE_BYTES),
                                figures.counts(),
                                41,
                                41 * PagedRig.PAGE_BYTES,
                                8)),
                cache.paging());
        rig.requireNothingLeft(List.of(sequence));
    }

    @Test
    void cacheWithoutPoolsHasNoFigures() {
        KvCacheManager plain = new KvCacheManager(new KvCacheConfig(4096, 9), false);
        SequenceCache sequence = plain.begin(PagedRig.request(prompt(0, 100)), 0).orElseThrow();

        assertEquals(Optional.empty(), plain.paging());
        assertEquals(Optional.empty(), sequence.pagingStatus());
        assertEquals(Integer.MAX_VALUE - 1, plain.mostDraftTokens(sequence));
        assertFalse(plain.choosesPages(99999));
    }

    @Test
    void sequenceGrowsToItsPoolAtAnyPlace() {
        SequenceCache first = computed(rig, prompt(0, 100));
        SequenceCache second = computed(rig, prompt(10_000, 100));
        SequenceCache third = computed(rig, prompt(20_000, 100));
        for (int end = 120; end < 1500; end += 60) {
            for (SequenceCache each : List.of(first, second, third)) {
                rig.decode(each, end);
                rig.require(each);
            }
        }

        rig.requireNothingLeft(List.of(first, second, third));
    }

    @Test
    void sequencesOfOneBatchDoNotEvictEachOther() {
        SequenceCache first = computed(rig, prompt(0, 700));
        SequenceCache second = computed(rig, prompt(10_000, 575));
        for (int i = 0; i < 200; i++) {
            int one = 5_000_000 + i;
            int other = 6_000_000 + i;
            rig.run(
                    PagedRig.rows(first, 0, TokenTree.CHAIN, one),
                    PagedRig.rows(second, 0, TokenTree.CHAIN, other));
            first.tokens().add(one);
            second.tokens().add(other);
            rig.require(first);
            rig.require(second);
        }
        rig.requireNothingLeft(List.of(first, second));
    }

    @Test
    void forkOfASmallResidentCopiesItsRowsOnly() {
        SequenceCache before = resident(rig, prompt(0, 400));

        SequenceCache after = rig.begin(longer(prompt(0, 400), 300));
        assertEquals(400, after.computed());
        Batch batch = rig.run(PagedRig.window(after, 430));

        assertEquals(
                List.of(new KvSlotCopy(before.span().begin(), after.span().begin(), 400)),
                batch.changes().moves());
        rig.prefill(after, 700);
        rig.require(after);
        rig.require(before);
        rig.requireNothingLeft(List.of(after));
    }

    /** All its slots are copied, and its pages in host memory are those of both. */
    @Test
    void forkOfAResidentBeyondThePoolHasItsPlacement() {
        SequenceCache before = resident(rig, prompt(0, 1000));
        int kept = rig.device.hostPages().size();
        assertEquals(8, kept);

        SequenceCache after = rig.begin(longer(prompt(0, 1000), 100));
        assertEquals(1000, after.computed());
        Batch batch = rig.run(PagedRig.window(after, 1024));

        assertEquals(
                List.of(new KvSlotCopy(before.span().begin(), after.span().begin(), POOL)),
                batch.changes().moves());
        rig.require(before);
        rig.require(after);
        assertEquals(kept, rig.device.hostPages().size());
        // It counts what becomes of its own pages.
        assertEquals(PagingCounts.NONE, after.pagingStatus().orElseThrow().counts());
        rig.prefill(after, 1100);
        rig.require(before);
        rig.require(after);
        cache.evictAll();
        rig.flush();
        rig.require(after);
        rig.requireNothingLeft(List.of(after));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 129, 300, 511, 513, 640, 700, 999})
    void earlierBranchHasTheRowsUpToTheDivergence(int common) {
        SequenceCache before = resident(rig, prompt(0, 1000));

        SequenceCache branch = rig.begin(longer(prompt(0, common), 900));
        int shared = branch.computed();
        assertEquals(common / 128 * 128, shared);
        rig.run(PagedRig.window(branch, shared + 1));
        rig.require(branch);
        rig.require(before);
        rig.prefill(branch, common + 900);

        rig.require(branch);
        rig.require(before);
        rig.requireNothingLeft(List.of(branch));
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 300, 640, 1000})
    void residentIsContinuedInPlaceWithItsPagesIfAForkDoesNotFit(int common) {
        PagedRig small = new PagedRig(2, PagePolicy.LRU, false);
        SequenceCache before = resident(small, prompt(0, 1000));
        KvSlotSpan span = before.span();

        SequenceCache after = small.begin(longer(prompt(0, common), 500));
        assertEquals(common == 1000 ? 1000 : common / 128 * 128, after.computed());
        assertSame(before, small.left.getFirst());
        assertEquals(span, after.span());
        small.run(PagedRig.window(after, after.computed() + 1));
        small.require(after);
        small.prefill(after, common + 500);

        small.require(after);
        small.requireNothingLeft(List.of(after));
    }

    /** Else an answer would depend on what else was asked before it. */
    @ParameterizedTest
    @CsvSource({"200, 2", "300, 2", "400, 2", "200, 8", "300, 8", "400, 8"})
    void prefixThatFitsThePoolIsResidentForAnyResidentLength(int common, int blocks) {
        PagedRig own = new PagedRig(blocks, PagePolicy.LRU, false);
        resident(own, prompt(0, 1000));

        SequenceCache after = own.begin(longer(prompt(0, common), 50));
        assertEquals(common / 128 * 128, after.computed());
        own.prefill(after, common + 50);

        own.require(after);
        SequencePagingStatus figures = after.pagingStatus().orElseThrow();
        assertEquals(0, figures.onHost(), "all of its pages fit");
        for (int position = 0; position < common + 50; position += PAGE) {
            assertTrue(after.map().holds(position), "position " + position);
        }
        own.requireNothingLeft(List.of(after));
    }

    /** As many pages as a sequence has that was computed without a resident, and the same ones. */
    @ParameterizedTest
    @CsvSource({"600, 2", "900, 2", "600, 8", "900, 8"})
    void truncatedResidentIsLaidOutAsIfComputed(int common, int blocks) {
        PagedRig own = new PagedRig(blocks, PagePolicy.LRU, false);
        resident(own, prompt(0, 2000));
        PagedRig cold = new PagedRig(2, PagePolicy.LRU, false);
        int[] tokens = longer(prompt(0, common), 100);
        SequenceCache plain = cold.begin(tokens);
        cold.prefill(plain, common / 128 * 128);

        SequenceCache after = own.begin(tokens);
        assertEquals(plain.computed(), after.computed());
        own.run(PagedRig.window(after, common));
        cold.run(PagedRig.window(plain, common));

        own.require(after);
        for (int position = 0; position < common; position += PAGE) {
            assertEquals(
                    plain.map().holds(position),
                    after.map().holds(position),
                    "position " + position);
        }
    }

    /** It began to count when it began. */
    @Test
    void pageCountsAreCountedOnceForSharedPages() {
        PagedRig small = new PagedRig(2, PagePolicy.LRU, false);
        resident(small, prompt(0, 1000));
        PagingCounts before = small.cache.paging().orElseThrow().counts();
        assertEquals(8, before.pagesOut());

        SequenceCache after = small.begin(longer(prompt(0, 1000), 20));
        assertEquals(PagingCounts.NONE, after.pagingStatus().orElseThrow().counts());
        assertEquals(before, small.cache.paging().orElseThrow().counts());
        small.prefill(after, 1020);
        small.decode(after, 1025);

        PagingCounts sum = small.cache.paging().orElseThrow().counts();
        assertEquals(9, sum.pagesOut());
        assertEquals(1, after.pagingStatus().orElseThrow().counts().pagesOut());
        small.requireNothingLeft(List.of(after));
        assertEquals(sum, small.cache.paging().orElseThrow().counts(), "it is gone, they are not");
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 512, 513, 1000, 1024})
    void copyOfARunningSequenceIsUnchanged(int length) {
        int[] prompt = prompt(0, length);
        SequenceCache leader = computed(rig, prompt);
        cache.retainCopy(leader, OUTPUT);
        rig.decode(leader, length + 200);
        rig.require(leader);

        SequenceCache same = rig.begin(prompt);
        assertEquals(length, same.computed());
        assertEquals(7, same.output().orElseThrow().best());
        rig.decode(same, length + 100);

        rig.require(same);
        rig.require(leader);
        rig.requireNothingLeft(List.of(leader, same));
    }

    @Test
    void copiesShareTheirPagesUntilTheLastIsRemoved() {
        int[] prompt = prompt(0, 1000);
        SequenceCache leader = computed(rig, prompt);
        cache.retainCopy(leader, OUTPUT);
        rig.flush();
        assertEquals(8, rig.device.hostPages().size());

        cache.drop(leader);
        rig.flush();
        assertEquals(8, rig.device.hostPages().size(), "the copy has them still");
        assertEquals(List.of(), List.copyOf(rig.device.dropped()));
        cache.evictAll();
        rig.flush();

        assertEquals(0, rig.device.hostPages().size());
        assertEquals(8, rig.device.dropped().size());
    }

    @Test
    void evictedResidentDropsItsPagesBeforeTheNextBatch() {
        PagedRig small = new PagedRig(4, PagePolicy.LRU, false);
        resident(small, prompt(0, 1000));
        resident(small, prompt(10_000, 1000));
        assertEquals(16, small.device.hostPages().size());

        SequenceCache third = small.begin(prompt(20_000, 600));
        Batch batch = small.run(PagedRig.window(third, 128));

        assertEquals(
                8, batch.changes().moves().stream().filter(HostPageFree.class::isInstance).count());
        assertEquals(8, small.device.hostPages().size());
        assertEquals(1, small.left.size());
        small.prefill(third, 600);
        small.require(third);
        small.requireNothingLeft(List.of(third));
    }

    /** Shards that were not lost still have pages of those that are gone. */
    @Test
    void sequencesLostByTheCachesLeaveNothing() {
        SequenceCache lost = computed(rig, prompt(0, 1000));
        resident(rig, prompt(10_000, 700));
        assertEquals(11, rig.device.hostPages().size());

        cache.clear();
        rig.device.loseSlots();
        SequenceCache again = rig.begin(prompt(0, 1000));
        assertEquals(0, again.computed());
        rig.prefill(again, 128);

        assertEquals(0, rig.device.hostPages().size());
        assertEquals(0, cache.paging().orElseThrow().hostPages());
        rig.prefill(again, 1000);
        rig.require(again);
        assertEquals(8, rig.device.hostPages().size());
        assertEquals(8, lost.pagingStatus().orElseThrow().onHost(), "nobody asks it any more");
        rig.requireNothingLeft(List.of(again));
    }

    /** The cache reports page counts as counters, which never fall. */
    @Test
    void pageCountsOutliveTheSequences() {
        computed(rig, prompt(0, 1000));
        resident(rig, prompt(10_000, 700));
        PagingCounts before = cache.paging().orElseThrow().counts();
        assertEquals(11, before.pagesOut());

        cache.clear();

        assertEquals(before, cache.paging().orElseThrow().counts());
    }

    @Test
    void draftTokensEndAtThePageBeyondThePool() {
        SequenceCache sequence = computed(rig, prompt(0, 600));

        assertEquals(39, cache.mostDraftTokens(sequence));
        for (int computed = 600; computed < 800; computed++) {
            int last = computed + cache.mostDraftTokens(sequence);
            assertEquals(63, last % PAGE, "behind " + computed + " tokens");
            rig.decode(sequence);
        }
    }

    /** So that no page leaves between tokens that are decoded together. */
    @Test
    void draftTokensStayInThePoolWhileItHasRoom() {
        SequenceCache sequence = computed(rig, prompt(0, 300));
        for (int computed = 300; computed < POOL; computed++) {
            int most = cache.mostDraftTokens(sequence);
            assertTrue(most >= 0 && computed + most < POOL, computed + ": " + most);
            assertEquals(
                    computed <= POOL - 2 * PAGE ? 63 : 63 - computed % PAGE,
                    most,
                    "behind " + computed + " tokens");
            rig.decode(sequence);
        }
    }

    @Test
    void draftLengthIsLimitedByTheRollbackBuffer() {
        PagedRig forgetting = new PagedRig(8, PagePolicy.LRU, true);
        SequenceCache sequence = computed(forgetting, prompt(0, 600));

        assertEquals(15, forgetting.cache.mostDraftTokens(sequence));
        forgetting.decode(sequence, 630);
        assertEquals(9, forgetting.cache.mostDraftTokens(sequence));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rejectedDraftTokensLeaveNoTrace(boolean forgets) {
        PagedRig own = new PagedRig(8, PagePolicy.LRU, forgets);
        SequenceCache sequence = computed(own, prompt(0, 600));
        for (int round = 0; round < 100; round++) {
            int draftTokens = Math.min(12, own.cache.mostDraftTokens(sequence));
            int[] tokens = prompt(3_000_000 + 20 * round, draftTokens + 1);
            int first = sequence.computed();
            own.run(PagedRig.rows(sequence, draftTokens, TokenTree.CHAIN, tokens));
            int right = 1 + round % (draftTokens + 1);
            for (int i = 0; i < right; i++) {
                sequence.tokens().add(tokens[i]);
            }
            own.cache.accept(sequence, first + right);

            own.flush();
            assertEquals(first + right, sequence.computed());
            own.require(sequence);
        }
        own.requireNothingLeft(List.of(sequence));
    }

    /**
     * Rejected tokens leave rows in their page. Later rows overwrite them, or no token reads them.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void treePathIsCompactedInUnorderedPages(boolean forgets) {
        PagedRig own = new PagedRig(8, PagePolicy.LRU, forgets);
        SequenceCache sequence = computed(own, prompt(0, 600));
        TokenTree tree = TokenTree.of(new int[] {-1, 0, 0, 2, 2, 4, 3});
        AcceptedPath path = AcceptedPath.of(0, 2, 4, 5);
        for (int round = 0; round < 60; round++) {
            if (own.cache.mostDraftTokens(sequence) < 6) {
                own.decode(sequence);
                continue;
            }
            int[] tokens = prompt(3_000_000 + 20 * round, 7);
            int first = sequence.computed();
            own.run(PagedRig.rows(sequence, 6, tree, tokens));
            for (int i = 0; i < path.length(); i++) {
                sequence.tokens().add(tokens[path.token(i)]);
            }
            own.cache.accept(sequence, path);
            own.flush();

            assertEquals(first + 4, sequence.computed());
            own.require(sequence);
        }
        own.requireNothingLeft(List.of(sequence));
    }

    /** A tree may cross from one page to the next if the two pages lie in order. */
    @Test
    void treePathIsCompactedAcrossPages() {
        SequenceCache sequence = computed(rig, prompt(0, 2 * PAGE - 3));
        int[] tokens = prompt(3_000_000, 7);
        rig.run(PagedRig.rows(sequence, 6, TokenTree.of(new int[] {-1, 0, 0, 2, 2, 4, 3}), tokens));
        AcceptedPath path = AcceptedPath.of(0, 2, 4, 5);
        for (int i = 0; i < path.length(); i++) {
            sequence.tokens().add(tokens[path.token(i)]);
        }
        cache.accept(sequence, path);
        rig.flush();

        rig.require(sequence);
    }

    /** Neighbours part where a page ends; the one from 960 on lies before the one up to there. */
    @ParameterizedTest
    @CsvSource({"950, 9", "950, 12", "955, 7", "940, 25", "959, 2"})
    void treePathAcrossUnorderedPagesIsCompacted(int computed, int skipped) {
        SequenceCache sequence = computed(rig, prompt(0, computed));
        int count = skipped + 30;
        int[] parents = new int[count];
        Arrays.setAll(parents, token -> token == skipped ? 0 : token - 1);
        int[] tokens = prompt(3_000_000, count);
        rig.run(PagedRig.rows(sequence, count - 1, TokenTree.of(parents), tokens));
        int[] path =
                IntStream.range(0, count).filter(token -> token == 0 || token >= skipped).toArray();
        for (int token : path) {
            sequence.tokens().add(tokens[token]);
        }

        cache.accept(sequence, AcceptedPath.of(path));
        rig.flush();

        assertFalse(sequence.map().isStraight());
        assertEquals(computed + path.length, sequence.computed());
        rig.require(sequence);
    }

    @ParameterizedTest
    @EnumSource
    void policyDecidesWhetherShardsScorePages(PagePolicy policy) {
        PagedRig own = new PagedRig(8, policy, false);

        assertEquals(policy != PagePolicy.LRU, own.cache.choosesPages(POOL + 1));
        assertEquals(policy == PagePolicy.QK, own.cache.needsShardScores());
        assertFalse(own.cache.choosesPages(POOL));
    }

    @Test
    void nothingIsSelectedWithoutScores() {
        SequenceCache sequence = computed(rig, prompt(0, 1000));
        rig.flush();
        PagingCounts before = sequence.pagingStatus().orElseThrow().counts();

        cache.choosePages(
                sequence, List.of(new PageScores(0, 1, new float[15])), 15, sequence.computed());

        assertTrue(cache.takeChanges().isEmpty());
        assertEquals(before, sequence.pagingStatus().orElseThrow().counts());
        for (int i = 0; i < 100; i++) {
            assertEquals(List.of(), rig.decode(sequence).queries());
        }
    }

    /** Scores that want some pages and no others. */
    private static List<PageScores> wanting(int pages, int... wanted) {
        float[] values = new float[pages];
        for (int page : wanted) {
            values[page] = 1;
        }
        return List.of(new PageScores(0, 3, values));
    }

    @Test
    void requestedPagesAreRecalledUnchanged() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        SequenceCache sequence = computed(own, prompt(0, 1000));
        assertEquals(-1, sequence.pages().orElseThrow().slot(3 * PAGE));

        own.cache.choosePages(sequence, wanting(15, 3, 5), 15, sequence.computed());
        own.flush();

        own.require(sequence);
        for (int page : new int[] {0, 3, 5, 11, 12, 13, 14, 15}) {
            assertTrue(sequence.pages().orElseThrow().slot(page * PAGE) >= 0, "page " + page);
        }
        PagingCounts counts = sequence.pagingStatus().orElseThrow().counts();
        assertEquals(2, counts.recalls());
        assertEquals(1, counts.reselects());
        own.decode(sequence, 1200);
        own.require(sequence);
        own.requireNothingLeft(List.of(sequence));
    }

    private static float[] worth(int pages, int... best) {
        float[] scores = new float[pages];
        for (int page : best) {
            scores[page] = 1;
        }
        return scores;
    }

    @Test
    void pagesAreSelectedByTheDrafterScores() {
        PagedRig own = new PagedRig(8, PagePolicy.DRAFTER, false);
        SequenceCache sequence = own.begin(prompt(0, 1000));
        own.prefill(sequence, 936);

        own.cache.choosePagesFor(sequence, worth(16, 3), 1000);
        long choices = sequence.pagingStatus().orElseThrow().counts().pagesIn();
        own.prefill(sequence, 1000);

        own.require(sequence);
        assertTrue(sequence.pages().orElseThrow().slot(3 * PAGE) >= 0);
        assertEquals(choices, sequence.pagingStatus().orElseThrow().counts().pagesIn());
        assertFalse(own.cache.isChoiceDue(sequence));
        own.requireNothingLeft(List.of(sequence));
    }

    @Test
    void drafterSelectsPagesAtTheConfiguredInterval() {
        PagedRig own = new PagedRig(8, PagePolicy.DRAFTER, false);
        SequenceCache sequence = computed(own, prompt(0, POOL));
        int last = 0;
        for (int end = POOL + 1; end < 1200; end++) {
            assertEquals(List.of(), own.decode(sequence).queries());
            boolean due = end - last >= PagedRig.TAU;
            assertEquals(due, own.cache.isChoiceDue(sequence), "behind " + end + " tokens");
            if (due && end % 2 == 0) {
                own.cache.choosePages(sequence, worth(20, 4));
                assertTrue(sequence.pages().orElseThrow().slot(4 * PAGE) >= 0);
            } else if (due) {
                own.cache.skipChoice(sequence, end);
            }
            last = due ? end : last;
        }
        own.flush();
        own.require(sequence);
    }

    /** The cache brings back page 3 only if it knows the choice before it makes the next batch. */
    @Test
    void selectionPrecedesTheNextTokensOfItsSequence() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        SequenceCache sequence = computed(own, prompt(0, 1000));
        own.cache.choosePages(sequence, wanting(15, 3), 15, sequence.computed());

        Batch batch = own.decode(sequence);

        assertTrue(
                batch.changes().moves().stream()
                        .anyMatch(
                                move ->
                                        move instanceof PageMove page
                                                && page.direction() == PageMove.Direction.IN));
        assertTrue(batch.chunks().getFirst().place().positions().holds(3 * PAGE));
    }

    @Test
    void shardsScoreAtTheConfiguredInterval() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        SequenceCache sequence = computed(own, prompt(0, 500));
        for (int end = 501; end <= POOL; end++) {
            assertEquals(List.of(), own.decode(sequence).queries(), "all pages are there");
        }
        int last = 0;
        for (int end = POOL + 1; end < 1200; end++) {
            Batch batch = own.decode(sequence);
            boolean due = end - last >= PagedRig.TAU;
            assertEquals(due ? 1 : 0, batch.queries().size(), "behind " + end + " tokens");
            if (due) {
                PageQuery query = batch.queries().getFirst();
                requireAsked(query, sequence, (end - 1) / PAGE);
                own.cache.choosePages(
                        sequence,
                        wanting(query.pages().size(), 1 + end % 5),
                        query.pages().size(),
                        sequence.computed());
                own.flush();
                own.require(sequence);
                last = end;
            }
        }
        own.requireNothingLeft(List.of(sequence));
    }

    /** It asks about the pages that are whole before the batch, where they lie in it. */
    private static void requireAsked(PageQuery query, SequenceCache sequence, int pages) {
        assertEquals(0, query.chunkIndex());
        assertEquals(pages, query.pages().size());
        for (int page = 0; page < pages; page++) {
            int offset = sequence.pages().orElseThrow().slot(page * PAGE);
            assertEquals(
                    offset < 0 ? PageQuery.PagePlace.ON_HOST : sequence.span().begin() + offset,
                    query.pages().get(page).slot());
        }
    }

    /** Scoring looks at all of a long history, which takes its time. */
    @Test
    void shardsScoreLessOftenForLongerHistories() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        SequenceCache sequence = computed(own, prompt(0, 5400));
        int last = 0;
        for (int end = 5401; end < 5700; end++) {
            Batch batch = own.decode(sequence);
            if (!batch.queries().isEmpty()) {
                int asked = batch.queries().getFirst().pages().size();
                own.cache.choosePages(sequence, wanting(asked, 7), asked, sequence.computed());
                assertTrue(last == 0 || end - last == end / 45, last + " and " + end);
                last = end;
            }
        }
        assertTrue(last > 5401);
    }

    @Test
    void draftTokensEndWhereShardsScore() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        SequenceCache sequence = computed(own, prompt(0, 900));
        own.cache.choosePages(sequence, wanting(14, 3), 14, sequence.computed());

        for (int computed = 900; computed < 964; computed++) {
            int most = own.cache.mostDraftTokens(sequence);
            int pageEnd = (computed / PAGE + 1) * PAGE;
            assertEquals(Math.min(pageEnd, 964), computed + most + 1, "behind " + computed);
            own.decode(sequence);
        }
    }

    @Test
    void scoringBatchLeavesTheSequenceUnchanged() {
        PagedRig own = new PagedRig(8, PagePolicy.QK, false);
        int[] tokens = prompt(0, 1000);
        SequenceCache sequence = own.begin(tokens);
        own.prefill(sequence, 936);
        int rows = sequence.stateRow();

        Batch batch =
                own.cache.pageScoringBatch(
                        sequence, 1, Arrays.copyOfRange(tokens, 936, 1000), 1000);
        own.device.make(batch.changes().moves());

        assertEquals(936, sequence.computed());
        assertEquals(rows, sequence.stateRow());
        assertNotEquals(rows, batch.chunks().getFirst().writeRow());
        assertEquals(Phase.PREFILL, batch.phase());
        assertEquals(14, batch.queries().getFirst().pages().size());
        own.require(sequence);
        own.cache.choosePages(sequence, wanting(14, 2, 4), 14, sequence.computed());
        Batch next = own.run(PagedRig.window(sequence, 1000));
        assertTrue(next.chunks().getFirst().place().positions().holds(2 * PAGE));
        assertTrue(next.chunks().getFirst().place().positions().holds(4 * PAGE));
        own.require(sequence);
        own.requireNothingLeft(List.of(sequence));
    }

    /** The pages of the first tokens that lie in the pool. */
    private static List<Integer> heldBefore(int tokens, SequenceCache sequence) {
        return IntStream.range(0, Math.ceilDiv(tokens, PAGE))
                .filter(page -> sequence.map().holds(page * PAGE))
                .boxed()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 300, 512, 513, 640, 700, 1000})
    void importedSequenceContinuesLikeTheOriginal(int length) {
        int[] more = longer(prompt(0, length), 200);
        SequenceCache source = rig.begin(more);
        rig.prefillInCells(source, length);
        ChunkHistory chunkHistory = source.chunkHistory().upTo(length);

        SequenceCache brought =
                cache.beginAfter(PagedRig.request(more), chunkHistory, 0).orElseThrow();
        rig.flush();
        rig.device.adopt(brought.rows(0, length), PagedRig.expected(brought.tokens(), length));

        assertEquals(length, brought.computed());
        assertEquals(heldBefore(length, source), heldBefore(length, brought));
        rig.prefill(brought, length + 200);
        rig.require(brought);
        rig.require(source);
        rig.requireNothingLeft(List.of(source, brought));
    }

    @Test
    void rollbackBuffersWorkWithPools() {
        KvCacheConfig sizes =
                new KvCacheConfig(4096, 9, new RollbackBufferSizes(2, 8))
                        .with(new PagingOptions(POOL, PagePolicy.LRU, 64));

        assertEquals(new RollbackBufferSizes(2, 8), sizes.rollbackBuffers());
        assertEquals(9, sizes.stateRows());
        assertEquals(4096, sizes.slots());
    }
}

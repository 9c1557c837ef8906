package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.TokenTree;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.shard.lora.LoraTerms;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class BatchCheckTest {
    private static final ShardOptions OPTIONS =
            ShardOptions.of(CacheTypes.f16(), new CacheCapacities(512, 3, 0))
                    .withCaptures(List.of(1, 2));
    private static final BatchCheck FIRST =
            new BatchCheck(new LayerRange(0, 2), 10, 4, false, OPTIONS, LoraTerms.NONE);
    private static final BatchCheck SECOND =
            new BatchCheck(new LayerRange(2, 4), 10, 4, false, OPTIONS, LoraTerms.NONE);

    private static SequenceChunk chunk(KvSlotSpan span, int row, int... tokens) {
        return new SequenceChunk(1, tokens, ChunkPlacement.start(span, row), RequestedOutput.BEST);
    }

    private static Batch batch(SequenceChunk... chunks) {
        return new Batch(List.of(chunks), Phase.PREFILL);
    }

    private static final SequenceChunk GOOD = chunk(new KvSlotSpan(256, 256), 2, 0, 9);

    private static Batch withImage(int begin, ImageAttention attention) {
        ImageSpan span = new ImageSpan(begin, 2, 1, ImagePositions.LINE, attention);
        return batch(GOOD.with(new SequenceImages(List.of(span), List.of(ImageRows.NONE))));
    }

    /** A token would attend to rows of a later batch. */
    @Test
    void imagesThatAttendToThemselvesAreNotDivided() {
        ImageAttention both = ImageAttention.BIDIRECTIONAL_IN_WINDOWS;

        FIRST.require(withImage(0, both), Optional.empty());
        FIRST.require(withImage(2, both), Optional.empty());
        FIRST.require(withImage(1, ImageAttention.CAUSAL), Optional.empty());
        assertEquals(
                "positions 0 to 1 divide the image at 1 to 2, whose tokens attend to one another",
                refusal(FIRST, withImage(1, both), Optional.empty()));
    }

    private static String refusal(
            BatchCheck check, Batch batch, Optional<LayerActivations> boundary) {
        return assertThrows(IllegalArgumentException.class, () -> check.require(batch, boundary))
                .getMessage();
    }

    @Test
    void scalesOfOtherAdaptersAreRefused() {
        SequenceChunk chunk =
                new SequenceChunk(
                                0,
                                new int[] {1},
                                ChunkPlacement.next(0, new KvSlotSpan(0, 256), 1),
                                RequestedOutput.NONE)
                        .with(new LoraScales(List.of(1f)));
        Batch batch = new Batch(List.of(chunk), Phase.PREFILL);

        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> FIRST.require(batch, Optional.empty()));

        assertEquals(
                "scales of adapters [1.0]: expected 0 except for the adapters of the shard, []",
                refused.getMessage());
    }

    @Test
    void batchAtAllLimitsFits() {
        Batch last =
                new Batch(
                        CacheChanges.copies(List.of(new KvSlotCopy(0, 256, 256))),
                        List.of(GOOD),
                        Phase.DECODE,
                        List.of(1, 2));

        assertDoesNotThrow(() -> FIRST.require(last, Optional.empty()));
        assertDoesNotThrow(
                () -> SECOND.require(last, Optional.of(new HostActivations(new float[8], 2))));
    }

    @Test
    void tokensOutsideOfTheVocabularyAreRefused() {
        KvSlotSpan span = new KvSlotSpan(0, 256);

        for (int token : new int[] {-1, 10, Integer.MAX_VALUE}) {
            assertEquals(
                    "token " + token + " is outside the vocabulary of 10",
                    refusal(FIRST, batch(chunk(span, 1, 3, token)), Optional.empty()));
        }
    }

    @Test
    void slotsAndRowsOutsideOfTheCachesAreRefused() {
        assertEquals(
                "slots up to 768 exceed the pool of 512",
                refusal(FIRST, batch(chunk(new KvSlotSpan(512, 256), 1, 1)), Optional.empty()));
        assertEquals(
                "state row 3 exceeds the 3 rows",
                refusal(FIRST, batch(chunk(new KvSlotSpan(0, 256), 3, 1)), Optional.empty()));
        Batch copying =
                new Batch(
                        CacheChanges.copies(List.of(new KvSlotCopy(0, 257, 256))),
                        List.of(GOOD),
                        Phase.DECODE,
                        List.of());
        assertTrue(
                refusal(FIRST, copying, Optional.empty())
                        .endsWith("exceeds the pool of 512 slots"));
    }

    @Test
    void pagesOutsideOfTheCachesAreRefused() {
        for (KvRowOperation fits :
                List.of(
                        PageMove.out(1, 448),
                        PageMove.in(Long.MAX_VALUE, 448),
                        new HostPageFree(Long.MAX_VALUE))) {
            assertDoesNotThrow(() -> FIRST.require(new CacheChanges(List.of(), List.of(fits))));
        }
        for (PageMove wrong :
                List.of(
                        PageMove.out(1, 512),
                        PageMove.in(1, 512),
                        PageMove.out(1, Integer.MAX_VALUE - 127))) {
            CacheChanges changes = new CacheChanges(List.of(), List.of(wrong));
            String refusal =
                    assertThrows(IllegalArgumentException.class, () -> FIRST.require(changes))
                            .getMessage();

            assertEquals(wrong + " exceeds the pool of 512 slots", refusal);
        }
    }

    private static Batch asking(PageQuery.PagePlace... places) {
        return new Batch(
                CacheChanges.NONE,
                List.of(GOOD),
                Phase.DECODE,
                List.of(),
                List.of(new PageQuery(0, List.of(places))));
    }

    @Test
    void pageQueriesNeedAShardThatScoresPages() {
        BatchCheck scoring =
                new BatchCheck(
                        new LayerRange(0, 2), 10, 4, false, OPTIONS.scoringPages(), LoraTerms.NONE);
        PageQuery.PagePlace last = new PageQuery.PagePlace(1, 448);
        PageQuery.PagePlace host = new PageQuery.PagePlace(1, PageQuery.PagePlace.ON_HOST);
        PageQuery.PagePlace beyond = new PageQuery.PagePlace(1, 512);

        assertDoesNotThrow(() -> scoring.require(asking(last, host), Optional.empty()));
        assertEquals(
                beyond + " exceeds the pool of 512 slots",
                refusal(scoring, asking(last, beyond), Optional.empty()));
        assertEquals(
                "the batch queries page scores, but the shard was not loaded to score pages",
                refusal(FIRST, asking(last), Optional.empty()));
    }

    @Test
    void customStatesCannotFollowTrees() {
        BatchCheck own = new BatchCheck(new LayerRange(0, 2), 10, 4, true, OPTIONS, LoraTerms.NONE);
        SequenceChunk chain =
                new SequenceChunk(
                        1,
                        new int[] {1, 2, 3},
                        ChunkPlacement.start(new KvSlotSpan(0, 256), 1),
                        RequestedOutput.BEST,
                        ChunkComputeMode.ROWS);
        SequenceChunk tree =
                new SequenceChunk(
                        1,
                        chain.tokens(),
                        chain.place(),
                        RequestedOutput.BEST,
                        ChunkComputeMode.ROWS,
                        TokenTree.of(new int[] {-1, 0, 0}));

        assertDoesNotThrow(
                () -> own.require(new Batch(List.of(chain), Phase.DECODE), Optional.empty()));
        assertEquals(
                "a custom state cannot follow the branches of a token tree",
                refusal(own, new Batch(List.of(tree), Phase.DECODE), Optional.empty()));
    }

    @Test
    void captureMissingAtLoadIsRefused() {
        Batch captures = new Batch(List.of(GOOD), Phase.DECODE, List.of(1, 3));

        assertEquals(
                "the batch captures layers [1, 3], but the shard was loaded to capture layers [1,"
                        + " 2]",
                refusal(FIRST, captures, Optional.empty()));
    }

    @Test
    void activationIsPresentExactlyBehindEarlierLayers() {
        LayerActivations boundary = new HostActivations(new float[8], 2);

        assertEquals(
                "range [2, 4) needs boundary activation",
                refusal(SECOND, batch(GOOD), Optional.empty()));
        assertEquals(
                "range [0, 2) accepts no boundary activation",
                refusal(FIRST, batch(GOOD), Optional.of(boundary)));
    }

    @Test
    void activationOfAnotherSizeIsRefused() {
        for (LayerActivations wrong :
                List.of(
                        new HostActivations(new float[8], 1),
                        new HostActivations(new float[12], 3),
                        new HostActivations(new float[7], 2))) {
            assertTrue(
                    refusal(SECOND, batch(GOOD), Optional.of(wrong))
                            .startsWith("boundary activation of " + wrong.tokens()));
        }
    }

    @Test
    void partsOutsideOfTheCachesAreRefused() {
        RowLayout layout = new RowLayout(GgmlType.F16, 8, GgmlType.F16, 8);

        assertDoesNotThrow(() -> FIRST.require(new CachePart.Rows(0, layout, 256, 0, 256)));
        assertDoesNotThrow(() -> FIRST.require(new CachePart.Window(0, layout, 2, 0, 1)));
        assertDoesNotThrow(() -> FIRST.require(new CachePart.State(0, List.of(4L), 2, 1)));
        for (CachePart wrong :
                List.of(
                        new CachePart.Rows(0, layout, 256, 0, 257),
                        new CachePart.Rows(0, layout, Integer.MAX_VALUE, 0, Integer.MAX_VALUE),
                        new CachePart.Window(0, layout, 3, 0, 1),
                        new CachePart.State(0, List.of(4L), 3, 1))) {
            VarveException refusal = assertThrows(VarveException.class, () -> FIRST.require(wrong));

            assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
            assertTrue(refusal.getMessage().startsWith("cache of layer 0: expected "));
        }
    }

    @Test
    void clockForwardsActivationsAndCountsTheirTime() {
        ActivationTransferTimer clock = new ActivationTransferTimer("test:0", new LayerRange(2, 4));
        LayerActivations boundary = new HostActivations(new float[8], 2);
        List<LayerActivations> seen = new ArrayList<>();

        clock.moveIn(Optional.empty(), seen::add);
        assertEquals(0, clock.millis());
        clock.moveIn(Optional.of(boundary), seen::add);
        double in = clock.millis();
        Optional<LayerActivations> none = clock.moveOut(Optional::empty);
        assertEquals(in, clock.millis());
        Optional<LayerActivations> out = clock.moveOut(() -> Optional.of(boundary));

        assertEquals(List.of(boundary), seen);
        assertTrue(none.isEmpty());
        assertEquals(boundary, out.orElseThrow());
        assertTrue(clock.millis() >= in);
    }
}

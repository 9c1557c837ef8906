package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageQuery.PagePlace;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Batches with pages as messages, and what is refused of them. */
class BatchCodecTest {
    private static final int PAGE = 64;
    private static final BatchCodec CODEC = new BatchCodec(BoundaryType.F32, 2, new ImageCodec(3));

    private static final Batch BATCH =
            new Batch(
                    CacheChanges.NONE,
                    List.of(
                            chunk(
                                    170,
                                    new KvSlotSpan(256, 256),
                                    SlotPositionMap.of(new int[] {1, 2, -1, 0}))),
                    Phase.DECODE,
                    List.of(),
                    List.of(
                            new PageQuery(
                                    0,
                                    List.of(
                                            new PagePlace(7, 256),
                                            new PagePlace(9, PagePlace.ON_HOST)))));

    private static SequenceChunk chunk(int position, KvSlotSpan span, SlotPositionMap positions) {
        return new SequenceChunk(
                4,
                new int[] {5, 6},
                new ChunkPlacement(
                        position, span, 2, 3, ChunkPlacement.NO_ROLLBACK_BUFFER, positions),
                RequestedOutput.BEST,
                ChunkComputeMode.ROWS);
    }

    @Test
    void scalesOfAdaptersArriveWithEachChunk() {
        SequenceChunk chunk = BATCH.chunks().getFirst();
        LoraScales scales = new LoraScales(List.of(0.1f, -3f));
        Batch batch = new Batch(List.of(chunk.with(scales), chunk), Phase.DECODE, List.of());

        List<LoraScales> found = decoded(batch).chunks().stream().map(SequenceChunk::lora).toList();

        assertEquals(List.of(scales, LoraScales.AS_LOADED), found);
    }

    private static Batch decoded(Batch batch) {
        return CODEC.decode(CODEC.encode(batch, Optional.empty())).batch();
    }

    private static void assertSame(Batch expected, Batch found, String message) {
        assertEquals(expected.changes(), found.changes(), message);
        assertEquals(expected.queries(), found.queries(), message);
        assertEquals(expected.phase(), found.phase(), message);
        assertEquals(expected.captures(), found.captures(), message);
        assertEquals(
                expected.chunks().stream().map(SequenceChunk::place).toList(),
                found.chunks().stream().map(SequenceChunk::place).toList(),
                message);
        for (int i = 0; i < expected.chunks().size(); i++) {
            assertArrayEquals(
                    expected.chunks().get(i).tokens(), found.chunks().get(i).tokens(), message);
        }
    }

    @Test
    void batchRoundTrips() {
        for (int seed = 0; seed < 200; seed++) {
            Batch batch = randomBatch(new SplittableRandom(seed));

            Batch found = decoded(batch);

            assertSame(batch, found, "seed " + seed);
        }
    }

    private static Batch randomBatch(SplittableRandom random) {
        List<KvRowOperation> moves = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            int slot = random.nextInt(1 << 20) * PAGE;
            long page = random.nextLong(1, Long.MAX_VALUE);
            moves.add(
                    switch (random.nextInt(4)) {
                        case 0 -> PageMove.out(page, slot);
                        case 1 -> PageMove.in(page, slot);
                        case 2 -> new HostPageFree(page);
                        default -> new KvSlotCopy(slot, random.nextInt(1 << 20), PAGE);
                    });
        }
        List<SequenceChunk> chunks = new ArrayList<>();
        List<PageQuery> queries = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            chunks.add(randomSlice(random));
            List<PagePlace> places = new ArrayList<>();
            for (int j = random.nextInt(4); j > 0; j--) {
                places.add(
                        new PagePlace(
                                random.nextLong(1, Long.MAX_VALUE),
                                random.nextBoolean()
                                        ? PagePlace.ON_HOST
                                        : random.nextInt(1 << 20) * PAGE));
            }
            if (random.nextBoolean()) {
                queries.add(new PageQuery(chunks.size() - 1, places));
            }
        }
        return new Batch(
                new CacheChanges(List.of(), moves), chunks, Phase.DECODE, List.of(1), queries);
    }

    /** Its page lies somewhere in a span, others too, and some of the span is empty. */
    private static SequenceChunk randomSlice(SplittableRandom random) {
        KvSlotSpan span = new KvSlotSpan(256 * random.nextInt(9), 256 * random.nextInt(1, 5));
        if (random.nextInt(3) == 0) {
            return chunk(random.nextInt(span.capacity() - 1), span, SlotPositionMap.STRAIGHT);
        }
        int runs = span.capacity() / PAGE;
        int[] pages = new int[runs];
        for (int run = 0; run < runs; run++) {
            pages[run] =
                    random.nextInt(3) == 0
                            ? SlotPositionMap.EMPTY
                            : run + runs * random.nextInt(1000);
        }
        int run = random.nextInt(runs);
        pages[run] = run + runs * random.nextInt(1000);
        return chunk(pages[run] * PAGE + random.nextInt(PAGE - 1), span, SlotPositionMap.of(pages));
    }

    @Test
    void activationFollowsThePages() {
        float[] values = {1, 2, 3, 4};

        BatchCodec.Received received =
                CODEC.decode(CODEC.encode(BATCH, Optional.of(new HostActivations(values, 2))));

        assertSame(BATCH, received.batch(), "with an activation");
        assertArrayEquals(values, received.boundary().orElseThrow().values());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "SMALL; 12; 1; kind of move: expected 0 to 3, found 4",
                "SMALL; 20; -1; queries: expected 0 to 1, found -1",
                "SMALL; 20; 2; queries: expected 0 to 1, found 2",
                "SMALL; 20; 0; large fields: expected 20 to 20, found 52",
                "SMALL; 24; 51; large fields: expected 52 to 52, found 51",
                "SMALL; 24; 53; large fields: expected 52 to 52, found 53",
                "SMALL; 24; -1; large fields: expected 52 to 52, found -1",
                "LARGE; 0; -1; pages of a span: expected 0 to 4194304, found -1",
                "LARGE; 0; 4194305; pages of a span: expected 0 to 4194304, found 4194305",
                "LARGE; 0; 4194304; pages of a span: expected 4194304, found 14",
                "LARGE; 0; 15; pages of a span: expected 15, found 14",
                "LARGE; 0; 14; pages of a span: expected each page once, found invalid or repeated"
                        + " page 0",
                "LARGE; 0; 3; large fields: expected 24 to 24, found 52",
                "LARGE; 4; -2; page of a span: expected -1 to 33554430, found -2",
                "LARGE; 4; 33554431; page of a span: expected -1 to 33554430, found 33554431",
                "LARGE; 8; 1; pages of a span: expected each page once, found invalid or repeated"
                        + " page 1",
                "LARGE; 20; 1; slice of a query: expected 0 to 0, found 1",
                "LARGE; 20; -1; slice of a query: expected 0 to 0, found -1",
                "LARGE; 24; -1; pages of a query: expected 0 to 4194304, found -1",
                "LARGE; 24; 4194305; pages of a query: expected 0 to 4194304, found 4194305",
                "LARGE; 24; 4194304; slot of a page: expected 4 bytes, found 0",
                "LARGE; 24; 3; slot of a page: expected 4 bytes, found 0",
                "LARGE; 24; 1; large fields: expected 40 to 40, found 52",
                "LARGE; 28; 0; page: expected 1 to 9223372036854775807, found 0",
                "LARGE; 32; -1; page: expected 1 to 9223372036854775807, found -4294967289",
                "LARGE; 36; -2; slot of a page: expected -1 to 2147483583, found -2",
                "LARGE; 36; 255; slot of a page: expected a multiple of 64, found 255",
                "LARGE; 36; 2147483584; slot of a page: expected -1 to 2147483583, found"
                        + " 2147483584"
            })
    void fieldOutOfRangeIsRefusedByName(Fields where, int offset, int value, String why) {
        Message spoilt = spoilt(where, offset, value);

        WireException refusal = assertThrows(WireException.class, () -> CODEC.decode(spoilt));

        assertEquals(why, refusal.getMessage());
        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
    }

    /** The part of a message that contains a field. */
    private enum Fields {
        SMALL,
        LARGE
    }

    private static Message spoilt(Fields where, int offset, int value) {
        Message whole = CODEC.encode(BATCH, Optional.empty());
        ByteBuffer small = copy(whole.meta());
        ByteBuffer large = copy(whole.payload());
        (where == Fields.SMALL ? small : large).putInt(offset, value);
        return new Message(MessageType.FORWARD, small, large);
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        return copy.put(bytes).flip().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** It speaks of another span, or the page of the first or of the last token lies nowhere. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "SMALL; 48; 0; 4 pages do not fill the span of 0 slots",
                "SMALL; 48; 512; 4 pages do not fill the span of 512 slots",
                "SMALL; 40; 192; positions up to 194 do not fit the span of 256 slots",
                "SMALL; 40; 191; positions up to 193 do not fit the span of 256 slots",
                "LARGE; 8; 5; positions up to 172 do not fit the span of 256 slots"
            })
    void mapThatDoesNotFitItsChunkIsRefused(Fields where, int offset, int value, String why) {
        Message spoilt = spoilt(where, offset, value);

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> CODEC.decode(spoilt));

        assertEquals(why, refusal.getMessage());
    }

    @Test
    void missingPagesAllocateNothing() {
        Message spoilt = spoilt(Fields.LARGE, 0, 1 << 22);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThrows(WireException.class, () -> CODEC.decode(spoilt));

        long before = threads.getCurrentThreadAllocatedBytes();
        assertThrows(WireException.class, () -> CODEC.decode(spoilt));
        long taken = threads.getCurrentThreadAllocatedBytes() - before;

        assertTrue(taken < 1 << 20, taken + " bytes for a message of " + spoilt);
    }

    @Test
    void truncatedFieldsAreRefused() {
        Message whole = CODEC.encode(BATCH, Optional.of(new HostActivations(new float[4], 2)));

        for (int length = 0; length < whole.meta().remaining(); length++) {
            Message cut = new Message(whole.type(), whole.meta().slice(0, length), whole.payload());
            assertThrows(
                    WireException.class, () -> CODEC.decode(cut), "of " + length + " small bytes");
        }
        for (int length = 0; length < whole.payload().remaining(); length++) {
            Message cut = new Message(whole.type(), whole.meta(), whole.payload().slice(0, length));
            assertThrows(
                    WireException.class, () -> CODEC.decode(cut), "of " + length + " large bytes");
        }
    }

    private static final ImageSpan IMAGE = new ImageSpan(171, 2, 2, ImagePositions.GRID);

    /** A chunk of the tokens 170 and 171, the second of which is the first of an image. */
    private static Batch withImage(float[] rows) {
        SequenceChunk chunk =
                chunk(170, new KvSlotSpan(256, 256), SlotPositionMap.of(new int[] {1, 2, -1, 0}))
                        .with(
                                new SequenceImages(
                                        List.of(new ImageSpan(3, 5, 1, ImagePositions.LINE), IMAGE),
                                        List.of(ImageRows.NONE, ImageRows.all(rows))));
        return new Batch(List.of(chunk), Phase.PREFILL);
    }

    @Test
    void imagesAndTheirComputedRowsArrive() {
        Batch batch = withImage(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

        SequenceImages images = decoded(batch).chunks().getFirst().images();

        assertTrue(images.hasPlacesOf(batch.chunks().getFirst().images()));
        List<Float> rows = new ArrayList<>();
        images.forEachRun(
                170,
                172,
                (index, count, values, first) -> {
                    assertEquals(171, index);
                    for (int i = 0; i < count * 3; i++) {
                        rows.add(values[first * 3 + i]);
                    }
                });
        assertEquals(List.of(1f, 2f, 3f), rows);
    }

    /** Masks of sliding layers follow from it in each process. */
    @Test
    void attentionOfImagesArrives() {
        ImageSpan both =
                new ImageSpan(
                        170, 2, 1, ImagePositions.LINE, ImageAttention.BIDIRECTIONAL_IN_WINDOWS);
        SequenceChunk chunk =
                chunk(170, new KvSlotSpan(256, 256), SlotPositionMap.of(new int[] {1, 2, -1, 0}))
                        .with(
                                new SequenceImages(
                                        List.of(both), List.of(ImageRows.all(new float[6]))));

        Batch batch = decoded(new Batch(List.of(chunk), Phase.PREFILL));

        assertEquals(List.of(both), batch.chunks().getFirst().images().spans());
    }

    @Test
    void rangeWithABoundaryGetsPlacesWithoutRows() {
        Batch batch = withImage(new float[12]);
        HostActivations boundary = new HostActivations(new float[] {1, 2, 3, 4}, 2);

        BatchCodec.Received received = CODEC.decode(CODEC.encode(batch, Optional.of(boundary)));

        SequenceImages images = received.batch().chunks().getFirst().images();
        assertTrue(images.hasPlacesOf(batch.chunks().getFirst().images()));
        assertArrayEquals(boundary.values(), received.boundary().orElseThrow().values());
    }

    @Test
    void missingRowsOfImagesAreRefused() {
        Message whole = CODEC.encode(withImage(new float[12]), Optional.empty());
        ByteBuffer payload = whole.payload();
        Message cut =
                new Message(
                        whole.type(),
                        whole.meta(),
                        payload.slice(0, payload.remaining() - 4).order(ByteOrder.LITTLE_ENDIAN));

        WireException thrown = assertThrows(WireException.class, () -> CODEC.decode(cut));

        assertEquals(WireErrorCode.INVALID_REQUEST, thrown.code());
        assertTrue(thrown.getMessage().contains("rows of images"), thrown.getMessage());
    }
}

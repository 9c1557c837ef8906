package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenTree;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The bytes of version 12, as shard processes of other releases send and take them. A change here
 * needs another version number.
 */
class GoldenBytesTest {
    private static final int[] TOKENS = {7, 258};

    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Small fields, and the payload behind a dash. */
    private static String hex(Message message) {
        return message.type() + ": " + hex(message.meta()) + " - " + hex(message.payload());
    }

    private static SequenceChunk chunk(
            long sequence, int[] tokens, int slot, RequestedOutput outputs, ChunkComputeMode kind) {
        return new SequenceChunk(
                sequence,
                tokens,
                new ChunkPlacement(
                        slot == 0 ? 0 : 9,
                        new KvSlotSpan(slot, KvSlotSpan.BLOCK),
                        slot == 0 ? 0 : 2,
                        slot == 0 ? 1 : 2),
                outputs,
                kind);
    }

    private static Batch batch() {
        return new Batch(
                new CacheChanges(
                        List.of(new StateCommit(1, 2, 3, 9, 4)),
                        List.of(new KvSlotCopy(1, 256, 5))),
                List.of(
                        chunk(3, TOKENS, 0, RequestedOutput.NONE, ChunkComputeMode.PIECE),
                        chunk(4, new int[] {1}, 256, RequestedOutput.BEST, ChunkComputeMode.ROWS),
                        chunk(5, TOKENS, 512, RequestedOutput.LAST, ChunkComputeMode.CHUNK),
                        chunk(-1, new int[] {2}, 768, RequestedOutput.ALL, ChunkComputeMode.ROWS)),
                Phase.DECODE,
                List.of(2, 3));
    }

    @Test
    void batchHasItsBytes() {
        float[] values = {1, -2, 0.5f, 3, 1, -2, 0.5f, 3, 1, -2, 0.5f, 3};

        assertEquals(
                "67: 0100000002000000020000000300000001000000010000000200000003"
                        + "00000009000000040000000000000001000000040000000000000020000000"
                        + "03000000000000000200000000000000000000000001000000000000010000"
                        + "00ffffffff0000000001000000000000000000000004000000000000000100"
                        + "00000900000000010000000100000200000002000000ffffffff0100000002"
                        + "00000000000000000000000500000000000000020000000900000000020000"
                        + "000100000200000002000000ffffffff020000000000000000000000000000"
                        + "00ffffffffffffffff01000000090000000003000000010000020000000200"
                        + "0000ffffffff0300000002000000000000000000000001 - 0000000001000"
                        + "00000010000050000000000000000000000000000000000000007000000020"
                        + "1000001000000070000000201000002000000003c00c000380042003c00c00"
                        + "0380042003c00c000380042",
                hex(
                        new BatchCodec(BoundaryType.F16, 2, new ImageCodec(2))
                                .encode(batch(), Optional.of(new HostActivations(values, 6)))));
    }

    @Test
    void changesOfAdaptersHaveTheirBytes() {
        LoraReference reference = new LoraReference(2, "a.gguf", "cd", Optional.of("ef"), 0.5f);

        assertEquals(
                "85: 0200000006000000612e67677566020000006364020000006566000000000000e03f - ",
                hex(reference.encodeAdd()));
        assertEquals("86: 02000000 - ", hex(LoraReference.encodeRemove(2)));
        assertEquals(reference, LoraReference.decodeAdd(reference.encodeAdd()));
        assertEquals(2, LoraReference.decodeRemove(LoraReference.encodeRemove(2)));
    }

    @Test
    void resultHasItsBytes() {
        ResultCodec codec =
                new ResultCodec(BoundaryType.BF16, new LayerRange(1, 4), OptionalInt.empty(), 3, 1);
        ShardResult result =
                new ShardResult(
                        new float[] {9, 9, 9, 1, 2, 3, 4, 5, 6},
                        new int[] {2, 0, 0},
                        3,
                        Optional.empty(),
                        List.of(
                                new CapturedFeature(2, new float[] {1, 2, 3, 4, 5, 6}, 6),
                                new CapturedFeature(3, new float[] {6, 5, 4, 3, 2, 1}, 6)));

        assertEquals(
                "67: 0e000000000000000a000000000000000b000000000000000c00000000"
                        + "0000000d000000000000000000000000000000030000000200000000000000"
                        + "0000000002000000020000000300000000000000 - 0000803f00000040000"
                        + "04040000080400000a0400000c0400000803f0000004000004040000080400"
                        + "000a0400000c0400000c0400000a0400000804000004040000000400000803"
                        + "f",
                hex(codec.encode(batch(), result, new ShardMemory(10, 11, 12, 13), 14)));
    }

    private static ShardLoadRequest load(UnaryOperator<ShardOptions> more) {
        ShardOptions options =
                ShardOptions.of(
                                new CacheTypes(GgmlType.Q8_0, GgmlType.F16),
                                new CacheCapacities(512, 3, 256))
                        .withWeights(WeightLayout.AS_IN_FILE)
                        .withFlashAttention(FlashAttention.OFF)
                        .withExactRows(BatchInvariance.ON)
                        .withCaptures(List.of(2, 3));
        return new ShardLoadRequest(
                new ShardLoadRequest.Model(
                        "m.gguf",
                        "ab",
                        Optional.of("cd"),
                        new ShardLoadRequest.ModelDimensions("qwen35", 4, 128, 320),
                        ModelOptions.defaults()),
                new LayerRange(1, 3),
                more.apply(options),
                new ShardLoadRequest.Device(
                        "cpu:0", new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), true)),
                BoundaryType.BF16);
    }

    @Test
    void loadHasItsBytes() {
        assertEquals(
                "65: 060000006d2e67677566020000006162020000006364060000007177656e3335040000"
                        + "0080000000400100000000000000000000000000000000000000000000"
                        + "050000006370"
                        + "753a3001000000030000000400000071385f30030000006631360002000003"
                        + "00000000010000000000000000000001000200000001000000020000000000"
                        + "0000010200000002000000020000000300000000 - ",
                hex(load(options -> options).encode()));
    }

    /** The last byte says it. */
    @Test
    void loadOfAPageScoringShardHasItsBytes() {
        assertEquals(
                "65: 060000006d2e67677566020000006162020000006364060000007177656e3335040000"
                        + "0080000000400100000000000000000000000000000000000000000000"
                        + "050000006370"
                        + "753a3001000000030000000400000071385f30030000006631360002000003"
                        + "00000000010000000000000000000001000200000001000000020000000000"
                        + "0000010200000002000000020000000300000001 - ",
                hex(load(ShardOptions::scoringPages).encode()));
    }

    @Test
    void partsHaveTheirBytes() {
        RowLayout layout = new RowLayout(GgmlType.Q8_0, 32, GgmlType.F16, 8);
        List<CachePart> parts =
                List.of(
                        new CachePart.Rows(1, layout, 300, 44, 5),
                        new CachePart.Window(2, layout, 3, 256, 259),
                        new CachePart.State(3, List.of(6L, 16L), 4, 260),
                        new CachePart.HostPageRows(1, layout, 1L << 40, 133, 59));

        assertEquals(
                "04000000000000000100000008000000200000000000000001000000080000"
                        + "00000000002c0100002c000000050000000100000002000000080000002000"
                        + "00000000000001000000080000000000000003000000000100000301000002"
                        + "00000003000000020000000600000000000000100000000000000004000000"
                        + "04010000030000000100000008000000200000000000000001000000080000"
                        + "00000000000000000000010000850000003b000000",
                hex(new CachePartCodec(new LayerRange(1, 4)).encode(parts)));
    }

    @Test
    void changesHaveTheirBytes() {
        assertEquals(
                "77: 0100000001000000020000000300000009000000040000000000000002"
                        + "000000 - 00000000000100000004000005000000000000000100000002000"
                        + "00003000000",
                hex(
                        CacheChangeCodec.encode(
                                new CacheChanges(
                                        List.of(new StateCommit(1, 2, 3, 9, 4)),
                                        List.of(
                                                new KvSlotCopy(256, 1024, 5),
                                                new KvSlotCopy(1, 2, 3))))));
    }

    private static CacheChanges pageChanges() {
        return new CacheChanges(
                List.of(),
                List.of(
                        PageMove.out(258, 64),
                        new KvSlotCopy(64, 128, 64),
                        PageMove.in(1L << 40, 448),
                        new HostPageFree(7)));
    }

    @Test
    void changesOfPagesHaveTheirBytes() {
        assertEquals(
                "77: 0000000004000000 - 010000000201000000000000400000000000000"
                        + "0400000008000000040000000020000000000000000010000c001000003000"
                        + "0000700000000000000",
                hex(CacheChangeCodec.encode(pageChanges())));
    }

    /** Two chunks, the first of which lies in no order, and a question about pages of each. */
    private static Batch pagedBatch() {
        SlotPositionMap map =
                SlotPositionMap.of(new int[] {0, SlotPositionMap.EMPTY, 12, 2, 9, 10, 11, 13});
        SequenceChunk paged =
                new SequenceChunk(
                        4,
                        TOKENS,
                        new ChunkPlacement(
                                838,
                                new KvSlotSpan(0, 512),
                                2,
                                2,
                                ChunkPlacement.NO_ROLLBACK_BUFFER,
                                map),
                        RequestedOutput.BEST,
                        ChunkComputeMode.ROWS);
        SequenceChunk straight =
                new SequenceChunk(
                        5,
                        new int[] {1},
                        new ChunkPlacement(9, new KvSlotSpan(512, KvSlotSpan.BLOCK), 3, 3),
                        RequestedOutput.NONE,
                        ChunkComputeMode.ROWS);
        PageQuery query =
                new PageQuery(
                        0,
                        List.of(
                                new PageQuery.PagePlace(258, PageQuery.PagePlace.ON_HOST),
                                new PageQuery.PagePlace(1L << 40, 448),
                                new PageQuery.PagePlace(9, 0)));
        return new Batch(
                pageChanges(),
                List.of(paged, straight),
                Phase.DECODE,
                List.of(),
                List.of(query, new PageQuery(1, List.of())));
    }

    @Test
    void batchOfPagesHasItsBytes() {
        assertEquals(
                "67: 0100000000000000000000000400000002000000020000009800000004"
                        + "00000000000000020000004603000000000000000200000200000002000000"
                        + "ffffffff010000000200000000000000000000000500000000000000010000"
                        + "000900000000020000000100000300000003000000ffffffff000000000200"
                        + "0000000000000000000000 - 0100000002010000000000004000000000000"
                        + "000400000008000000040000000020000000000000000010000c0010000030"
                        + "0000007000000000000000800000000000000ffffffff0c000000020000000"
                        + "90000000a0000000b0000000d0000000000000000000000030000000201000"
                        + "000000000ffffffff0000000000010000c0010000090000000000000000000"
                        + "0000100000000000000070000000201000001000000",
                hex(
                        new BatchCodec(BoundaryType.F16, 2, new ImageCodec(2))
                                .encode(pagedBatch(), Optional.empty())));
    }

    /** Of two layers to the first question, of one to the second, which asks for no page. */
    @Test
    void scoresOfPagesHaveTheirBytes() {
        ResultCodec codec =
                new ResultCodec(BoundaryType.BF16, new LayerRange(1, 3), OptionalInt.of(2), 3, 1);
        ShardResult result =
                new ShardResult(
                        new float[0],
                        new int[1],
                        0,
                        Optional.of(new HostActivations(new float[] {1, -2, 0.5f, 3, 1, -2}, 3)),
                        List.of(),
                        List.of(
                                new PageScores(0, 1, new float[] {1, 0.5f, -2}),
                                new PageScores(0, 2, new float[] {-0.25f, 0, 3}),
                                new PageScores(1, 2, new float[0])));

        assertEquals(
                "67: 0e000000000000000a000000000000000b000000000000000c00000000"
                        + "0000000d000000000000000000000002000000000000000000000003000000"
                        + "000000000100000000000000020000000100000002000000 - 803f00c0003"
                        + "f4040803f00c00000803f0000003f000000c0000080be0000000000004040",
                hex(
                        codec.encode(
                                pagedBatch(),
                                result,
                                new ShardMemory(10, 11, 12, 13, 1L << 33),
                                14)));
    }

    /**
     * The bytes of a tree name each token's parent. The bytes of a path name the accepted tokens.
     */
    @Test
    void treeAndItsPathHaveTheirBytes() {
        SequenceChunk plain =
                chunk(
                        4,
                        new int[] {1, 2, 3, 4},
                        256,
                        RequestedOutput.BEST_EACH,
                        ChunkComputeMode.ROWS);
        TokenTree tree = TokenTree.of(new int[] {-1, 0, 0, 2});
        SequenceChunk chunk =
                new SequenceChunk(
                        4, plain.tokens(), plain.place(), plain.outputs(), plain.kind(), tree);
        CacheChanges changes =
                new CacheChanges(
                        List.of(new StateCommit(1, 2, 3, 9, AcceptedPath.of(0, 2, 3))), List.of());

        assertEquals(
                "67: 0100000000000000010000000100000002000000030000000900000003"
                        + "00000003000000020000000300000000000000010000000000000004000000"
                        + "04000000000000000400000009000000000100000001000002000000020000"
                        + "00ffffffff0400000002000000000000000400000000000000000000000200"
                        + "000000 - 0000000001000000020000000300000004000000",
                hex(
                        new BatchCodec(BoundaryType.F16, 2, new ImageCodec(2))
                                .encode(
                                        new Batch(changes, List.of(chunk), Phase.DECODE, List.of()),
                                        Optional.empty())));
    }

    @Test
    void loadOfAScoringModelHasItsBytes() {
        assertEquals(
                "80: 060000006d2e67677566020000006162020000006364050000007177656e3304000000"
                        + "80000000640000000000000000000000000000000000000000000000"
                        + "050000006370753a3002000000000000000101000000040000000800000001000100"
                        + "0000 - ",
                hex(
                        TextScoreCodecTest.load(
                                        new LayerRange(1, 4),
                                        8,
                                        true,
                                        LocalImportanceScorer.Residency.REQUEST_SCOPED)
                                .encode()));
    }

    @Test
    void blockSparseAttentionHasItsBytes() {
        String bytes = hex(TextScoreCodecTest.sparse(0.25, 3, 7).encode());

        assertTrue(
                bytes.endsWith("0101000000000000d03f0300000005000000060000000700000002000000 - "),
                bytes);
    }

    @Test
    void textAndItsScoresHaveTheirBytes() {
        TextScoreCodec codec = new TextScoreCodec(320, 1);

        assertEquals("81: 02000000 - 0700000002010000", hex(codec.encode(TOKENS)));
        assertEquals(
                "81: 02000000 - 0000803e0000003f", hex(codec.encode(new float[] {0.25f, 0.5f})));
    }

    @Test
    void messagesHaveTheirNumbers() {
        assertEquals(
                List.of(64, 65, 66, 67, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84),
                List.of(
                        MessageType.DESCRIBE,
                        MessageType.LOAD,
                        MessageType.UNLOAD,
                        MessageType.FORWARD,
                        MessageType.WARM_UP,
                        MessageType.EXPORT,
                        MessageType.ADOPT,
                        MessageType.CHANGE,
                        MessageType.LOAD_DRAFT,
                        MessageType.DRAFT,
                        MessageType.LOAD_SCAN,
                        MessageType.SCAN,
                        MessageType.FORWARD_IMAGES,
                        MessageType.LOAD_IMAGES,
                        MessageType.ENCODE_IMAGE));
    }

    @Test
    void everyEnumValueHasItsNumber() {
        assertEquals("PREFILL 0, DECODE 1", numbers(EnumCodec.PHASE, Phase.values()));
        assertEquals(
                "NONE 0, BEST 1, LAST 2, ALL 3, BEST_EACH 4, TOP 5, TOP_EACH 6",
                numbers(EnumCodec.OUTPUTS, RequestedOutput.values()));
        assertEquals(
                "AUTO 2, PERSISTENT 0, REQUEST_SCOPED 1",
                numbers(EnumCodec.SCAN_RESIDENCY, LocalImportanceScorer.Residency.values()));
        assertEquals(
                "AUTO 0, ON 1, OFF 2", numbers(EnumCodec.FLASH_ATTENTION, FlashAttention.values()));
        assertEquals(
                "AUTO 0, ON 1, OFF 2", numbers(EnumCodec.EXACT_ROWS, BatchInvariance.values()));
        assertEquals(
                "F32 0, F16 1, BF16 2", numbers(EnumCodec.BOUNDARY_TYPE, BoundaryType.values()));
        assertEquals(
                "F32 0, F16 1, Q4_0 2, Q4_1 3, Q5_0 6, Q5_1 7, Q8_0 8, BF16 30",
                numbers(
                        EnumCodec.ELEMENT_TYPE,
                        new GgmlType[] {
                            GgmlType.F32,
                            GgmlType.F16,
                            GgmlType.Q4_0,
                            GgmlType.Q4_1,
                            GgmlType.Q5_0,
                            GgmlType.Q5_1,
                            GgmlType.Q8_0,
                            GgmlType.BF16
                        }));
    }

    private static <E extends Enum<E>> String numbers(EnumCodec<E> codec, E[] values) {
        return Arrays.stream(values)
                .map(value -> value.name() + " " + codec.number(value))
                .collect(Collectors.joining(", "));
    }

    @Test
    void unknownNumberIsRefusedWithTheKnownOnes() {
        WireException refusal =
                assertThrows(
                        WireException.class,
                        () ->
                                EnumCodec.BOUNDARY_TYPE.get(
                                        new FieldReader(new FieldWriter().number(3).done())));

        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
        assertEquals("boundary type: expected one of [0, 1, 2], found 3", refusal.getMessage());
    }
}

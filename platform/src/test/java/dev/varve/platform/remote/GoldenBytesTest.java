package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheSizes;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.HostBoundary;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SliceKind;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotCopy;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenPath;
import dev.varve.platform.shard.TokenTree;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The bytes of version 4, as shard processes of earlier releases send and take them. A change here
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

    private static Slice slice(
            long sequence, int[] tokens, int slot, OutputRows outputs, SliceKind kind) {
        return new Slice(
                sequence,
                tokens,
                new SlicePlace(
                        slot == 0 ? 0 : 9,
                        new SlotSpan(slot, SlotSpan.BLOCK),
                        slot == 0 ? 0 : 2,
                        slot == 0 ? 1 : 2),
                outputs,
                kind);
    }

    private static Batch batch() {
        return new Batch(
                new CacheChanges(
                        List.of(new StateCommit(1, 2, 3, 9, 4)), List.of(new SlotCopy(1, 256, 5))),
                List.of(
                        slice(3, TOKENS, 0, OutputRows.NONE, SliceKind.PIECE),
                        slice(4, new int[] {1}, 256, OutputRows.BEST, SliceKind.ROWS),
                        slice(5, TOKENS, 512, OutputRows.LAST, SliceKind.CHUNK),
                        slice(-1, new int[] {2}, 768, OutputRows.ALL, SliceKind.ROWS)),
                Phase.DECODE,
                List.of(2, 3));
    }

    @Test
    void aBatchHasItsBytes() {
        float[] values = {1, -2, 0.5f, 3, 1, -2, 0.5f, 3, 1, -2, 0.5f, 3};

        assertEquals(
                "67: 0100000002000000020000000300000001000000010000000200000003"
                        + "00000009000000040000000000000001000000010000000001000005000000"
                        + "04000000030000000000000002000000000000000000000000010000000000"
                        + "0001000000ffffffff00000000010000000000000004000000000000000100"
                        + "00000900000000010000000100000200000002000000ffffffff0100000002"
                        + "00000000000000050000000000000002000000090000000002000000010000"
                        + "0200000002000000ffffffff020000000000000000000000ffffffffffffff"
                        + "ff010000000900000000030000000100000200000002000000ffffffff0300"
                        + "0000020000000000000001 - 0700000002010000010000000700000002010"
                        + "00002000000003c00c000380042003c00c000380042003c00c000380042",
                hex(
                        new BatchCodec(BoundaryType.F16, 2)
                                .encode(batch(), Optional.of(new HostBoundary(values, 6)))));
    }

    @Test
    void aResultHasItsBytes() {
        ResultCodec codec =
                new ResultCodec(BoundaryType.BF16, new LayerRange(1, 4), OptionalInt.empty(), 3, 1);
        ShardResult result =
                new ShardResult(
                        new float[] {9, 9, 9, 1, 2, 3, 4, 5, 6},
                        new int[] {2, 0, 0},
                        3,
                        Optional.empty(),
                        List.of(
                                new Feature(2, new float[] {1, 2, 3, 4, 5, 6}, 6),
                                new Feature(3, new float[] {6, 5, 4, 3, 2, 1}, 6)));

        assertEquals(
                "67: 0e000000000000000a000000000000000b000000000000000c0000000000"
                        + "00000d0000000000000003000000020000000000000000000000020000000200"
                        + "000003000000 - 0000803f0000004000004040000080400000a0400000c0400"
                        + "000803f0000004000004040000080400000a0400000c0400000c0400000a0400"
                        + "000804000004040000000400000803f",
                hex(codec.encode(batch(), result, new ShardMemory(10, 11, 12, 13), 14)));
    }

    @Test
    void aLoadHasItsBytes() {
        LoadRequest request =
                new LoadRequest(
                        new LoadRequest.Model(
                                "m.gguf",
                                "ab",
                                new LoadRequest.Shape("qwen35", 4, 128, 320),
                                ModelOptions.defaults()),
                        new LayerRange(1, 3),
                        ShardOptions.of(
                                        new CacheTypes(GgmlType.Q8_0, GgmlType.F16),
                                        new CacheSizes(512, 3, 256))
                                .withWeights(WeightLayout.AS_IN_FILE)
                                .withFlashAttention(FlashAttention.OFF)
                                .withExactRows(ExactRows.ON)
                                .withCaptures(List.of(2, 3)),
                        new LoadRequest.Device(
                                "cpu:0",
                                new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), true)),
                        BoundaryType.BF16);

        assertEquals(
                "65: 060000006d2e67677566020000006162060000007177656e3335040000"
                        + "00800000004001000000000000000000000000000000000000050000006370"
                        + "753a3001000000030000000400000071385f30030000006631360002000003"
                        + "00000000010000000000000000000001000200000001000000020000000000"
                        + "00000102000000020000000200000003000000 - ",
                hex(request.encode()));
    }

    @Test
    void partsHaveTheirBytes() {
        RowLayout layout = new RowLayout(GgmlType.Q8_0, 32, GgmlType.F16, 8);
        List<CachePart> parts =
                List.of(
                        new CachePart.Rows(1, layout, 300, 44, 5),
                        new CachePart.Window(2, layout, 3, 256, 259),
                        new CachePart.State(3, List.of(6L, 16L), 4, 260));

        assertEquals(
                "0300000000000000010000000800000020000000000000000100000008000000"
                        + "000000002c0100002c0000000500000001000000020000000800000020000000"
                        + "0000000001000000080000000000000003000000000100000301000002000000"
                        + "0300000002000000060000000000000010000000000000000400000004010000",
                hex(new PartCodec(new LayerRange(1, 4)).encode(parts)));
    }

    @Test
    void changesHaveTheirBytes() {
        assertEquals(
                "01000000010000000200000003000000090000000400000000000000020000"
                        + "00000100000004000005000000010000000200000003000000",
                hex(
                        ChangeCodec.encode(
                                new CacheChanges(
                                        List.of(new StateCommit(1, 2, 3, 9, 4)),
                                        List.of(
                                                new SlotCopy(256, 1024, 5),
                                                new SlotCopy(1, 2, 3))))));
    }

    /** What follows what, and which of it counts. */
    @Test
    void aTreeAndItsPathHaveTheirBytes() {
        Slice plain = slice(4, new int[] {1, 2, 3, 4}, 256, OutputRows.BEST_EACH, SliceKind.ROWS);
        TokenTree tree = TokenTree.of(new int[] {-1, 0, 0, 2});
        Slice slice =
                new Slice(4, plain.tokens(), plain.place(), plain.outputs(), plain.kind(), tree);
        CacheChanges changes =
                new CacheChanges(
                        List.of(new StateCommit(1, 2, 3, 9, TokenPath.of(0, 2, 3))), List.of());

        assertEquals(
                "67: 0100000000000000010000000100000002000000030000000900000003"
                        + "00000003000000020000000300000000000000010000000400000000000000"
                        + "040000000900000000010000000100000200000002000000ffffffff040000"
                        + "00020000000400000000000000000000000200000000 - 010000000200000"
                        + "00300000004000000",
                hex(
                        new BatchCodec(BoundaryType.F16, 2)
                                .encode(
                                        new Batch(changes, List.of(slice), Phase.DECODE, List.of()),
                                        Optional.empty())));
    }

    @Test
    void messagesHaveTheirNumbers() {
        assertEquals(
                List.of(64, 65, 66, 67, 74, 75, 76, 77),
                List.of(
                        MessageType.DESCRIBE,
                        MessageType.LOAD,
                        MessageType.UNLOAD,
                        MessageType.FORWARD,
                        MessageType.REHEARSE,
                        MessageType.EXPORT,
                        MessageType.ADOPT,
                        MessageType.CHANGE));
    }

    @Test
    void everyChoiceHasItsNumber() {
        assertEquals("PREFILL 0, DECODE 1", numbers(EnumCodec.PHASE, Phase.values()));
        assertEquals(
                "NONE 0, BEST 1, LAST 2, ALL 3, BEST_EACH 4",
                numbers(EnumCodec.OUTPUTS, OutputRows.values()));
        assertEquals(
                "AUTO 0, ON 1, OFF 2", numbers(EnumCodec.FLASH_ATTENTION, FlashAttention.values()));
        assertEquals("AUTO 0, ON 1, OFF 2", numbers(EnumCodec.EXACT_ROWS, ExactRows.values()));
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
    void anUnknownNumberIsRefusedWithTheKnownOnes() {
        WireException refusal =
                assertThrows(
                        WireException.class,
                        () ->
                                EnumCodec.BOUNDARY_TYPE.get(
                                        new FieldReader(new FieldWriter().number(3).done())));

        assertEquals(WireCode.INVALID_REQUEST, refusal.code());
        assertEquals("boundary type: expected one of [0, 1, 2], found 3", refusal.getMessage());
    }
}

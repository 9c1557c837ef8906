package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Parts of caches as fields of a message, and what is refused of them. */
class CachePartCodecTest {
    private static final RowLayout LAYOUT = new RowLayout(GgmlType.Q8_0, 64, GgmlType.F16, 16);
    private static final CachePartCodec CODEC = new CachePartCodec(new LayerRange(2, 5));
    private static final CachePart ROWS = new CachePart.Rows(2, LAYOUT, 300, 44, 5);
    private static final CachePart WINDOW = new CachePart.Window(3, LAYOUT, 3, 256, 259);
    private static final CachePart PAGE = new CachePart.HostPageRows(2, LAYOUT, 7, 133, 59);
    private static final CachePart STATE = new CachePart.State(4, List.of(6L, 16L), 4, 260);

    private static void assertRefused(String why, Executable work) {
        WireException refusal = assertThrows(WireException.class, work);
        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
        assertEquals(why, refusal.getMessage());
    }

    @Test
    void partRoundTrips() {
        List<CachePart> parts = List.of(ROWS, WINDOW, STATE, PAGE, ROWS);

        assertEquals(parts, CODEC.decode(CODEC.encode(parts)));
        assertEquals(List.of(), CODEC.decode(CODEC.encode(List.of())));
    }

    /** Pages come to lie in slots in front of those where they would lie in their order. */
    @Test
    void rowsMayHaveEarlierSlotsThanTheirPositions() {
        List<CachePart> parts =
                List.of(
                        new CachePart.Rows(2, LAYOUT, 0, Integer.MAX_VALUE - 64, 64),
                        new CachePart.Rows(2, LAYOUT, 64, 8000, 64),
                        new CachePart.HostPageRows(3, LAYOUT, Long.MAX_VALUE, 0, 64),
                        new CachePart.HostPageRows(3, LAYOUT, 1, Integer.MAX_VALUE - 64, 1));

        assertEquals(parts, CODEC.decode(CODEC.encode(parts)));
    }

    /** Fields by their offsets; those of the only part begin behind the number of parts. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ROWS; 0; -1; parts: expected 0 to 1024, found -1",
                "ROWS; 0; 1025; parts: expected 0 to 1024, found 1025",
                "ROWS; 0; 2; kind of part: expected 4 bytes, found 0",
                "ROWS; 0; 0; message: expected no more fields, found 44 bytes",
                "ROWS; 4; 4; kind of part: expected 0 to 3, found 4",
                "ROWS; 4; -1; kind of part: expected 0 to 3, found -1",
                "ROWS; 8; 1; layer: expected 2 to 4, found 1",
                "ROWS; 8; 5; layer: expected 2 to 4, found 5",
                "ROWS; 16; 0; elements of a K row: expected 1 to 67108864, found 0",
                "ROWS; 20; 1; elements of a K row: expected 1 to 67108864, found 4294967360",
                "ROWS; 16; 65; elements of a K row: expected whole blocks of 32, found 65",
                "ROWS; 28; -1; elements of a V row: expected 1 to 67108864, found 4294967295",
                "ROWS; 36; -1; slot: expected 0 to 2147483646, found -1",
                "ROWS; 40; -1; position: expected 0 to 2147483646, found -1",
                "ROWS; 40; 2147483647; position: expected 0 to 2147483646, found 2147483647",
                "ROWS; 40; 2147483645; positions: expected 1 to 2, found 5",
                "ROWS; 36; 2147483645; positions: expected 1 to 2, found 5",
                "ROWS; 44; 0; positions: expected 1 to 2147483347, found 0",
                "ROWS; 44; 2147483347; bytes of parts: expected at most 67108864, found 0 and"
                        + " 214748334700 more",
                "PAGE; 16; 67108864; bytes of parts: expected at most 67108864, found 0 and"
                        + " 4206888800 more",
                "PAGE; 36; 0; page: expected 1 to 9223372036854775807, found 0",
                "PAGE; 40; -1; page: expected 1 to 9223372036854775807, found -4294967289",
                "PAGE; 44; -1; position: expected 0 to 2147483583, found -1",
                "PAGE; 44; 2147483584; position: expected 0 to 2147483583, found 2147483584",
                "PAGE; 44; 134; positions: expected 1 to 58, found 59",
                "PAGE; 48; 0; positions: expected 1 to 59, found 0",
                "PAGE; 48; 60; positions: expected 1 to 59, found 60",
                "WINDOW; 36; 0; state row: expected 1 to 65536, found 0",
                "WINDOW; 40; 255; first position: expected whole blocks of 256, found 255",
                "WINDOW; 40; 512; end position: expected 513 to 2147483647, found 259",
                "STATE; 12; 0; tensors: expected 1 to 256, found 0",
                "STATE; 12; 257; tensors: expected 1 to 256, found 257",
                "STATE; 20; -1; elements: expected 0 to 67108864, found -4294967290",
                "STATE; 16; 67108864; bytes of parts: expected at most 67108864, found 0 and"
                        + " 268435520 more",
                "STATE; 32; 65537; state row: expected 1 to 65536, found 65537",
                "STATE; 36; 0; end position: expected 1 to 2147483647, found 0"
            })
    void fieldOutOfRangeIsRefusedByName(String part, int offset, int value, String why) {
        CachePart only =
                switch (part) {
                    case "ROWS" -> ROWS;
                    case "PAGE" -> PAGE;
                    case "WINDOW" -> WINDOW;
                    default -> STATE;
                };
        ByteBuffer fields = CODEC.encode(List.of(only)).order(ByteOrder.LITTLE_ENDIAN);
        fields.putInt(offset, value);

        assertRefused(why, () -> CODEC.decode(fields));
    }

    @Test
    void rowsWithTheirValuesInTheKeysHaveNoVRows() {
        RowLayout latent = new RowLayout(GgmlType.Q8_0, 96, GgmlType.Q8_0, 0);
        List<CachePart> parts =
                List.of(
                        new CachePart.Rows(2, latent, 300, 44, 5),
                        new CachePart.HostPageRows(2, latent, 7, 133, 59));
        ByteBuffer otherType = CODEC.encode(parts).order(ByteOrder.LITTLE_ENDIAN);
        otherType.putInt(24, GgmlType.F16.id());

        assertEquals(parts, CODEC.decode(CODEC.encode(parts)));
        assertRefused(
                "elements of a V row: expected 1 to 67108864, found 0",
                () -> CODEC.decode(otherType));
    }

    @Test
    void unknownElementTypeIsRefusedWithTheKnownOnes() {
        ByteBuffer fields = CODEC.encode(List.of(ROWS)).order(ByteOrder.LITTLE_ENDIAN);
        fields.putInt(12, 4);

        WireException refusal = assertThrows(WireException.class, () -> CODEC.decode(fields));

        assertTrue(refusal.getMessage().startsWith("element type: expected one of [0, 1, 2"));
    }

    @Test
    void truncatedFieldsAreRefused() {
        ByteBuffer whole = CODEC.encode(List.of(ROWS, WINDOW, STATE, PAGE));

        for (int length = 0; length < whole.remaining(); length++) {
            ByteBuffer cut = whole.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
            assertThrows(WireException.class, () -> CODEC.decode(cut), "of " + length + " bytes");
        }
    }

    @Test
    void maximumNumberOfPartsFitsAMessage() {
        List<CachePart> most = Collections.nCopies(CachePartCodec.MOST_PARTS, ROWS);
        List<CachePart> pages = Collections.nCopies(CachePartCodec.MOST_PARTS, PAGE);

        assertTrue(CODEC.encode(most).remaining() <= Message.MAX_META_BYTES);
        assertTrue(CODEC.encode(pages).remaining() <= Message.MAX_META_BYTES);
        List<CachePart> more = new ArrayList<>(most);
        more.add(ROWS);
        assertRefused("parts: expected at most 1024, found 1025", () -> CODEC.encode(more));
    }

    @Test
    void totalBytesOfPartsAreLimited() {
        CachePart half = new CachePart.State(4, List.of((long) 8 << 20), 4, 260);

        assertEquals(2, CODEC.decode(CODEC.encode(List.of(half, half))).size());
        assertRefused(
                "bytes of parts: expected at most 67108864, found 67108864 and 88 more",
                () -> CODEC.encode(List.of(half, half, STATE)));
    }
}

package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Changes of caches as a message of their own, and what is refused of it. */
class CacheChangeCodecTest {
    private static final KvSlotCopy COPY = new KvSlotCopy(256, 1024, 77);
    private static final StateCommit COMMIT = new StateCommit(1, 0, 4, 300, 3);
    private static final CacheChanges BOTH =
            new CacheChanges(
                    List.of(COMMIT),
                    List.of(
                            COPY,
                            PageMove.out(7, 128),
                            PageMove.in(7, 64),
                            new HostPageFree(7),
                            new HostPageFree(Long.MAX_VALUE)));

    @Test
    void changesRoundTrip() {
        CacheChanges changes =
                new CacheChanges(
                        List.of(COMMIT, new StateCommit(0, 1, 1, 0, Integer.MAX_VALUE)),
                        List.of(
                                COPY,
                                new KvSlotCopy(0, 0, 1),
                                new KvSlotCopy(0, Integer.MAX_VALUE - 1, 1)));

        for (CacheChanges each : List.of(changes, BOTH, CacheChanges.NONE)) {
            assertEquals(each, CacheChangeCodec.decode(CacheChangeCodec.encode(each)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; -1; commits: expected 0 to 1024, found -1",
                "0; 1025; commits: expected 0 to 1024, found 1025",
                "4; -1; stash: expected 0 to 2147483647, found -1",
                "8; -1; read row: expected 0 to 2147483647, found -1",
                "12; 0; write row: expected 1 to 2147483647, found 0",
                "16; -1; position: expected 0 to 2147483646, found -1",
                "20; 0; tokens: expected 1 to 2147483347, found 0",
                "20; 2147483647; tokens: expected 1 to 2147483347, found 2147483647",
                "24; -1; path tokens: expected 0 to 64, found -1",
                "24; 65; path tokens: expected 0 to 64, found 65",
                "24; 2; path tokens: expected 3, found 2",
                "28; -1; moves: expected 0 to 131072, found -1",
                "28; 131073; moves: expected 0 to 131072, found 131073",
                "28; 0; message: expected no more fields, found 72 bytes",
                "28; 6; kind of move: expected 4 bytes, found 0",
                "32; -1; kind of move: expected 0 to 3, found -1",
                "32; 4; kind of move: expected 0 to 3, found 4",
                "36; -1; copy from: expected 0 to 2147483646, found -1",
                "36; 2147483647; copy from: expected 0 to 2147483646, found 2147483647",
                "40; -256; copy to: expected 0 to 2147483646, found -256",
                "44; 0; copy count: expected 1 to 2147482623, found 0",
                "44; -5; copy count: expected 1 to 2147482623, found -5",
                "44; 2147483647; copy count: expected 1 to 2147482623, found 2147483647",
                "52; 0; page: expected 1 to 9223372036854775807, found 0",
                "68; 0; page: expected 1 to 9223372036854775807, found 0",
                "84; 0; page: expected 1 to 9223372036854775807, found 0",
                "100; -1; page: expected 1 to 9223372036854775807, found -1",
                "56; -1; page: expected 1 to 9223372036854775807, found -4294967289",
                "76; 63; slot of a page: expected a multiple of 64, found 63",
                "60; -64; slot of a page: expected 0 to 2147483583, found -64",
                "60; 65; slot of a page: expected a multiple of 64, found 65",
                "60; 2147483647; slot of a page: expected 0 to 2147483583, found 2147483647"
            })
    void fieldOutOfRangeIsRefusedByName(int offset, int value, String why) {
        Message whole = CacheChangeCodec.encode(BOTH);
        ByteBuffer fields = copy(whole.meta());
        ByteBuffer large = copy(whole.payload());
        boolean isSmall = offset < fields.remaining();
        (isSmall ? fields : large).putInt(isSmall ? offset : offset - fields.remaining(), value);
        Message spoilt = new Message(MessageType.CHANGE, fields, large);

        WireException refusal =
                assertThrows(WireException.class, () -> CacheChangeCodec.decode(spoilt));

        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
        assertEquals(why, refusal.getMessage());
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        return copy.put(bytes).flip().order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void truncatedFieldsAreRefused() {
        Message whole = CacheChangeCodec.encode(BOTH);

        for (int length = 0; length < whole.meta().remaining(); length++) {
            Message cut =
                    new Message(MessageType.CHANGE, whole.meta().slice(0, length), whole.payload());
            assertThrows(
                    WireException.class,
                    () -> CacheChangeCodec.decode(cut),
                    "of " + length + " bytes");
        }
        for (int length = 0; length < whole.payload().remaining(); length++) {
            Message cut =
                    new Message(MessageType.CHANGE, whole.meta(), whole.payload().slice(0, length));
            assertThrows(
                    WireException.class,
                    () -> CacheChangeCodec.decode(cut),
                    "of " + length + " large bytes");
        }
    }
}

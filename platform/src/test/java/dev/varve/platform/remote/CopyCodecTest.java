package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.shard.SlotCopy;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Copies of rows as a message of their own, and what is refused of it. */
class CopyCodecTest {
    private static final SlotCopy COPY = new SlotCopy(256, 1024, 77);

    @Test
    void whatWasEncodedIsDecoded() {
        List<SlotCopy> copies =
                List.of(COPY, new SlotCopy(0, 0, 1), new SlotCopy(0, Integer.MAX_VALUE - 1, 1));

        assertEquals(copies, CopyCodec.decode(CopyCodec.encode(copies)));
        assertEquals(List.of(), CopyCodec.decode(CopyCodec.encode(List.of())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; -1; copies: expected 0 to 16384, found -1",
                "0; 16385; copies: expected 0 to 16384, found 16385",
                "0; 0; message: expected no more fields, found 12 bytes",
                "0; 2; copy from: expected 4 bytes, found 0",
                "4; -1; copy from: expected 0 to 2147483646, found -1",
                "4; 2147483647; copy from: expected 0 to 2147483646, found 2147483647",
                "8; -256; copy to: expected 0 to 2147483646, found -256",
                "12; 0; copy count: expected 1 to 2147482623, found 0",
                "12; -5; copy count: expected 1 to 2147482623, found -5",
                "12; 2147483647; copy count: expected 1 to 2147482623, found 2147483647"
            })
    void aFieldOutOfItsRangeIsRefusedByName(int offset, int value, String why) {
        ByteBuffer fields = CopyCodec.encode(List.of(COPY)).order(ByteOrder.LITTLE_ENDIAN);
        fields.putInt(offset, value);

        WireException refusal = assertThrows(WireException.class, () -> CopyCodec.decode(fields));

        assertEquals(WireCode.INVALID_REQUEST, refusal.code());
        assertEquals(why, refusal.getMessage());
    }

    @Test
    void fieldsThatAreCutOffAreRefused() {
        ByteBuffer whole = CopyCodec.encode(List.of(COPY, COPY));

        for (int length = 0; length < whole.remaining(); length++) {
            ByteBuffer cut = whole.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
            assertThrows(
                    WireException.class, () -> CopyCodec.decode(cut), "of " + length + " bytes");
        }
    }
}

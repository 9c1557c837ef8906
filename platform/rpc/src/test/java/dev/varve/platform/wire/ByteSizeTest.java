package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "007, 7",
        "64B, 64",
        "1KiB, 1024",
        "64MiB, 67108864",
        "1GiB, 1073741824",
        "2TiB, 2199023255552",
        "9223372036854775807, 9223372036854775807",
        "8388607TiB, 9223370937343148032"
    })
    void aSizeIsItsBytes(String text, long bytes) {
        assertEquals(bytes, ByteSize.parse("--ring", text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                " -1",
                "+1",
                "1 ",
                " 1",
                "1e9",
                "0x10",
                "1.5MiB",
                "64 MiB",
                "64MB",
                "64mib",
                "64M",
                "MiB",
                "64MiBx",
                "1_000",
                "1,000",
                "\u0661",
                "64MiB\n",
                "9223372036854775808",
                "18446744073709551616",
                "8388608TiB",
                "99999999999999999999GiB"
            })
    void anythingElseIsRefusedByTheNameOfItsFlag(String text) {
        VarveException error =
                assertThrows(VarveException.class, () -> ByteSize.parse("--ring", text));

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertTrue(error.getMessage().startsWith("--ring: expected "), error.getMessage());
        assertTrue(error.getMessage().endsWith("found \"" + text + "\""), error.getMessage());
    }

    @Test
    void aSizeOutsideItsRangeIsRefusedWithTheRange() {
        VarveException error =
                assertThrows(
                        VarveException.class, () -> ByteSize.parse("--ring", "1KiB", 4096, 8192));

        assertEquals("--ring: expected 4096 to 8192 bytes, found \"1KiB\"", error.getMessage());
    }
}

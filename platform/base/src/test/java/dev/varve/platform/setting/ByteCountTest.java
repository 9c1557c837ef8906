package dev.varve.platform.setting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.OptionalLong;

class ByteCountTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0G, 0",
        "1, 1",
        "007, 7",
        "2k, 2048",
        "3M, 3145728",
        "4g, 4294967296",
        "8589934591G, 9223372035781033984",
        "999999999999999999, 999999999999999999"
    })
    void unitsAreBinary(String text, long bytes) {
        assertEquals(OptionalLong.of(bytes), ByteCount.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "G",
                "-1",
                "+1",
                "1.5G",
                "1 G",
                "1GB",
                "1T",
                "0x10",
                "٣",
                "8589934592G",
                "9223372036854775808",
                "99999999999999999999999"
            })
    void otherTextIsRefused(String text) {
        assertEquals(OptionalLong.empty(), ByteCount.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "1023, 1023 bytes",
        "1024, 1.0 KiB",
        "9876543, 9.4 MiB",
        "1073741824, 1.0 GiB",
        "39928904909, 37.2 GiB",
        "9223372036854775807, 8388608.0 TiB",
        "-2097152, -2.0 MiB"
    })
    void sizeHasTheLargestUnitThatItReaches(long bytes, String expected) {
        assertEquals(expected, ByteCount.format(bytes));
    }
}

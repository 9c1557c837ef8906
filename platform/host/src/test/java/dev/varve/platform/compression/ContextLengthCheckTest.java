package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.OptionalInt;

class ContextLengthCheckTest {
    @ParameterizedTest
    @CsvSource({
        "100,        100,        1024,  false, false",
        "900,        200,        1024,  false, true",
        "167000,     2048,       65536, true,  false",
        "1024,       0,          1024,  false, false",
        "512,        512,        1024,  false, false",
        "1025,       0,          1024,  false, true",
        "1025,       0,          1024,  true,  false",
        "2147483647, 2147483647, 1024,  false, true",
    })
    void aPromptThatCannotBecomeShorterMustFit(
            int prompt, int output, int context, boolean compressible, boolean refused) {
        assertEquals(
                refused, new ContextLengthCheck(context).refuses(prompt, output, compressible));
    }

    @ParameterizedTest
    @CsvSource({
        "5000,       0,     2048,  65536, false",
        "70000,      800,   2048,  65536, false",
        "60000,      -1,    10000, 65536, true",
        "1000,       -1,    2048,  65536, false",
        "70000,      0,     2048,  65536, false",
        "200000,     60000, 10000, 65536, true",
        "2147483647, -1,    1,     65536, true",
    })
    void whatThePromptHasBecomeMustFit(
            int effective, int served, int output, int context, boolean refused) {
        OptionalInt tokens = served < 0 ? OptionalInt.empty() : OptionalInt.of(served);

        assertEquals(refused, new ContextLengthCheck(context).refuses(effective, tokens, output));
    }
}

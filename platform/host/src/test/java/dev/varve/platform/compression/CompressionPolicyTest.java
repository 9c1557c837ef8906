package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompressionPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "OFF,    100000, false, false, VERBATIM",
        "OFF,    100000, true,  true,  VERBATIM",
        "AUTO,   31999,  false, false, VERBATIM",
        "AUTO,   31999,  true,  true,  VERBATIM",
        "AUTO,   32000,  true,  true,  BY_MESSAGE",
        "AUTO,   32000,  true,  false, VERBATIM_CONTINUATION",
        "AUTO,   32000,  false, true,  VERBATIM_FIRST_TURN",
        "AUTO,   32000,  false, false, WHOLE",
        "ALWAYS, 1,      true,  true,  BY_MESSAGE",
        "ALWAYS, 1,      true,  false, VERBATIM_CONTINUATION",
        "ALWAYS, 1,      false, true,  VERBATIM_FIRST_TURN",
        "ALWAYS, 1,      false, false, WHOLE",
    })
    void aPromptIsTreatedByItsLengthAndItsConversation(
            CompressionMode mode,
            int tokens,
            boolean continuation,
            boolean byMessage,
            CompressionDecision expected) {
        CompressionPolicy policy = new CompressionPolicy(mode, 32_000, byMessage);

        assertEquals(expected, policy.treatment(tokens, continuation));
    }

    @Test
    void nothingIsCompressedUnlessSomebodyWantsIt() {
        assertEquals(CompressionMode.OFF, CompressionPolicy.USUAL.mode());
        assertEquals(32_000, CompressionPolicy.USUAL.thresholdTokens());
        assertEquals(
                CompressionDecision.VERBATIM,
                CompressionPolicy.USUAL.treatment(Integer.MAX_VALUE, false));
    }

    @Test
    void aRequestMayWantNone() {
        CompressionPolicy always = CompressionPolicy.USUAL.in(CompressionMode.ALWAYS);

        assertEquals(CompressionDecision.WHOLE, always.treatment(1, false));
        assertEquals(
                CompressionDecision.VERBATIM,
                always.in(CompressionMode.OFF).treatment(100_000, false));
    }

    @ParameterizedTest
    @CsvSource({
        "VERBATIM, false",
        "VERBATIM_CONTINUATION, false",
        "VERBATIM_FIRST_TURN, false",
        "BY_MESSAGE, true",
        "WHOLE, true"
    })
    void twoTreatmentsLeaveSomethingOut(CompressionDecision treatment, boolean compresses) {
        assertEquals(compresses, treatment.compresses());
    }

    @Test
    void modesAreReadByTheirWords() {
        assertEquals(CompressionMode.OFF, CompressionMode.parse("off"));
        assertEquals(CompressionMode.AUTO, CompressionMode.parse("auto"));
        assertEquals(CompressionMode.ALWAYS, CompressionMode.parse("always"));
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> CompressionMode.parse("Always"));
        assertEquals(
                "prefill compression: expected one of off, auto, always, found 'Always'",
                error.getMessage());
    }

    @Test
    void aThresholdIsNotNegative() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new CompressionPolicy(CompressionMode.AUTO, -1, false));
    }
}

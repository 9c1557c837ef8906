package dev.varve.platform.compression.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.compression.CompressionDecision;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversationCompressionSettingsTest {
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
    void modeDependsOnPromptLengthAndConversation(
            CompressionMode mode,
            int tokens,
            boolean continuation,
            boolean byMessage,
            CompressionDecision expected) {
        ConversationCompressionSettings options =
                new ConversationCompressionSettings(
                        CompressionMode.OFF,
                        32_000,
                        byMessage,
                        KeepCurve.USUAL,
                        SelectionSettings.USUAL,
                        MessageCompressionSettings.USUAL,
                        false);

        assertEquals(expected, options.treatment(mode, tokens, continuation));
    }

    @Test
    void nothingIsCompressedByDefault() {
        assertEquals(CompressionMode.OFF, ConversationCompressionSettings.USUAL.mode());
        assertEquals(32_000, ConversationCompressionSettings.USUAL.thresholdTokens());
    }

    @Test
    void modesAreParsedFromTheirNames() {
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
    void thresholdIsNotNegative() {
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        ConversationCompressionSettings.of(
                                CompressionMode.AUTO, -1, KeepRatio.USUAL));
    }
}

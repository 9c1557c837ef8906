package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

/** Known names that unknown ones probably mean. */
class NearestNameTest {
    private static final List<String> KNOWN =
            List.of(
                    "deepseek2",
                    "ernie4_5",
                    "gemma3",
                    "glm4",
                    "glm4moe",
                    "granite",
                    "granitehybrid",
                    "llama",
                    "phi3",
                    "qwen2",
                    "qwen2moe",
                    "qwen3",
                    "qwen35",
                    "qwen3moe");

    @ParameterizedTest
    @CsvSource({
        "qwen4, qwen3",
        "qwen3vlmoe, qwen3moe",
        "llama4, llama",
        "phi2, phi3",
        "deepseek, deepseek2",
        "gemma, gemma3"
    })
    void fewestEditsDecideThenThePrefixThenTheVersion(String name, String expected) {
        assertEquals(Optional.of(expected), NearestName.of(name, KNOWN));
    }

    @ParameterizedTest
    @CsvSource({"glm-dsa, glm4", "granite-speech-large, granite", "ernie5vl-large, ernie4_5"})
    void longestPrefixDecidesWhereNoNameIsNear(String name, String expected) {
        assertEquals(Optional.empty(), NearestName.of(name, KNOWN));
        assertEquals(Optional.of(expected), NearestName.ofRelated(name, KNOWN));
    }

    @Test
    void unrelatedNameHasNone() {
        assertEquals(Optional.empty(), NearestName.ofRelated("whisper", KNOWN));
        assertEquals(Optional.empty(), NearestName.ofRelated("qwen", List.of()));
    }
}

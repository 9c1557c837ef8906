package dev.varve.platform.compression;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Mode of prompt compression. */
public enum CompressionMode {
    /** Compresses no prompt. */
    OFF,
    /** Compresses prompts from a threshold length on. */
    AUTO,
    /** Compresses prompts of any length. */
    ALWAYS;

    /** Returns the word in settings and messages. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses the word.
     *
     * @throws IllegalArgumentException if the word is unknown; the message lists the known ones
     */
    public static CompressionMode parse(String word) {
        return Arrays.stream(values())
                .filter(mode -> mode.word().equals(word))
                .findAny()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "prefill compression: expected one of "
                                                + Arrays.stream(values())
                                                        .map(CompressionMode::word)
                                                        .collect(Collectors.joining(", "))
                                                + ", found '"
                                                + word
                                                + "'"));
    }
}

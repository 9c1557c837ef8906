package dev.varve.platform.compression;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Whether prompts are compressed. */
public enum CompressionMode {
    /** Never. */
    OFF,
    /** Those of a certain length. */
    AUTO,
    /** Whatever their length. */
    ALWAYS;

    /** The word for people. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads the word.
     *
     * @throws IllegalArgumentException if it is none; the message lists them
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

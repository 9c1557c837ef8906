package dev.varve.api.vision;

import java.util.Optional;

/**
 * Tokens that mark an image in a prompt, as texts of the vocabulary's control tokens.
 *
 * @param placeholder the token that the chat template writes for an image, whose place the image's
 *     rows take
 * @param begin token before the rows
 * @param end token after the rows
 * @param writer writes {@code begin} and {@code end}
 */
public record ImageMarks(String placeholder, String begin, String end, Writer writer) {
    /** Parts of the program that can write the tokens around an image. */
    public enum Writer {
        /** The chat template writes all three tokens. */
        TEMPLATE,
        /** The chat template writes the placeholder only; the platform adds the other two. */
        PLATFORM
    }

    /** Token that the platform writes before the rows of an image, if any. */
    public Optional<String> addedBegin() {
        return writer == Writer.PLATFORM ? Optional.of(begin) : Optional.empty();
    }

    /** Token that the platform writes after the rows of an image, if any. */
    public Optional<String> addedEnd() {
        return writer == Writer.PLATFORM ? Optional.of(end) : Optional.empty();
    }
}

package dev.varve.platform.compression;

/**
 * What became of a prompt, for whoever asked.
 *
 * @param mode as a whole, or by message
 * @param keepRequested part of what may shrink that was to stay
 * @param promptTokens of the prompt as the client meant it, in the model's tokens
 * @param effectiveTokens of what the model gets
 * @param cachedMessages messages that had been compressed before
 * @param times what it took; nothing where all was known
 * @param fingerprint how it was compressed
 */
public record CompressionReport(
        Mode mode,
        double keepRequested,
        int promptTokens,
        int effectiveTokens,
        int cachedMessages,
        CompressionTimes times,
        CompressionFingerprint fingerprint) {
    /** How a prompt is compressed. */
    public enum Mode {
        /** As a whole, once. */
        WHOLE("whole"),
        /** Old messages, each once. */
        BY_MESSAGE("flowkv"),
        /** As it was in an earlier turn. */
        EARLIER("earlier");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        /** The word in answers. */
        public String word() {
            return word;
        }
    }

    /** Part of the prompt that stays, in the model's tokens. */
    public double keepActual() {
        return promptTokens == 0 ? 1 : (double) effectiveTokens / promptTokens;
    }
}

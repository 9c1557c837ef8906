package dev.varve.platform.compression;

/**
 * Describes the compression of a prompt, for the response.
 *
 * @param mode as a whole, or by message
 * @param keepRequested requested part of the compressible text to keep
 * @param promptTokens length of the prompt that the client sent, in the model's tokens
 * @param effectiveTokens length of the prompt that the model receives
 * @param cachedMessages messages whose compressed text was cached
 * @param times duration of each phase; all 0 if everything was cached
 * @param fingerprint fingerprint of the compression
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
        /** The whole prompt, once. */
        WHOLE("whole"),
        /** Old messages, each message once. */
        BY_MESSAGE("flowkv"),
        /** The result of an earlier turn is reused. */
        EARLIER("earlier");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        /** Returns the word in responses. */
        public String word() {
            return word;
        }
    }

    /** Returns the kept part of the prompt, in the model's tokens. */
    public double keepActual() {
        return promptTokens == 0 ? 1 : (double) effectiveTokens / promptTokens;
    }
}

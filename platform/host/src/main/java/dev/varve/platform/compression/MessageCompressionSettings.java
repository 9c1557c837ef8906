package dev.varve.platform.compression;

/**
 * Settings that select the messages to compress.
 *
 * @param hotMessages number of newest messages that are not compressed; positive
 * @param waitingTokens tokens of long messages behind the compressed ones that may stay as they
 *     are; when they have more, all of them are compressed at once. With 0 each message is
 *     compressed as soon as it is no longer hot, and the cached prefix behind it is lost each time
 * @param leastMessageTokens messages of fewer tokens are not compressed, positive
 */
public record MessageCompressionSettings(
        int hotMessages, int waitingTokens, int leastMessageTokens) {
    /**
     * Defaults: two hot messages; messages of 4,096 tokens or more are compressed, every 8,192
     * tokens.
     */
    public static final MessageCompressionSettings USUAL =
            new MessageCompressionSettings(2, 8_192, 4_096);

    /** Checks the ranges. */
    public MessageCompressionSettings {
        if (hotMessages < 1 || leastMessageTokens < 1 || waitingTokens < 0) {
            throw new IllegalArgumentException(
                    "flow: expected 1 or more recent messages, messages of 1 or more tokens, and no"
                            + " negative number, found "
                            + hotMessages
                            + ", "
                            + leastMessageTokens
                            + ", "
                            + waitingTokens);
        }
    }
}

package dev.varve.platform.compression;

/**
 * Which messages of a conversation shrink.
 *
 * @param hotMessages newest messages, which stay as they are; positive
 * @param waitingTokens tokens of long messages behind those that have shrunk that stay as they are;
 *     when they are more, they shrink all at once. 0 lets each message shrink as soon as it is no
 *     longer hot, and what was computed behind it is lost each time
 * @param leastMessageTokens messages of fewer tokens stay as they are, positive
 * @param leastBandTokens nothing shrinks as long as there are not so many tokens in all old
 *     messages together
 */
public record MessageCompressionSettings(
        int hotMessages, int waitingTokens, int leastMessageTokens, int leastBandTokens) {
    /** Two hot messages; messages of 4,096 tokens or more shrink, every 8,192 tokens. */
    public static final MessageCompressionSettings USUAL =
            new MessageCompressionSettings(2, 8_192, 4_096, 512);

    /** Checks the numbers. */
    public MessageCompressionSettings {
        if (hotMessages < 1 || leastMessageTokens < 1 || waitingTokens < 0 || leastBandTokens < 0) {
            throw new IllegalArgumentException(
                    "flow: expected a hot message or more, messages of a token or more, and no"
                            + " number below 0, found "
                            + hotMessages
                            + ", "
                            + leastMessageTokens
                            + ", "
                            + waitingTokens
                            + ", "
                            + leastBandTokens);
        }
    }
}

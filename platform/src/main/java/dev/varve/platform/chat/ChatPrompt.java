package dev.varve.platform.chat;

/**
 * A rendered conversation.
 *
 * @param tokens token ids
 * @param stablePrefix leading tokens that the next turn of the conversation will begin with as well
 * @param text the text that the tokens stand for
 */
public record ChatPrompt(int[] tokens, int stablePrefix, String text) {}

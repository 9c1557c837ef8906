package dev.varve.platform.chat;

import dev.varve.platform.grammar.TokenGrammar;

/** What the content of an answer must be. Thoughts are free in any form. */
public sealed interface ResponseFormat {
    /** Anything. */
    record Free() implements ResponseFormat {}

    /**
     * A text of a grammar, from the first token behind the thoughts to the end of the answer.
     *
     * @param grammar special tokens that may come, such as the marks of calls, are part of it
     */
    record Whole(TokenGrammar grammar) implements ResponseFormat {}

    /**
     * Anything, but what stands behind the mark that opens a call is of a grammar.
     *
     * @param grammar of one call, up to the mark that closes it
     */
    record Calls(TokenGrammar grammar) implements ResponseFormat {}
}

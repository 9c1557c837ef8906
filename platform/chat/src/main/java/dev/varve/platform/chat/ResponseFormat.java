package dev.varve.platform.chat;

import dev.varve.platform.grammar.TokenGrammar;

/** Required form of a response's content. Reasoning is free in any form. */
public sealed interface ResponseFormat {
    /** No constraint. */
    record Free() implements ResponseFormat {}

    /**
     * Text of a grammar, from the first token after the reasoning to the end of the response.
     *
     * @param grammar includes the special tokens that are allowed, such as the marks of calls
     */
    record Whole(TokenGrammar grammar) implements ResponseFormat {}

    /**
     * Free content; the text after the mark that opens a call follows a grammar.
     *
     * @param grammar of one call, up to the mark that closes it
     */
    record WithinToolCalls(TokenGrammar grammar) implements ResponseFormat {}
}

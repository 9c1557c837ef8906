package dev.varve.platform.chat;

import tools.jackson.databind.JsonNode;

/** Grammar rules of a syntax for the text between a tool's name and the mark that closes a call. */
interface ArgumentsGrammar {
    /**
     * Returns the symbol of valid arguments.
     *
     * @param parameters schema of the arguments object
     * @throws dev.varve.platform.grammar.GrammarException if the schema cannot be enforced; with
     *     the path of the keyword
     */
    int of(JsonNode parameters);

    /** Returns the symbol of arguments without a known schema. */
    int any();
}

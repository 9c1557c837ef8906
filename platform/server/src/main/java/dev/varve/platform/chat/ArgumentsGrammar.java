package dev.varve.platform.chat;

import tools.jackson.databind.JsonNode;

/** The rules of a syntax for what stands between a tool's name and the mark that closes a call. */
interface ArgumentsGrammar {
    /**
     * Arguments that are valid.
     *
     * @param parameters schema of the object that they are
     * @throws dev.varve.platform.grammar.GrammarException if the schema cannot be enforced; with
     *     the path of the keyword
     */
    int of(JsonNode parameters);

    /** Arguments of which nothing is known. */
    int any();
}

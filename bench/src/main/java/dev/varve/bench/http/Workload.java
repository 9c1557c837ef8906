package dev.varve.bench.http;

import tools.jackson.databind.node.ObjectNode;

/**
 * How much is asked for.
 *
 * @param clients that come at once
 * @param turns of a round, one after the other
 */
record Workload(int clients, int turns, Sizes sizes) {
    /**
     * Sizes in tokens.
     *
     * @param answer new tokens of an answer
     * @param prompt about what a prompt has
     * @param longPrompt about what the long prompt has
     */
    record Sizes(int answer, int prompt, int longPrompt) {}

    void put(ObjectNode json) {
        json.put("clients", clients)
                .put("turns", turns)
                .put("tokens", sizes.answer())
                .put("prompt_tokens", sizes.prompt())
                .put("long_tokens", sizes.longPrompt());
    }
}

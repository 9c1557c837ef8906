package dev.varve.bench.http;

import tools.jackson.databind.node.ObjectNode;

/**
 * Amount of work of a round.
 *
 * @param clients number of simultaneous clients
 * @param turns chats of a round, one after the other, or turns of its chat
 */
record Workload(int clients, int turns, Sizes sizes) {
    /**
     * Sizes in tokens.
     *
     * @param answer new tokens of an answer; of a conversation the most
     * @param prompt approximate length of a prompt
     * @param longPrompt approximate length of the long prompt
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

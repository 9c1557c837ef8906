package dev.varve.bench.http;

import dev.varve.bench.http.stream.ChatClient;

/**
 * A server that answered before it is measured.
 *
 * @param rate words of a prompt; unknown if the server counts no tokens
 */
record Side(ChatClient client, WordRate rate) {
    /** Sends requests to a server and finds the name of its model. */
    static Side of(ChatClient client, PromptPool prompts) {
        ChatClient named = client.target().model().isPresent() ? client : client.withFirstModel();
        return new Side(named, WordRate.of(named, prompts));
    }

    /** Returns the source of the numbers of tokens: {@code usage} or {@code chunks}. */
    String tokensFrom() {
        return rate.equals(WordRate.UNKNOWN) ? "chunks" : "usage";
    }
}

package dev.varve.bench.http;

import dev.varve.bench.http.stream.ChatClient;

/**
 * A server that answered before it is measured.
 *
 * @param rate words of a prompt; unknown if the server counts no tokens
 */
record Side(ChatClient client, WordRate rate) {
    /** Tries a server and learns what it is called there. */
    static Side of(ChatClient client, PromptPool prompts) {
        ChatClient named = client.target().model().isPresent() ? client : client.withFirstModel();
        return new Side(named, WordRate.of(named, prompts));
    }

    /** Where the numbers of tokens come from: {@code usage} or {@code chunks}. */
    String tokensFrom() {
        return rate.equals(WordRate.UNKNOWN) ? "chunks" : "usage";
    }
}

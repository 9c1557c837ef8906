package dev.varve.bench.http;

/** Hands out prompts, none twice. For one thread. */
final class PromptPool {
    private final Prompts prompts;
    private int next;

    PromptPool(Prompts prompts) {
        this.prompts = prompts;
    }

    /** Returns a text that is used only once. */
    String text(int words) {
        return prompts.text(next++, words);
    }

    /** Texts for all rounds, with the warm-up. */
    PromptBatches batches(int rounds, int perRound, int words) {
        PromptBatches batches = new PromptBatches(prompts, next, perRound, words);
        next += (rounds - Rounds.WARM_UP) * perRound;
        return batches;
    }
}

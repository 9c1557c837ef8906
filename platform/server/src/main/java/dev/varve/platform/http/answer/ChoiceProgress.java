package dev.varve.platform.http.answer;

import dev.varve.platform.http.trace.RequestProgress;

/** Adds the tokens of one choice to the progress of its request. Only for the engine's thread. */
final class ChoiceProgress {
    private final RequestProgress request;
    private final boolean isFirstOfPrompt;
    private int tokens;
    private boolean started;

    /**
     * Adds the prompt.
     *
     * @param promptTokens tokens of the prompt; 0 if an earlier choice has the same prompt
     */
    ChoiceProgress(RequestProgress request, int promptTokens) {
        this.request = request;
        isFirstOfPrompt = promptTokens > 0;
        request.addPrompt(promptTokens);
    }

    /** Records the first start of the choice; a replica that takes it over starts it again. */
    void start(int cachedTokens) {
        if (isFirstOfPrompt && !started) {
            request.addCached(cachedTokens);
        }
        started = true;
    }

    void token() {
        tokens++;
        request.addGenerated(1);
    }

    void preempt() {
        request.preempt();
    }

    /** Records the number of all generated tokens, which includes the end token. */
    void end(int generatedTokens) {
        request.addGenerated(generatedTokens - tokens);
    }
}

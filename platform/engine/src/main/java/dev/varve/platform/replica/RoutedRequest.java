package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.Optional;

/**
 * A request of a pool, wherever it is computed: passes on what is heard of it, and says how much of
 * it is still to be done. Whoever has the request calls it, one thread at a time.
 */
final class RoutedRequest implements GenerationListener {
    /**
     * Tokens of an answer that are foreseen, however many it may have: most end long before that.
     */
    private static final int FORESEEN = 256;

    /** Tokens from which on it matters that they are not there. */
    private static final int WORTH = 4 * PromptBlockHashes.TOKENS;

    private final Engine.Submission submission;
    private final PromptBlockHashes prompt;
    private final Runnable ended;
    private Optional<Replica> at = Optional.empty();
    private int left;
    private int expected;
    private long owed;

    /**
     * @param ended called when nothing more will be heard of it
     */
    RoutedRequest(Engine.Submission submission, PromptBlockHashes prompt, Runnable ended) {
        this.submission = submission;
        this.prompt = prompt;
        this.ended = ended;
        left = Math.min(FORESEEN, submission.request().ending().maxTokens());
    }

    PromptBlockHashes prompt() {
        return prompt;
    }

    /** The request with this in the place of who hears of it. */
    Engine.Submission submission() {
        return new Engine.Submission(submission.request(), this);
    }

    /**
     * It is a replica's from now on.
     *
     * @param cached tokens of the prompt that are likely to be there
     */
    void assign(Replica replica, int cached) {
        leave();
        at = Optional.of(replica);
        expected = cached;
        owe(prompt.tokens() - cached + left);
    }

    /** It is nobody's. */
    void leave() {
        owe(0);
        at = Optional.empty();
    }

    private void owe(long tokens) {
        at.ifPresent(replica -> replica.owedTokens().addAndGet(tokens - owed));
        owed = tokens;
    }

    @Override
    public void onStart(int cachedTokens) {
        owe(prompt.tokens() - cachedTokens + left);
        if (expected >= WORTH && cachedTokens < expected / 2) {
            at.ifPresent(replica -> replica.index().overrated());
        }
        submission.listener().onStart(cachedTokens);
    }

    @Override
    public void onRestore() {
        submission.listener().onRestore();
    }

    @Override
    public void onPrefill(int doneTokens, int promptTokens) {
        owe(promptTokens - doneTokens + left);
        submission.listener().onPrefill(doneTokens, promptTokens);
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        if (left > 0) {
            left--;
        }
        owe(left);
        return submission.listener().onToken(token);
    }

    @Override
    public void onEnd(GenerationEnd end) {
        at.ifPresent(Replica::succeeded);
        leave();
        try {
            submission.listener().onEnd(end);
        } finally {
            ended.run();
        }
    }

    @Override
    public void onError(VarveException error) {
        leave();
        try {
            submission.listener().onError(error);
        } finally {
            ended.run();
        }
    }
}

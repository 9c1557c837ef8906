package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.Optional;

/**
 * A request of a pool. It forwards events to the listener, and updates the outstanding tokens of
 * its replica. The engine that has the request calls it, one thread at a time.
 */
final class RoutedRequest implements GenerationListener {
    /** Estimated tokens of a response with a higher limit: most end long before their limit. */
    private static final int MAX_EXPECTED_TOKENS = 256;

    private final Engine.NewRequest submission;
    private final PromptBlockHashes prompt;
    private final Runnable ended;
    private Optional<Replica> at = Optional.empty();
    private int remainingTokens;
    private long outstandingTokens;

    /**
     * @param ended called after the last event of the request
     */
    RoutedRequest(Engine.NewRequest submission, PromptBlockHashes prompt, Runnable ended) {
        this.submission = submission;
        this.prompt = prompt;
        this.ended = ended;
        remainingTokens = Math.min(MAX_EXPECTED_TOKENS, submission.request().ending().maxTokens());
    }

    PromptBlockHashes prompt() {
        return prompt;
    }

    /** Returns the request with this as its listener. */
    Engine.NewRequest submission() {
        return new Engine.NewRequest(submission.request(), this);
    }

    /**
     * Assigns the request to a replica.
     *
     * @param cached prompt tokens that are likely cached
     */
    void assign(Replica replica, int cached) {
        unassign();
        at = Optional.of(replica);
        setOutstanding(prompt.tokens() - cached + remainingTokens);
    }

    /** Removes the request from its replica. */
    void unassign() {
        setOutstanding(0);
        at = Optional.empty();
    }

    private void setOutstanding(long tokens) {
        at.ifPresent(replica -> replica.outstandingTokens().addAndGet(tokens - outstandingTokens));
        outstandingTokens = tokens;
    }

    @Override
    public void onStart(int cachedTokens) {
        setOutstanding(prompt.tokens() - cachedTokens + remainingTokens);
        at.ifPresent(replica -> replica.prefixEstimate().correct(prompt, cachedTokens));
        submission.listener().onStart(cachedTokens);
    }

    @Override
    public void onRestore() {
        submission.listener().onRestore();
    }

    @Override
    public void onPreempt() {
        submission.listener().onPreempt();
    }

    @Override
    public void onPrefill(int doneTokens, int promptTokens) {
        setOutstanding(promptTokens - doneTokens + remainingTokens);
        submission.listener().onPrefill(doneTokens, promptTokens);
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        if (remainingTokens > 0) {
            remainingTokens--;
        }
        setOutstanding(remainingTokens);
        return submission.listener().onToken(token);
    }

    @Override
    public void onEnd(GenerationEnd end) {
        at.ifPresent(Replica::succeeded);
        if (end.tokens().generated() > 0) {
            at.ifPresent(replica -> replica.prefixEstimate().computed(prompt));
        }
        unassign();
        try {
            submission.listener().onEnd(end);
        } finally {
            ended.run();
        }
    }

    @Override
    public void onError(VarveException error) {
        unassign();
        try {
            submission.listener().onError(error);
        } finally {
            ended.run();
        }
    }
}

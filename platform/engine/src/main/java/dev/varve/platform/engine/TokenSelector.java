package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.sequence.TokenLogits;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TopTokens;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/** Chooses a request's next token from the logits, and notifies the listener. Runs per token. */
final class TokenSelector {
    private static final int[] NOTHING = {};
    private static final double NANOS_PER_SECOND = 1e9;

    private final int vocabulary;
    private long tokens;
    private long masks;
    private long maskNanos;

    /**
     * Result of a choice.
     *
     * @param token the chosen token
     * @param end why the request ends with it, if it does
     */
    record SampledToken(int token, Optional<GenerationEnd.Reason> end) {}

    TokenSelector(int vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** Returns the number of tokens chosen so far. */
    long tokens() {
        return tokens;
    }

    /**
     * Returns the count and cost of masks, which are computed if the first choice is not allowed.
     */
    EngineStatus.Masks masks() {
        return new EngineStatus.Masks(masks, maskNanos / NANOS_PER_SECOND);
    }

    /** Returns the logits of a row of a result, valid until the next batch. */
    TokenLogits output(ShardResult result, int row, RequestedOutput rows) {
        return TokenLogits.of(result, row, vocabulary, rows);
    }

    /** Returns a copy that stays valid. */
    TokenLogits copy(TokenLogits output) {
        return output.copy(vocabulary);
    }

    /**
     * Returns the next tokens that the request's constraint forces.
     *
     * @param most most tokens to return
     */
    int[] forcedTokens(Request request, int most) {
        // Log probabilities of alternatives need the logits of each token.
        if (most < 1 || request.rules().topLogprobs().isPresent()) {
            return NOTHING;
        }
        int[] tokens = request.rules().constraint().forcedTokens(most);
        int known = 0;
        while (known < Math.min(tokens.length, most) && isKnown(tokens[known])) {
            known++;
        }
        // A token outside the vocabulary fails once it is chosen, and then for this request only.
        return Arrays.copyOf(tokens, known);
    }

    /**
     * Returns whether the best tokens of a row decide the token that a request chooses next.
     * Changes no state.
     */
    boolean isDecidedBy(Request request, TopTokens top) {
        Sampler sampler = request.sampler();
        TokenConstraint constraint = request.rules().constraint();
        if (!sampler.isDecidedByTop(token -> true, top.ids(), top.logits())) {
            return false;
        }
        return !constraint.constrains()
                || constraint.allows(sampler.previewTop(top.ids(), top.logits()))
                || sampler.isDecidedByTop(constraint::allows, top.ids(), top.logits());
    }

    /**
     * Chooses one token.
     *
     * @throws VarveException if no token can be chosen
     */
    SampledToken choose(Request request, TokenLogits output) {
        int token = next(request, output);
        return record(request, token, logprobs(request, output, token));
    }

    /**
     * Chooses a forced token, which is computed already.
     *
     * @throws IllegalStateException if the request's constraint does not force the token any more
     */
    SampledToken chooseForced(Request request, int token) {
        OptionalInt forced = request.rules().constraint().forced();
        if (forced.isEmpty() || forced.getAsInt() != token) {
            throw new IllegalStateException(
                    "expected the constraint to force token " + token + ", found " + forced);
        }
        return record(request, token, Optional.empty());
    }

    private SampledToken record(Request request, int token, Optional<TokenLogprobs> logprobs) {
        request.countToken();
        tokens++;
        if (request.isEndToken(token)) {
            return new SampledToken(token, Optional.of(GenerationEnd.Reason.END_TOKEN));
        }
        request.sampler().accept(token);
        request.rules().constraint().accept(token);
        request.tokens().add(token);
        if (!request.listener().onToken(new GeneratedToken(token, logprobs))) {
            return new SampledToken(token, Optional.of(GenerationEnd.Reason.STOPPED));
        }
        return new SampledToken(
                token,
                request.isAtItsLimit()
                        ? Optional.of(GenerationEnd.Reason.LENGTH)
                        : Optional.empty());
    }

    private static Optional<TokenLogprobs> logprobs(
            Request request, TokenLogits output, int token) {
        OptionalInt top = request.rules().topLogprobs();
        return top.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        request.sampler()
                                .logprobs(output.logits(), output.offset(), token, top.getAsInt()));
    }

    private int next(Request request, TokenLogits output) {
        TokenConstraint constraint = request.rules().constraint();
        OptionalInt forced = constraint.forced();
        if (forced.isPresent()) {
            return requireKnown(forced.getAsInt());
        }
        if (output.rows().isBest()) {
            return requireNumber(output.best());
        }
        if (output.top().isPresent()) {
            return nextOfTop(request, output.top().get());
        }
        int free = request.sampler().sample(output.logits(), output.offset());
        return !constraint.constrains() || constraint.allows(free)
                ? free
                : request.sampler().sampleAmong(mask(constraint), output.logits(), output.offset());
    }

    private int nextOfTop(Request request, TopTokens top) {
        TokenConstraint constraint = request.rules().constraint();
        int free = request.sampler().sampleTop(top.ids(), top.logits());
        return !constraint.constrains() || constraint.allows(free)
                ? free
                : request.sampler().sampleTopAmong(mask(constraint), top.ids(), top.logits());
    }

    private TokenMask mask(TokenConstraint constraint) {
        long begin = System.nanoTime();
        TokenMask mask = constraint.mask();
        maskNanos += System.nanoTime() - begin;
        masks++;
        return mask;
    }

    private boolean isKnown(int token) {
        return token >= 0 && token < vocabulary;
    }

    /** Checks a forced token: a tokenizer may know more tokens than the model has rows. */
    private int requireKnown(int token) {
        if (!isKnown(token)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "token " + token + " is outside the model's vocabulary of " + vocabulary);
        }
        return token;
    }

    private static int requireNumber(int best) {
        if (best < 0) {
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED,
                    "the model produced a logit that is not a number");
        }
        return best;
    }
}

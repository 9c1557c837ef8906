package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.TokenOutput;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Chooses a request's next token from what the model gave, and tells the listener. Runs per token.
 */
final class TokenChoice {
    private final int vocabulary;
    private long tokens;

    /**
     * What became of a choice.
     *
     * @param token the token
     * @param end why the request ends with it, if it does
     */
    record Chosen(int token, Optional<GenerationEnd.Reason> end) {}

    TokenChoice(int vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** Tokens chosen so far. */
    long tokens() {
        return tokens;
    }

    /** What the model gave for a row of a result, valid until the next batch. */
    TokenOutput output(ShardResult result, int row, OutputRows rows) {
        return TokenOutput.of(result, row, vocabulary, rows);
    }

    /** The same, valid for good. */
    TokenOutput copy(TokenOutput output) {
        return output.copy(vocabulary);
    }

    /**
     * Chooses one token.
     *
     * @throws VarveException if no token can be chosen
     */
    Chosen choose(Request request, TokenOutput output) {
        int token = next(request, output);
        request.countToken();
        tokens++;
        if (request.isEndToken(token)) {
            return new Chosen(token, Optional.of(GenerationEnd.Reason.END_TOKEN));
        }
        request.sampler().accept(token);
        request.rules().guide().accept(token);
        request.tokens().add(token);
        if (!request.listener()
                .onToken(new GeneratedToken(token, logprobs(request, output, token)))) {
            return new Chosen(token, Optional.of(GenerationEnd.Reason.STOPPED));
        }
        return new Chosen(
                token,
                request.isAtItsLimit()
                        ? Optional.of(GenerationEnd.Reason.LENGTH)
                        : Optional.empty());
    }

    private static Optional<TokenLogprobs> logprobs(
            Request request, TokenOutput output, int token) {
        OptionalInt top = request.rules().topLogprobs();
        return top.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        request.sampler()
                                .logprobs(output.logits(), output.offset(), token, top.getAsInt()));
    }

    private int next(Request request, TokenOutput output) {
        OptionalInt forced = request.rules().guide().forced();
        if (forced.isPresent()) {
            return requireKnown(forced.getAsInt());
        }
        return output.rows().isBest()
                ? requireNumber(output.best())
                : request.sampler().sample(output.logits(), output.offset());
    }

    /** A tokenizer may know more tokens than the model has rows. */
    private int requireKnown(int token) {
        if (token < 0 || token >= vocabulary) {
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

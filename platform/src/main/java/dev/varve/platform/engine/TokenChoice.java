package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.shard.OutputRows;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Chooses a request's next token from what the model gave, and tells the listener. Runs per token.
 */
final class TokenChoice {
    private final int vocabulary;
    private long tokens;

    TokenChoice(int vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** Tokens chosen so far. */
    long tokens() {
        return tokens;
    }

    /**
     * Chooses one token.
     *
     * @return why the request ends with it, if it does
     * @throws VarveException if no token can be chosen
     */
    Optional<GenerationEnd.Reason> choose(Request request, TokenOutput output) {
        int token = next(request, output);
        request.countToken();
        tokens++;
        if (request.isEndToken(token)) {
            return Optional.of(GenerationEnd.Reason.END_TOKEN);
        }
        request.sampler.accept(token);
        request.request.guide().accept(token);
        request.tokens.add(token);
        int top = request.request.topLogprobs();
        Optional<TokenLogprobs> logprobs =
                top < 0
                        ? Optional.empty()
                        : Optional.of(
                                request.sampler.logprobs(
                                        output.logits(), output.offset(), token, top));
        if (!request.listener.onToken(new GeneratedToken(token, logprobs))) {
            return Optional.of(GenerationEnd.Reason.STOPPED);
        }
        return request.generated >= request.request.maxTokens()
                ? Optional.of(GenerationEnd.Reason.LENGTH)
                : Optional.empty();
    }

    private int next(Request request, TokenOutput output) {
        OptionalInt forced = request.request.guide().forced();
        if (forced.isPresent()) {
            return requireKnown(forced.getAsInt());
        }
        return output.rows() == OutputRows.BEST
                ? requireNumber(output.best())
                : request.sampler.sample(output.logits(), output.offset());
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

package dev.varve.platform.engine;

import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * One prompt to continue.
 *
 * @param prompt what to continue
 * @param ending when to stop; prompt and output together must fit the context
 * @param choice how the tokens are chosen
 * @param mostDrafts most tokens that are guessed in a step, 0 for none; whether and how many are is
 *     up to the engine
 */
public record GenerationRequest(Prompt prompt, Ending ending, Choice choice, int mostDrafts) {
    /** Checks that nothing is missing. */
    public GenerationRequest {
        if (mostDrafts < 0) {
            throw new IllegalArgumentException(
                    "draft_max: expected 0 or more, found " + mostDrafts);
        }
        Objects.requireNonNull(prompt);
        Objects.requireNonNull(ending);
        Objects.requireNonNull(choice);
    }

    /** A request of which the engine guesses as much as it likes. */
    public GenerationRequest(Prompt prompt, Ending ending, Choice choice) {
        this(prompt, ending, choice, Integer.MAX_VALUE);
    }

    /** The most likely continuation of a prompt, up to a number of tokens. */
    public static GenerationRequest greedy(int[] prompt, int maxTokens) {
        return new GenerationRequest(
                Prompt.of(prompt),
                new Ending(maxTokens, Set.of()),
                Choice.of(SamplingOptions.greedy()));
    }

    /** The same request with tokens that end it. */
    public GenerationRequest endingAt(Set<Integer> endTokens) {
        return new GenerationRequest(
                prompt, new Ending(ending.maxTokens(), endTokens), choice, mostDrafts);
    }

    /** The same request with another choice. */
    public GenerationRequest choosing(Choice other) {
        return new GenerationRequest(prompt, ending, other, mostDrafts);
    }

    /** The same request of which not more is guessed. */
    public GenerationRequest drafting(int most) {
        return new GenerationRequest(prompt, ending, choice, most);
    }

    /** The same request in another scope. */
    public GenerationRequest within(CacheScope scope) {
        return new GenerationRequest(
                new Prompt(prompt.tokens, prompt.boundaries, scope), ending, choice, mostDrafts);
    }

    /**
     * What a model is to continue.
     *
     * @param tokens token ids, at least one
     * @param boundaries positions, ascending, up to which other prompts are likely to have the same
     *     tokens, such as where the messages of a conversation begin; the engine keeps what it
     *     needs to go on from there
     * @param scope whose computations the request may continue, and who may continue this one
     */
    public record Prompt(int[] tokens, int[] boundaries, CacheScope scope) {
        private static final int[] NONE = {};

        /** Copies the arrays; checks that there are tokens, and that the boundaries are inside. */
        public Prompt {
            tokens = tokens.clone();
            boundaries = boundaries.clone();
            Objects.requireNonNull(scope);
            if (tokens.length == 0) {
                throw new IllegalArgumentException("the prompt has no tokens");
            }
            int before = 0;
            for (int boundary : boundaries) {
                if (boundary <= before || boundary > tokens.length) {
                    throw new IllegalArgumentException(
                            "boundary "
                                    + boundary
                                    + " behind "
                                    + before
                                    + " in a prompt of "
                                    + tokens.length);
                }
                before = boundary;
            }
        }

        /** A prompt in the common scope of which nothing is known. */
        public static Prompt of(int... tokens) {
            return of(tokens, NONE);
        }

        /** A prompt in the common scope of which is known where others may part from it. */
        public static Prompt of(int[] tokens, int[] boundaries) {
            return new Prompt(tokens, boundaries, CacheScope.common());
        }

        @Override
        public int[] boundaries() {
            return boundaries.clone();
        }

        /** The last boundary, 0 without one. */
        public int lastBoundary() {
            return boundaries.length == 0 ? 0 : boundaries[boundaries.length - 1];
        }

        @Override
        public int[] tokens() {
            return tokens.clone();
        }

        /** Number of tokens. */
        public int length() {
            return tokens.length;
        }
    }

    /**
     * When a generation ends, if nobody stops it.
     *
     * @param maxTokens most tokens to generate, at least 1
     * @param endTokens ids that end the generation; empty to ignore the model's end of text
     */
    public record Ending(int maxTokens, Set<Integer> endTokens) {
        /** Copies the end tokens, and checks that a token may be generated. */
        public Ending {
            endTokens = Set.copyOf(endTokens);
            if (maxTokens < 1) {
                throw new IllegalArgumentException(
                        "max_tokens: expected 1 or more, found " + maxTokens);
            }
        }
    }

    /**
     * How tokens are chosen and what is told of the choice.
     *
     * @param sampling how the model's logits become a token
     * @param topLogprobs number of alternatives to report per token, 0 for the chosen one only;
     *     empty for no log probabilities at all
     * @param guide steers the choice; belongs to this request alone
     */
    public record Choice(SamplingOptions sampling, OptionalInt topLogprobs, TokenGuide guide) {
        /** Most alternatives that can be reported. */
        public static final int MOST_LOGPROBS = 20;

        /** Checks the number of alternatives, 0 to {@value #MOST_LOGPROBS}. */
        public Choice {
            Objects.requireNonNull(sampling);
            Objects.requireNonNull(guide);
            int top = topLogprobs.orElse(0);
            if (top < 0 || top > MOST_LOGPROBS) {
                throw new IllegalArgumentException(
                        "top_logprobs: expected 0 to " + MOST_LOGPROBS + ", found " + top);
            }
        }

        /** The model alone chooses, and nothing is told but the token. */
        public static Choice of(SamplingOptions sampling) {
            return new Choice(sampling, OptionalInt.empty(), TokenGuide.none());
        }
    }
}

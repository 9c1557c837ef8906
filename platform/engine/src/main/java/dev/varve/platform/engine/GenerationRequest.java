package dev.varve.platform.engine;

import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.SequenceImages;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * One prompt to continue.
 *
 * @param prompt the tokens to continue
 * @param ending when to stop; prompt and output together must fit the context
 * @param choice how the tokens are chosen
 * @param mostDrafts most draft tokens of a step, 0 for none; the engine chooses how many it uses
 */
public record GenerationRequest(Prompt prompt, Ending ending, Choice choice, int mostDrafts) {
    /** Checks that {@code mostDrafts} is not negative, and that no component is null. */
    public GenerationRequest {
        if (mostDrafts < 0) {
            throw new IllegalArgumentException(
                    "draft_max: expected 0 or more, found " + mostDrafts);
        }
        Objects.requireNonNull(prompt);
        Objects.requireNonNull(ending);
        Objects.requireNonNull(choice);
    }

    /** Creates a request without a limit on draft tokens. */
    public GenerationRequest(Prompt prompt, Ending ending, Choice choice) {
        this(prompt, ending, choice, Integer.MAX_VALUE);
    }

    /** Returns a request for the greedy continuation of a prompt, up to a number of tokens. */
    public static GenerationRequest greedy(int[] prompt, int maxTokens) {
        return new GenerationRequest(
                Prompt.of(prompt),
                new Ending(maxTokens, Set.of()),
                Choice.of(SamplingOptions.greedy()));
    }

    /** Returns the same request with tokens that end it. */
    public GenerationRequest endingAt(Set<Integer> endTokens) {
        return new GenerationRequest(
                prompt, new Ending(ending.maxTokens(), endTokens), choice, mostDrafts);
    }

    /** Returns the same request with another choice. */
    public GenerationRequest choosing(Choice other) {
        return new GenerationRequest(prompt, ending, other, mostDrafts);
    }

    /** Returns the same request with another limit on draft tokens. */
    public GenerationRequest drafting(int most) {
        return new GenerationRequest(prompt, ending, choice, most);
    }

    /** Returns the same request in another scope, with its own scales of adapters. */
    public GenerationRequest within(CacheScope scope) {
        return new GenerationRequest(
                new Prompt(
                        prompt.tokens,
                        prompt.boundaries,
                        scope.with(prompt.scope.lora()),
                        prompt.images),
                ending,
                choice,
                mostDrafts);
    }

    /**
     * The prompt of a request.
     *
     * @param tokens token ids, at least one
     * @param boundaries positions, ascending, up to which other prompts are likely to have the same
     *     tokens, such as where the messages of a conversation begin; the engine keeps what it
     *     needs to resume from there
     * @param scope the request shares cached prefixes with requests of the same scope only; with an
     *     image of few tokens it shares none. Its scales of adapters are the request's
     * @param images the images in the prompt, whose tokens are negative
     */
    public record Prompt(int[] tokens, int[] boundaries, CacheScope scope, SequenceImages images) {
        private static final int[] NONE = {};

        /** Copies the arrays; checks that there are tokens, and that the boundaries are inside. */
        public Prompt {
            tokens = tokens.clone();
            boundaries = boundaries.clone();
            Objects.requireNonNull(scope);
            scope = images.areIdentified() ? scope : CacheScope.none().with(scope.lora());
            if (images.end() > tokens.length) {
                throw new IllegalArgumentException("an image ends behind the prompt");
            }
            if (tokens.length == 0) {
                throw new IllegalArgumentException("the prompt has no tokens");
            }
            int before = 0;
            for (int boundary : boundaries) {
                if (boundary <= before || boundary > tokens.length) {
                    throw new IllegalArgumentException(
                            "boundaries: expected positions that ascend up to "
                                    + tokens.length
                                    + ", the end of the prompt, found "
                                    + boundary
                                    + " after "
                                    + before);
                }
                before = boundary;
            }
        }

        /** Creates a prompt without images. */
        public Prompt(int[] tokens, int[] boundaries, CacheScope scope) {
            this(tokens, boundaries, scope, SequenceImages.NONE);
        }

        /** Returns a prompt in the common scope without boundaries. */
        public static Prompt of(int... tokens) {
            return of(tokens, NONE);
        }

        /** Returns a prompt in the common scope with the positions where others may diverge. */
        public static Prompt of(int[] tokens, int[] boundaries) {
            return new Prompt(tokens, boundaries, CacheScope.common());
        }

        /** Returns the same prompt with images, whose tokens it has. */
        public Prompt with(SequenceImages other) {
            return new Prompt(tokens, boundaries, scope, other);
        }

        @Override
        public int[] boundaries() {
            return boundaries.clone();
        }

        /** Returns the last boundary, 0 without one. */
        public int lastBoundary() {
            return boundaries.length == 0 ? 0 : boundaries[boundaries.length - 1];
        }

        @Override
        public int[] tokens() {
            return tokens.clone();
        }

        /** Returns the number of tokens. */
        public int length() {
            return tokens.length;
        }
    }

    /**
     * Conditions that end a generation, unless the listener stops it.
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
     * How tokens are chosen, and which log probabilities are reported.
     *
     * @param sampling how the model's logits become a token
     * @param topLogprobs number of alternatives to report per token, 0 for the chosen one only;
     *     empty for no log probabilities at all
     * @param constraint steers the choice; belongs to this request alone
     */
    public record Choice(
            SamplingOptions sampling, OptionalInt topLogprobs, TokenConstraint constraint) {
        /** Most alternatives that can be reported. */
        public static final int MOST_LOGPROBS = 20;

        /** Checks the number of alternatives, 0 to {@value #MOST_LOGPROBS}. */
        public Choice {
            Objects.requireNonNull(sampling);
            Objects.requireNonNull(constraint);
            int top = topLogprobs.orElse(0);
            if (top < 0 || top > MOST_LOGPROBS) {
                throw new IllegalArgumentException(
                        "top_logprobs: expected 0 to " + MOST_LOGPROBS + ", found " + top);
            }
        }

        /** Returns a choice without a constraint and without log probabilities. */
        public static Choice of(SamplingOptions sampling) {
            return new Choice(sampling, OptionalInt.empty(), TokenConstraint.none());
        }
    }
}

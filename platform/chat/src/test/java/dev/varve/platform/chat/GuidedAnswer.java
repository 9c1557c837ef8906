package dev.varve.platform.chat;

import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.sampling.TokenMask;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An answer of a model that writes at random what its constraint allows, as an engine asks for it.
 * Also checks that what the constraint says of the same place agrees.
 *
 * @param tokenizer its vocabulary
 * @param tokens all of them, without the one that ends the answer
 * @param ended whether it ended by itself
 */
record GuidedAnswer(Tokenizer tokenizer, int[] tokens, boolean ended, Dialects.Answer answer) {
    private static final int MOST = 6000;
    private static final String END = "<|im_end|>";

    /** Bytes, the marks of all families, and an end. */
    static final Tokenizer BYTES =
            TestTokenizers.ofBytes(
                    Stream.concat(Arrays.stream(Dialects.SPECIALS), Stream.of(END))
                            .toArray(String[]::new));

    static final GrammarCompiler COMPILER = new GrammarCompiler(BYTES);

    /**
     * An answer at random.
     *
     * @param sessions gives a new one each time
     */
    static GuidedAnswer of(Supplier<ResponseState> sessions, long seed) {
        return of(sessions, seed, new int[0]);
    }

    /**
     * Likewise.
     *
     * @param script what the model writes first, but for what is forced
     */
    static GuidedAnswer of(Supplier<ResponseState> sessions, long seed, int[] script) {
        return of(BYTES, sessions, seed, script);
    }

    /**
     * Likewise, with another vocabulary, in which {@code <|end|>} ends messages but no answer.
     *
     * @param tokenizer vocabulary of all bytes
     */
    static GuidedAnswer of(
            Tokenizer tokenizer, Supplier<ResponseState> sessions, long seed, int[] script) {
        Random random = new Random(seed);
        TokenConstraint constraint = sessions.get().constraint();
        List<Integer> tokens = new ArrayList<>();
        int next = 0;
        boolean ended = false;
        Deque<Integer> begun = new ArrayDeque<>();
        while (tokens.size() < MOST) {
            int token;
            int[] certain = constraint.forcedTokens(1 + random.nextInt(20));
            OptionalInt forced = constraint.forced();
            if (certain.length > 0 && (forced.isEmpty() || forced.getAsInt() != certain[0])) {
                throw new AssertionError(Arrays.toString(certain) + ", then " + forced);
            }
            if (forced.isPresent()) {
                token = forced.getAsInt();
            } else if (next < script.length) {
                token = script[next++];
                require(constraint, token);
            } else {
                token = choose(tokenizer, constraint, random, begun);
            }
            if (ends(tokenizer, token)) {
                ended = true;
                break;
            }
            if (constraint.allowed(new int[] {token}) != 1) {
                throw new AssertionError("guess of " + token + " behind " + tokens);
            }
            constraint.accept(token);
            tokens.add(token);
        }
        int[] all = tokens.stream().mapToInt(Integer::intValue).toArray();
        return new GuidedAnswer(tokenizer, all, ended, read(sessions.get(), all));
    }

    /** As in the engine, the constraint accepts each token before the parser reads it. */
    private static Dialects.Answer read(ResponseState session, int[] tokens) {
        return Dialects.Answer.of(
                session.text(),
                tokens,
                token -> {
                    session.constraint().forced();
                    session.constraint().accept(token);
                });
    }

    private static void require(TokenConstraint constraint, int token) {
        if (!constraint.allows(token)) {
            throw new AssertionError("forbidden: " + token);
        }
    }

    /** Endings that the model may write; random tokens alone would hardly ever end a text. */
    private static final List<String> ENDINGS =
            List.of(
                    END,
                    "\"}",
                    "\"]}\n</tool_call>",
                    "]}}\n</tool_call>",
                    "]}]}}\n</tool_call>",
                    "\n</parameter>\n</function>\n</tool_call>",
                    "]\n</parameter>\n",
                    "</arg_value>\n</tool_call>",
                    "]</arg_value>\n",
                    "<|\"|>}<tool_call|>",
                    "<|\"|>]}<tool_call|>",
                    "]}<tool_call|>",
                    "</parameter>\n</invoke>\n</minimax:tool_call>",
                    "]</parameter>\n",
                    "</parameter>\n</function>\n</seed:tool_call>",
                    "\"}",
                    "\"]}",
                    "]}]}",
                    "}]",
                    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
                    "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
                    "<|end|>",
                    "</tool_call>" + END,
                    "<tool_call|>" + END);

    /** The rest of what it has begun to write, or one token at random. */
    private static int choose(
            Tokenizer tokenizer, TokenConstraint constraint, Random random, Deque<Integer> begun) {
        if (!begun.isEmpty() && !constraint.allows(begun.getFirst())) {
            begun.clear();
        }
        if (begun.isEmpty() && random.nextInt(3) == 0) {
            String ending = ENDINGS.get(random.nextInt(ENDINGS.size()));
            IntStream.of(tokenizer.encode(ending, true)).forEach(begun::addLast);
        }
        if (!begun.isEmpty() && constraint.allows(begun.getFirst())) {
            int token = begun.removeFirst();
            int end = tokenizer.tokenId(END).orElseThrow();
            return endsMessage(tokenizer, token) && constraint.allows(end) ? end : token;
        }
        begun.clear();
        int free = random.nextInt(tokenizer.vocabularySize());
        int end = tokenizer.tokenId(END).orElseThrow();
        if (endsMessage(tokenizer, free) && constraint.allows(end)) {
            free = end;
        }
        if (!constraint.constrains() || constraint.allows(free)) {
            return free;
        }
        TokenMask mask = constraint.mask();
        int[] allowed =
                IntStream.range(0, tokenizer.vocabularySize()).filter(mask::allows).toArray();
        int token = allowed[random.nextInt(allowed.length)];
        require(constraint, token);
        return endsMessage(tokenizer, token) && mask.allows(end) ? end : token;
    }

    private static boolean ends(Tokenizer tokenizer, int token) {
        return tokenizer.endTokens().contains(token) && !endsMessage(tokenizer, token);
    }

    /** Whether a token ends a message in a channel, behind which others may follow. */
    private static boolean endsMessage(Tokenizer tokenizer, int token) {
        return tokenizer.tokenId("<|channel|>").isPresent()
                && tokenizer.tokenId("<|end|>").equals(OptionalInt.of(token));
    }

    String text() {
        return tokenizer.decode(tokens, true);
    }
}

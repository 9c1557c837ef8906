package dev.varve.platform.embedding;

import dev.varve.api.VarveException;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import java.util.function.Function;

/** Makes the tokens of texts for a model that reads each as a whole, and checks that they fit. */
public final class EncoderInput {
    /** Texts are counted up to so many times the limit, so that the error says by how much. */
    private static final int COUNTED = 16;

    private EncoderInput() {}

    /**
     * Returns the tokens of a text, with those that the model was trained with around it.
     *
     * @throws VarveException as for {@link #checked}
     */
    public static int[] ofText(Tokenizer tokenizer, TextEmbedder embedder, String text) {
        return checked(
                embedder, limit -> tokenizer.frame().around(tokenizer.encode(text, false, limit)));
    }

    /**
     * Returns the tokens of a query and a document, of which a model computes a score.
     *
     * @throws VarveException as for {@link #checked}
     */
    public static int[] ofPair(TextEmbedder embedder, String query, String document) {
        return checked(embedder, limit -> embedder.pairs().of(query, document, limit));
    }

    /**
     * Makes tokens, and checks that there is one at least, and no more than the model reads.
     *
     * @param tokens makes them, and may throw a {@link TooManyTokensException} beyond the limit
     * @throws VarveException of kind CONTEXT_OVERFLOW if there are too many, INVALID_REQUEST if
     *     there are none; the message names no text
     */
    public static int[] checked(TextEmbedder embedder, Function<TokenLimit, int[]> tokens) {
        int most = embedder.maxTokens();
        int counted = (int) Math.min((long) COUNTED * most, Integer.MAX_VALUE);
        int[] ids;
        try {
            ids = tokens.apply(TokenLimit.of(counted));
        } catch (TooManyTokensException e) {
            throw tooLong("more than " + counted, most);
        }
        if (ids.length > most) {
            throw tooLong(Integer.toString(ids.length), most);
        }
        if (ids.length == 0) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST, "expected a text, found no token");
        }
        return ids;
    }

    private static VarveException tooLong(String found, int most) {
        return new VarveException(
                VarveException.Kind.CONTEXT_OVERFLOW,
                "expected a text of at most "
                        + most
                        + " tokens with those around it, found "
                        + found
                        + "; the model reads a text as a whole");
    }
}

package dev.varve.platform.sampling;

import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Texts that end a repeated sequence, as tokens: one that contains the text, or one that ends with
 * its begin, followed by the tokens of the rest. Immutable.
 */
public final class SequenceBreakers {
    /** No text ends a sequence. */
    public static final SequenceBreakers NONE = new SequenceBreakers(Map.of());

    /** The texts of a request that gives none. */
    public static final List<String> USUAL = List.of("\n", ":", "\"", "*");

    /** Tokens that follow the first one of a breaker, by the first one. */
    private final Map<Integer, List<int[]>> rests;

    private SequenceBreakers(Map<Integer, List<int[]>> rests) {
        this.rests = rests;
    }

    /** Finds the tokens of texts. Reads the whole vocabulary. */
    public static SequenceBreakers of(Tokenizer tokenizer, List<String> texts) {
        Map<Integer, List<int[]>> rests = new HashMap<>();
        byte[][] wanted =
                texts.stream()
                        .filter(text -> !text.isEmpty())
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .toArray(byte[][]::new);
        for (int token = 0; token < tokenizer.vocabularySize(); token++) {
            byte[] piece = tokenizer.piece(token, true);
            for (byte[] text : wanted) {
                for (int begin = 0; begin < piece.length; begin++) {
                    int same = common(piece, begin, text);
                    if (same == text.length || same == piece.length - begin) {
                        String rest =
                                new String(text, same, text.length - same, StandardCharsets.UTF_8);
                        rests.computeIfAbsent(token, each -> new ArrayList<>())
                                .add(tokenizer.encode(rest, false));
                    }
                }
            }
        }
        return new SequenceBreakers(rests);
    }

    /** Returns the number of bytes that the end of a piece and the begin of a text share. */
    private static int common(byte[] piece, int begin, byte[] text) {
        int same = 0;
        while (same < text.length
                && begin + same < piece.length
                && piece[begin + same] == text[same]) {
            same++;
        }
        return same;
    }

    /**
     * Returns the number of tokens after the last breaker.
     *
     * @param latest tokens, the latest one first
     * @param length number of tokens
     */
    int tokensAfter(int[] latest, int length) {
        if (rests.isEmpty()) {
            return length;
        }
        for (int i = 0; i < length; i++) {
            int longest = -1;
            for (int[] rest : rests.getOrDefault(latest[i], List.of())) {
                if (rest.length > longest && rest.length <= i && follows(latest, i, rest)) {
                    longest = rest.length;
                }
            }
            if (longest >= 0) {
                return i - longest;
            }
        }
        return length;
    }

    private static boolean follows(int[] latest, int head, int[] rest) {
        for (int k = 0; k < rest.length; k++) {
            if (latest[head - 1 - k] != rest[k]) {
                return false;
            }
        }
        return true;
    }
}

package dev.varve.platform.sampling;

import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Texts that end a repeated sequence. Each text as tokens: a token that contains it, or a token
 * that ends with its beginning, followed by the tokens of the remainder. Immutable.
 */
public final class SequenceBreakers {
    /** No text ends a sequence. */
    public static final SequenceBreakers NONE = new SequenceBreakers(Map.of());

    /** The texts of a request that gives none. */
    public static final List<String> USUAL = List.of("\n", ":", "\"", "*");

    /** Tokens that follow the first one of a breaker, by the first one. */
    private final Map<Integer, List<int[]>> rests;

    /** The first tokens of all breakers. */
    private final BitSet heads = new BitSet();

    private SequenceBreakers(Map<Integer, List<int[]>> rests) {
        this.rests = rests;
        rests.keySet().forEach(heads::set);
    }

    /**
     * Finds the tokens of texts. Reads the whole vocabulary; {@link Finder} does so once for the
     * usual texts.
     */
    public static SequenceBreakers of(Tokenizer tokenizer, List<String> texts) {
        Map<Integer, List<int[]>> rests = new HashMap<>();
        // A rest is encoded once, however many tokens begin the text.
        Map<String, int[]> encoded = new HashMap<>(Map.of("", new int[0]));
        byte[][] wanted =
                texts.stream()
                        .distinct()
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
                        int[] tokens =
                                encoded.computeIfAbsent(
                                        rest, each -> tokenizer.encodeContinuation(each, false));
                        List<int[]> known = rests.computeIfAbsent(token, each -> new ArrayList<>());
                        if (!known.contains(tokens)) {
                            known.add(tokens);
                        }
                    }
                }
            }
        }
        return new SequenceBreakers(rests);
    }

    /** Returns the number of bytes that the end of a piece and the beginning of a text share. */
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
            if (!heads.get(latest[i])) {
                continue;
            }
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

    /** Returns whether a token alone is a breaker, or contains one. */
    boolean isBreaker(int token) {
        return heads.get(token) && rests.get(token).stream().anyMatch(rest -> rest.length == 0);
    }

    /** Finds the breakers of one model, and keeps those of the usual texts. Thread-safe. */
    public static final class Finder {
        private final Tokenizer tokenizer;
        private volatile SequenceBreakers usual = NONE;

        /** Creates a finder, which reads nothing yet. */
        public Finder(Tokenizer tokenizer) {
            this.tokenizer = tokenizer;
        }

        /** Returns the breakers of texts. */
        public SequenceBreakers find(List<String> texts) {
            if (!texts.equals(USUAL)) {
                return of(tokenizer, texts);
            }
            if (usual == NONE) {
                usual = of(tokenizer, texts);
            }
            return usual;
        }
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

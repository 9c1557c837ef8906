package dev.varve.platform.tokenizer;

import java.util.Arrays;

/**
 * Merge rules of SentencePiece: two symbols merge if their joined text is a token, the one with the
 * highest score first. Tokens of equal scores have the same rank, so the leftmost pair merges
 * first.
 *
 * <p>Control, unknown and byte tokens never result from a merge, although their texts might: text
 * of users must not become one.
 */
final class ScoreRules implements MergeRules {
    private static final int NONE = -1;

    private final SymbolTable symbols;

    /** Rank by token; {@link #NONE} for tokens that no merge may make. */
    private final int[] ranks;

    /** Bytes of the longest token with a rank. */
    private final int longest;

    /** Reads the scores, and adds the characters of all tokens to the symbols. */
    ScoreRules(VocabularyData vocabulary, SymbolTable symbols) {
        if (vocabulary.scores().length == 0) {
            throw VocabularyData.corrupt("scores", "one score for each token", "none");
        }
        this.symbols = symbols;
        ranks = ranks(vocabulary);
        int most = 0;
        for (int id = 0; id < ranks.length; id++) {
            if (ranks[id] != NONE) {
                most = Math.max(most, vocabulary.tokens()[id].length);
                addCharacters(vocabulary.tokens()[id], symbols);
            }
        }
        longest = most;
    }

    private static int[] ranks(VocabularyData vocabulary) {
        int[] ranks = new int[vocabulary.tokens().length];
        long[] order = new long[ranks.length];
        for (int id = 0; id < ranks.length; id++) {
            order[id] = ~(long) sortable(vocabulary.scores()[id], id) << 32 | id;
        }
        Arrays.sort(order);
        int rank = 0;
        for (int place = 0; place < order.length; place++) {
            if (place > 0 && order[place] >> 32 != order[place - 1] >> 32) {
                rank++;
            }
            int id = (int) order[place];
            ranks[id] = isResult(vocabulary, id) ? rank : NONE;
        }
        return ranks;
    }

    private static boolean isResult(VocabularyData vocabulary, int id) {
        return switch (vocabulary.types()[id]) {
            case CONTROL, UNKNOWN, BYTE -> false;
            case NORMAL, UNDEFINED, USER_DEFINED, UNUSED ->
                    Utf8.isWellFormed(vocabulary.tokens()[id]);
        };
    }

    /** A number in the order of the scores, the same for both zeros. */
    private static int sortable(float score, int id) {
        if (Float.isNaN(score)) {
            throw VocabularyData.corrupt("scores[" + id + "]", "a number", "NaN");
        }
        int bits = Float.floatToIntBits(score + 0f);
        return bits ^ bits >> 31 & 0x7FFFFFFF;
    }

    private static void addCharacters(byte[] token, SymbolTable symbols) {
        for (int at = 0; at < token.length; ) {
            int end = at + Utf8.length(Utf8.codePointAt(token, at));
            symbols.findOrAdd(token, at, end);
            at = end;
        }
    }

    @Override
    public int rank(int left, int right) {
        if ((left | right) < 0 || symbols.length(left) + symbols.length(right) > longest) {
            return NONE;
        }
        int joined = symbols.findJoined(left, right);
        return joined >= 0 && joined < ranks.length ? ranks[joined] : NONE;
    }

    @Override
    public int merged(int left, int right, int rank) {
        return symbols.findJoined(left, right);
    }

    @Override
    public String describe() {
        return "merged by scores";
    }
}

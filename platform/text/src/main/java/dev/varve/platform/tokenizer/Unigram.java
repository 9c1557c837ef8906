package dev.varve.platform.tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * SentencePiece's unigram model ({@code t5}): of all divisions of a text into tokens, the one whose
 * log probabilities have the largest sum. Characters without a token are unknown ones, a run of
 * which is a single token.
 */
final class Unigram implements MergeAlgorithm {
    private static final int USUAL_UNKNOWN = 2;

    /** How much less likely an unknown character is than any token. */
    private static final double PENALTY = 10;

    private final SymbolTable symbols;
    private final float[] scores;
    private final TokenType[] types;
    private final UnigramText normalizer;
    private final boolean addsSpacePrefix;
    private final int unknown;
    private final int longest;
    private final double unknownScore;

    Unigram(VocabularyData vocabulary, SymbolTable symbols) {
        this.symbols = symbols;
        types = vocabulary.types();
        scores = vocabulary.scores();
        addsSpacePrefix = vocabulary.rules().addsSpacePrefix();
        normalizer = new UnigramText(vocabulary.rules().normalizer(), addsSpacePrefix);
        unknown = vocabulary.rules().normalizer().unknown().orElse(USUAL_UNKNOWN);
        VocabularyData.checkId("unknown_token_id", OptionalInt.of(unknown), types.length);
        longest = Arrays.stream(vocabulary.tokens()).mapToInt(text -> text.length).max().orElse(1);
        double least = Float.MAX_VALUE;
        for (int id = 0; id < types.length; id++) {
            if (types[id] == TokenType.NORMAL) {
                least = Math.min(least, scores[id]);
            }
        }
        unknownScore = least - PENALTY;
    }

    /** Best division of each beginning of a text. */
    private static final class Path {
        private final double[] sums;
        private final int[] starts;
        private final int[] tokens;

        Path(int length) {
            sums = new double[length + 1];
            starts = new int[length + 1];
            tokens = new int[length + 1];
            Arrays.fill(sums, Double.NEGATIVE_INFINITY);
            sums[0] = 0;
        }

        void offer(int start, int end, int token, double score) {
            double sum = sums[start] + score;
            if (sum > sums[end]) {
                sums[end] = sum;
                starts[end] = start;
                tokens[end] = token;
            }
        }
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        if (from == to) {
            return;
        }
        byte[] normal = normalizer.normalize(text, from, to);
        Path path = new Path(normal.length);
        for (int at = 0; at < normal.length; ) {
            loop.mayWait();
            int length = Math.min(Utf8.length(Utf8.codePointAt(normal, at)), normal.length - at);
            offerTokens(normal, at, length, path);
            at += length;
        }
        append(path, normal.length, ids);
    }

    private void offerTokens(byte[] text, int at, int character, Path path) {
        boolean known = false;
        int most = Math.min(text.length, at + longest);
        for (int end = at + 1; end <= most; end++) {
            if (end < text.length && Utf8.isContinuation(text[end])) {
                continue;
            }
            int id = symbols.find(text, at, end);
            if (id >= 0 && isUsed(id)) {
                known |= end == at + character;
                path.offer(at, end, id, types[id] == TokenType.USER_DEFINED ? 0 : scores[id]);
            }
        }
        if (!known) {
            path.offer(at, at + character, unknown, unknownScore);
        }
    }

    private boolean isUsed(int id) {
        return types[id] == TokenType.NORMAL
                || types[id] == TokenType.USER_DEFINED
                || types[id] == TokenType.UNUSED;
    }

    private void append(Path path, int length, IntList ids) {
        int[] reversed = new int[length];
        int count = 0;
        for (int end = length; end > 0; end = path.starts[end]) {
            int token = path.tokens[end];
            if (token != unknown || count == 0 || reversed[count - 1] != unknown) {
                reversed[count++] = token;
            }
        }
        while (count > 0) {
            ids.add(reversed[--count]);
        }
    }

    @Override
    public boolean addsSpacePrefix() {
        return addsSpacePrefix;
    }

    @Override
    public byte[] decode(byte[] tokenText) {
        return SpaceMarks.unmark(tokenText);
    }

    @Override
    public boolean coversAllBytes() {
        return false;
    }

    @Override
    public boolean addsBos(Optional<Boolean> ofFile) {
        return ofFile.orElse(false);
    }

    @Override
    public String name() {
        return "SentencePiece, most likely tokens";
    }
}

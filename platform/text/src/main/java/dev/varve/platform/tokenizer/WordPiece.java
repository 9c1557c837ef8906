package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Optional;

/**
 * WordPiece ({@code bert}): text is divided at white space and around punctuation, and each word
 * into the longest tokens from the left. In the vocabulary U+2581 begins a word. A word that cannot
 * be divided is one unknown token.
 */
final class WordPiece implements MergeAlgorithm {
    private static final int USUAL_UNKNOWN = 100;
    private static final int MARK = 0x2581;
    private static final int REPLACEMENT = 0xFFFD;
    private static final int LAST_ASCII = 0x7F;

    /** First and last code points of the blocks of ideographs. */
    private static final int[][] IDEOGRAPHS = {
        {0x4E00, 0x9FFF},
        {0x3400, 0x4DBF},
        {0xF900, 0xFAFF},
        {0x20000, 0x2A6DF},
        {0x2A700, 0x2CEAF},
        {0x2F800, 0x2FA1F}
    };

    private final SymbolTable symbols;
    private final NormalizerRules rules;
    private final int unknown;
    private final int longest;

    WordPiece(VocabularyData vocabulary, SymbolTable symbols) {
        this.symbols = symbols;
        rules = vocabulary.rules().normalizer();
        unknown = rules.unknown().orElse(USUAL_UNKNOWN);
        VocabularyData.checkId(
                "unknown_token_id", java.util.OptionalInt.of(unknown), vocabulary.tokens().length);
        longest = Arrays.stream(vocabulary.tokens()).mapToInt(text -> text.length).max().orElse(1);
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        String whole = new String(text, from, to - from, StandardCharsets.UTF_8);
        String plain =
                rules.stripsAccents() ? Normalizer.normalize(whole, Normalizer.Form.NFD) : whole;
        StringBuilder word = new StringBuilder();
        for (int at = 0; at < plain.length(); ) {
            loop.mayWait();
            int character = plain.codePointAt(at);
            at += Character.charCount(character);
            if (isSpace(character)) {
                end(word, ids);
            } else if (!isDropped(character)) {
                boolean alone = standsAlone(character);
                if (alone) {
                    end(word, ids);
                }
                word.appendCodePoint(
                        rules.lowerCase() ? Character.toLowerCase(character) : character);
                if (alone) {
                    end(word, ids);
                }
            }
        }
        end(word, ids);
    }

    private static boolean isSpace(int character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    private boolean isDropped(int character) {
        int type = Character.getType(character);
        return character == 0
                || character == REPLACEMENT
                || type == Character.CONTROL
                || type == Character.FORMAT
                || rules.stripsAccents() && type == Character.NON_SPACING_MARK;
    }

    private static boolean standsAlone(int character) {
        return switch (Character.getType(character)) {
            case Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION ->
                    true;
            case Character.MATH_SYMBOL,
                    Character.CURRENCY_SYMBOL,
                    Character.MODIFIER_SYMBOL,
                    Character.OTHER_SYMBOL ->
                    character < LAST_ASCII;
            default ->
                    Arrays.stream(IDEOGRAPHS)
                            .anyMatch(block -> character >= block[0] && character <= block[1]);
        };
    }

    /** Appends the tokens of a word, and clears it. */
    private void end(StringBuilder word, IntList ids) {
        if (word.isEmpty()) {
            return;
        }
        word.insert(0, Character.toString(MARK));
        byte[] text = Utf8.encode(word.toString());
        word.setLength(0);
        int before = ids.size();
        for (int at = 0; at < text.length; ) {
            int end = Math.min(text.length, at + longest);
            int id = symbols.find(text, at, end);
            while (id < 0 && end > at + 1) {
                end--;
                id = symbols.find(text, at, end);
            }
            if (id < 0) {
                ids.truncate(before);
                ids.add(unknown);
                return;
            }
            ids.add(id);
            at = end;
        }
    }

    @Override
    public boolean addsSpacePrefix() {
        return true;
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
        return ofFile.orElse(true);
    }

    @Override
    public String name() {
        return "WordPiece" + (rules.lowerCase() ? ", lower case" : "");
    }
}

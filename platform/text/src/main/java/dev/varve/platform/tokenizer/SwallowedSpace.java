package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** White space that special tokens swallow: it has no tokens behind one of them. */
final class SwallowedSpace {
    /** Tokens that leave the white space in the text. */
    private static final List<byte[]> EXCEPTIONS =
            List.of(bytes("<unk>"), bytes("<s>"), bytes("<|endoftext|>"));

    private final BitSet tokens = new BitSet();

    private SwallowedSpace() {}

    static SwallowedSpace of(VocabularyData vocabulary) {
        SwallowedSpace swallowed = new SwallowedSpace();
        if (vocabulary.rules().swallowsSpace()) {
            for (int id = 0; id < vocabulary.tokens().length; id++) {
                byte[] text = vocabulary.tokens()[id];
                boolean excepted = EXCEPTIONS.stream().anyMatch(each -> Arrays.equals(each, text));
                swallowed.tokens.set(id, vocabulary.types()[id].isCutOut() && !excepted);
            }
        }
        return swallowed;
    }

    boolean isNone() {
        return tokens.isEmpty();
    }

    /** Returns where the text behind a token begins; {@code from} if the token swallows nothing. */
    int end(int token, byte[] text, int from, int to) {
        int at = from;
        if (tokens.get(token)) {
            while (at < to && (text[at] == ' ' || text[at] >= '\t' && text[at] <= '\r')) {
                at++;
            }
        }
        return at;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

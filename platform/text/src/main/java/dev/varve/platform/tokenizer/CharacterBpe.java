package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * BPE over the characters of whole lines ({@code gemma4}). Spaces are U+2581 in the vocabulary;
 * characters that it lacks become one byte token per byte of their UTF-8.
 *
 * <p>Not invertible for text that holds U+2581 itself: it decodes to a space.
 */
final class CharacterBpe implements MergeAlgorithm {
    private static final byte[] SPACE_MARK = "\u2581".getBytes(StandardCharsets.UTF_8);

    private final PreTokenizer lines = new LineSplitter();
    private final SymbolTable symbols;
    private final MergeTable merges;
    private final int vocabularySize;

    /** Token of each byte, {@code -1} for none. */
    private final int[] byteTokens = new int[256];

    private final WordCache cache = new WordCache();

    CharacterBpe(VocabularyData vocabulary, SymbolTable symbols) {
        this.symbols = symbols;
        vocabularySize = vocabulary.tokens().length;
        for (int value = 0; value < 256; value++) {
            byteTokens[value] = token(ByteToken.text(value));
        }
        merges = MergeTable.of(vocabulary.merges(), symbols);
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        byte[] marked = markSpaces(text, from, to);
        lines.split(
                marked, 0, marked.length, (begin, end) -> encodeRun(marked, begin, end, loop, ids));
    }

    private void encodeRun(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        if (text[from] == '\n') {
            int id = symbols.find(text, from, to);
            if (id >= 0 && id < vocabularySize) {
                ids.add(id);
                return;
            }
        }
        if (cache.appendTokens(text, from, to, ids)) {
            return;
        }
        loop.start();
        for (int at = from; at < to; ) {
            int length = Utf8.length(Utf8.codePointAt(text, at));
            loop.add(symbols.find(text, at, at + length), at);
            at += length;
        }
        loop.merge(merges);
        int before = ids.size();
        for (int index = 0; index < loop.end(); index = loop.next(index)) {
            int symbol = loop.symbol(index);
            if (symbol >= 0 && symbol < vocabularySize) {
                ids.add(symbol);
            } else {
                int next = loop.next(index);
                addBytes(text, loop.start(index), next < loop.end() ? loop.start(next) : to, ids);
            }
        }
        cache.put(text, from, to, ids.toArray(before));
    }

    private void addBytes(byte[] text, int from, int to, IntList ids) {
        for (int at = from; at < to; at++) {
            int id = byteTokens[text[at] & 0xFF];
            if (id >= 0) {
                ids.add(id);
            }
        }
    }

    @Override
    public byte[] decode(byte[] tokenText) {
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(tokenText.length);
        for (int at = 0; at < tokenText.length; ) {
            if (isSpaceMark(tokenText, at)) {
                decoded.write(' ');
                at += SPACE_MARK.length;
            } else {
                decoded.write(tokenText[at++]);
            }
        }
        return decoded.toByteArray();
    }

    @Override
    public boolean coversAllBytes() {
        return Arrays.stream(byteTokens).allMatch(token -> token >= 0);
    }

    @Override
    public boolean forcesBos() {
        return true;
    }

    @Override
    public String name() {
        return "BPE over characters of lines, " + merges.size() + " merges";
    }

    private int token(byte[] text) {
        int id = symbols.find(text);
        return id < vocabularySize ? id : -1;
    }

    private static byte[] markSpaces(byte[] text, int from, int to) {
        int spaces = 0;
        for (int at = from; at < to; at++) {
            spaces += text[at] == ' ' ? 1 : 0;
        }
        byte[] marked =
                new byte
                        [Math.addExact(
                                to - from, Math.multiplyExact(spaces, SPACE_MARK.length - 1))];
        int end = 0;
        for (int at = from; at < to; at++) {
            if (text[at] == ' ') {
                System.arraycopy(SPACE_MARK, 0, marked, end, SPACE_MARK.length);
                end += SPACE_MARK.length;
            } else {
                marked[end++] = text[at];
            }
        }
        return marked;
    }

    private static boolean isSpaceMark(byte[] text, int at) {
        return at + 2 < text.length
                && text[at] == SPACE_MARK[0]
                && text[at + 1] == SPACE_MARK[1]
                && text[at + 2] == SPACE_MARK[2];
    }
}

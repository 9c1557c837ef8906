package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

import java.util.Optional;

/**
 * BPE over the characters of whole lines ({@code gemma4}). Spaces are U+2581 in the vocabulary;
 * characters that it lacks become byte tokens.
 *
 * <p>Not invertible for text that holds U+2581 itself: it decodes to a space.
 */
final class CharacterBpe implements MergeAlgorithm {
    private final PreTokenizer lines = new LineSplitter();
    private final SymbolTable symbols;
    private final MergeTable merges;
    private final CharacterMerger merger;
    private final int vocabularySize;

    CharacterBpe(VocabularyData vocabulary, SymbolTable symbols) {
        this.symbols = symbols;
        vocabularySize = vocabulary.tokens().length;
        merges = MergeTable.of(vocabulary.merges(), symbols);
        merger = new CharacterMerger(symbols, merges, vocabularySize);
    }

    @Override
    public void encode(byte[] text, int from, int to, MergeLoop loop, IntList ids) {
        byte[] marked = SpaceMarks.mark(text, from, to, false);
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
        merger.append(text, from, to, loop, ids);
    }

    @Override
    public byte[] decode(byte[] tokenText) {
        return SpaceMarks.unmark(tokenText);
    }

    @Override
    public boolean coversAllBytes() {
        return merger.hasAllBytes();
    }

    @Override
    public boolean addsBos(Optional<Boolean> ofFile) {
        return true;
    }

    @Override
    public String name() {
        return "BPE over characters of lines, " + merges.describe();
    }
}

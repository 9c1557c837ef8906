package dev.varve.platform.tokenizer;

import dev.varve.api.model.PreTokenizer;

/**
 * The pre-tokenizer of GPT-2, by hand like {@link LetterRunSplitter}:
 *
 * <pre>
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * </pre>
 */
final class Gpt2Splitter implements PreTokenizer {
    @Override
    public void split(byte[] text, int from, int to, Words words) {
        for (int at = from; at < to; ) {
            int end = wordEnd(text, at, to);
            words.word(at, end);
            at = end;
        }
    }

    private static int wordEnd(byte[] text, int at, int to) {
        int contraction = CharacterScan.smallContractionEnd(text, at, to);
        if (contraction > at) {
            return contraction;
        }
        int begin = text[at] == ' ' && at + 1 < to ? at + 1 : at;
        byte kind = CharacterKind.of(Utf8.codePointAt(text, begin));
        return switch (kind) {
            case CharacterKind.SPACE -> CharacterScan.spacesEnd(text, at, to);
            case CharacterKind.LETTER, CharacterKind.NUMBER ->
                    CharacterScan.kindEnd(text, begin, to, kind);
            default -> signsEnd(text, begin, to);
        };
    }

    /** Marks are signs here. */
    private static int signsEnd(byte[] text, int from, int to) {
        return CharacterScan.end(
                text,
                from,
                to,
                Integer.MAX_VALUE,
                codePoint -> {
                    byte kind = CharacterKind.of(codePoint);
                    return kind == CharacterKind.OTHER || kind == CharacterKind.MARK;
                });
    }
}

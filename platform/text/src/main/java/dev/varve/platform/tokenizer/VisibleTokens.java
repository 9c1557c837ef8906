package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Control tokens of Harmony vocabularies that are part of the text: they divide the text of one
 * turn into channels, but files declare them like the tokens that end it.
 */
final class VisibleTokens {
    private static final List<String> HARMONY = List.of("<|start|>", "<|channel|>", "<|message|>");
    private static final String CONSTRAIN = "<|constrain|>";

    private VisibleTokens() {}

    /** Returns the vocabulary in which these tokens are user-defined. */
    static VocabularyData mark(VocabularyData vocabulary, SymbolTable symbols) {
        TokenType[] types = vocabulary.types().clone();
        if (HARMONY.stream().allMatch(text -> find(symbols, types, text) >= 0)) {
            HARMONY.forEach(text -> show(symbols, types, text));
            show(symbols, types, CONSTRAIN);
        }
        if (EndTokens.isEndOfMessage(symbols, types.length)) {
            show(symbols, types, EndTokens.END);
        }
        return vocabulary.withTypes(types);
    }

    private static void show(SymbolTable symbols, TokenType[] types, String text) {
        int id = find(symbols, types, text);
        if (id >= 0) {
            types[id] = TokenType.USER_DEFINED;
        }
    }

    private static int find(SymbolTable symbols, TokenType[] types, String text) {
        int id = symbols.find(text.getBytes(StandardCharsets.UTF_8));
        return id < types.length ? id : -1;
    }
}

package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The tokens that end a turn: those that the file names, and those with a well-known spelling,
 * since many files name only one of several.
 */
final class EndTokens {
    /** Ends a turn in some vocabularies, and only one of its messages in others. */
    static final String END = "<|end|>";

    /** No ordinary text, so they count even where the file declares them as such. */
    private static final List<String> SPELLINGS =
            List.of(
                    "<|im_end|>",
                    "<|endoftext|>",
                    "<|eot_id|>",
                    "<|eom_id|>",
                    "<|end_of_text|>",
                    "<end_of_turn>",
                    "<turn|>",
                    "<|tool_response>",
                    "<|return|>",
                    "<|call|>",
                    "<|calls|>",
                    "<|flush|>",
                    "<｜end▁of▁sentence｜>");

    /** Ordinary text in some vocabularies, where stopping at it would truncate responses. */
    private static final List<String> ONLY_SPECIAL =
            List.of("</assistant>", "<eos>", "<EOT>", "▁<EOT>", "[EOS]", "[EOT]", "[e~[");

    /** As {@link #ONLY_SPECIAL}, and ignored if a tool response token ends the turn. */
    private static final String SENTENCE_END = "</s>";

    private EndTokens() {}

    static Set<Integer> of(VocabularyData vocabulary, SymbolTable symbols) {
        Set<Integer> ids = new TreeSet<>();
        NamedIds named = vocabulary.ids();
        Stream.of(named.eos(), named.eot(), named.eom())
                .flatMapToInt(OptionalInt::stream)
                .forEach(ids::add);
        int tokens = vocabulary.tokens().length;
        SPELLINGS.forEach(spelling -> find(symbols, tokens, spelling).ifPresent(ids::add));
        for (String spelling : ONLY_SPECIAL) {
            find(symbols, tokens, spelling).stream()
                    .filter(id -> vocabulary.types()[id].isCutOut())
                    .forEach(ids::add);
        }
        boolean toolResponseEnds = find(symbols, tokens, "<|tool_response>").isPresent();
        find(symbols, tokens, SENTENCE_END).stream()
                .filter(id -> !toolResponseEnds && vocabulary.types()[id] == TokenType.CONTROL)
                .forEach(ids::add);
        // A file may name it, too: conversions guess by the spelling.
        boolean endsTurn = !isEndOfMessage(symbols, tokens);
        find(symbols, tokens, END)
                .ifPresent(
                        id -> {
                            if (endsTurn) {
                                ids.add(id);
                            } else {
                                ids.remove(id);
                            }
                        });
        return Set.copyOf(ids);
    }

    /**
     * Returns whether {@link #END} ends only a message, because other tokens end the turn: it does
     * so in the vocabularies of gpt-oss and of models with its protocol.
     */
    static boolean isEndOfMessage(SymbolTable symbols, int tokens) {
        boolean call = has(symbols, tokens, "<|call|>");
        boolean calls = call || has(symbols, tokens, "<|calls|>");
        return has(symbols, tokens, END)
                && (call && has(symbols, tokens, "<|return|>")
                        || calls && has(symbols, tokens, "<|flush|>"));
    }

    private static boolean has(SymbolTable symbols, int tokens, String spelling) {
        return find(symbols, tokens, spelling).isPresent();
    }

    private static OptionalInt find(SymbolTable symbols, int tokens, String spelling) {
        int id = symbols.find(spelling.getBytes(StandardCharsets.UTF_8));
        return id >= 0 && id < tokens ? OptionalInt.of(id) : OptionalInt.empty();
    }
}

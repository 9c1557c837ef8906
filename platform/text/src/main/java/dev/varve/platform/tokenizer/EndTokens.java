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
    private static final List<String> SPELLINGS =
            List.of(
                    "<|im_end|>",
                    "<|endoftext|>",
                    "<|eot_id|>",
                    "<|eom_id|>",
                    "<|end|>",
                    "<|end_of_text|>",
                    "<end_of_turn>",
                    "<eos>",
                    "<turn|>",
                    "<|tool_response>",
                    "<|return|>",
                    "<|call|>",
                    "<EOT>",
                    "[EOS]");

    /** Ordinary text in some vocabularies, where stopping at it would truncate responses. */
    private static final List<String> ONLY_SPECIAL = List.of("</assistant>");

    /** As {@link #ONLY_SPECIAL}, and ignored if a tool response token ends the turn. */
    private static final String SENTENCE_END = "</s>";

    private EndTokens() {}

    static Set<Integer> of(VocabularyData vocabulary, SymbolTable symbols) {
        Set<Integer> ids = new TreeSet<>();
        Stream.of(vocabulary.ids().eos(), vocabulary.ids().eot(), vocabulary.ids().eom())
                .flatMapToInt(OptionalInt::stream)
                .forEach(ids::add);
        SPELLINGS.forEach(spelling -> find(vocabulary, symbols, spelling).ifPresent(ids::add));
        for (String spelling : ONLY_SPECIAL) {
            find(vocabulary, symbols, spelling).stream()
                    .filter(id -> vocabulary.types()[id].isCutOut())
                    .forEach(ids::add);
        }
        boolean toolResponseEnds = find(vocabulary, symbols, "<|tool_response>").isPresent();
        find(vocabulary, symbols, SENTENCE_END).stream()
                .filter(id -> !toolResponseEnds && vocabulary.types()[id] == TokenType.CONTROL)
                .forEach(ids::add);
        return Set.copyOf(ids);
    }

    private static OptionalInt find(
            VocabularyData vocabulary, SymbolTable symbols, String spelling) {
        int id = symbols.find(spelling.getBytes(StandardCharsets.UTF_8));
        return id >= 0 && id < vocabulary.tokens().length
                ? OptionalInt.of(id)
                : OptionalInt.empty();
    }
}

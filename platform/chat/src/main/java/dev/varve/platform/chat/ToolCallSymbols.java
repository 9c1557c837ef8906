package dev.varve.platform.chat;

import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.mask.SortedVocabulary;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Grammar symbols of the fixed parts of calls. */
final class ToolCallSymbols {
    private static final Pattern TAG = Pattern.compile("<[^<>]+>|\\[[A-Z_]+]");

    private final GrammarBuilder builder;
    private final Tokenizer tokenizer;

    ToolCallSymbols(GrammarBuilder builder, Tokenizer tokenizer) {
        this.builder = builder;
        this.tokenizer = tokenizer;
    }

    GrammarBuilder builder() {
        return builder;
    }

    RegexStore store() {
        return builder.store();
    }

    /** Whether a mark is a special token. */
    boolean isSpecial(String mark) {
        return MarkTable.special(tokenizer, mark).isPresent();
    }

    /** Returns the symbol of a text without special tokens; it may be empty. */
    int text(String text) {
        return builder.literal(text);
    }

    int optionalText(String text) {
        return builder.optional(builder.literal(text));
    }

    /**
     * Returns the symbol of a tag: its special token if the vocabulary has one, otherwise its text.
     */
    int tag(String tag) {
        OptionalInt special =
                tag.isEmpty() ? OptionalInt.empty() : MarkTable.special(tokenizer, tag);
        return special.isPresent()
                ? builder.terminal(
                        store().literal(SortedVocabulary.specialBytes(special.getAsInt())))
                : builder.literal(tag);
    }

    /** Returns the texts that may be special tokens. */
    static List<String> tags(String text) {
        return TAG.matcher(text).results().map(MatchResult::group).toList();
    }

    /** Returns the symbol of a text whose tags are as in {@link #tag}. */
    int marked(String text) {
        Matcher tags = TAG.matcher(text);
        List<Integer> parts = new ArrayList<>();
        int from = 0;
        while (tags.find()) {
            parts.add(text(text.substring(from, tags.start())));
            parts.add(tag(tags.group()));
            from = tags.end();
        }
        parts.add(text(text.substring(from)));
        return builder.sequence("markup", parts.stream().mapToInt(Integer::intValue).toArray());
    }
}

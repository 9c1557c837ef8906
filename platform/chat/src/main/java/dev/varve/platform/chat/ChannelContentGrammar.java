package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.tokenizer.Tokenizer;

/**
 * Grammar of content in the final channel, header included.
 *
 * @param content grammar of the body
 */
record ChannelContentGrammar(GrammarSource content, Tokenizer tokenizer) implements GrammarSource {
    @Override
    public String key() {
        return "final " + content.key();
    }

    @Override
    public int build(GrammarBuilder builder) {
        ToolCallSymbols markup = new ToolCallSymbols(builder, tokenizer);
        return builder.sequence(
                "final",
                markup.marked("<|channel|>final"),
                builder.optional(markup.marked(" <|constrain|>json")),
                markup.tag("<|message|>"),
                content.build(builder));
    }
}

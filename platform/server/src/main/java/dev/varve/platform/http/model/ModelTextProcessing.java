package dev.varve.platform.http.model;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/**
 * How conversations become tokens, and tokens answers.
 *
 * @param tokenizer of the model
 * @param chat renders conversations; empty where the model has no chat template
 * @param dialect how the answers of the model read
 * @param reasoningDefaults what counts where a request says nothing about thoughts
 * @param grammars makes grammars of what answers must be
 */
public record ModelTextProcessing(
        Tokenizer tokenizer,
        Optional<ChatRenderer> chat,
        ResponseSyntax dialect,
        ReasoningDefaults reasoningDefaults,
        GrammarCompiler grammars) {
    /** A model with grammars of its own. */
    public ModelTextProcessing(
            Tokenizer tokenizer,
            Optional<ChatRenderer> chat,
            ResponseSyntax dialect,
            ReasoningDefaults reasoningDefaults) {
        this(tokenizer, chat, dialect, reasoningDefaults, new GrammarCompiler(tokenizer));
    }
}

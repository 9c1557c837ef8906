package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/**
 * What an answer's format knows of its prompt.
 *
 * @param tokens that the model gets
 * @param compression what became of the conversation, if it became shorter
 * @param tokenizer of the model
 */
public record PromptSummary(
        int tokens, Optional<CompressionReport> compression, Tokenizer tokenizer) {}

package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/**
 * Facts about a prompt that the serializer of its response needs.
 *
 * @param tokens number of tokens that the model receives
 * @param compression report on the compression of the conversation, if it was compressed
 * @param tokenizer tokenizer of the model
 */
public record PromptFacts(
        int tokens, Optional<CompressionReport> compression, Tokenizer tokenizer) {}

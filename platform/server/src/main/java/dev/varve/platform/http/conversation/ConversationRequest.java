package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.http.answer.RequestCacheOptions;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

import java.util.Map;
import java.util.OptionalInt;

/**
 * A conversation request, independent of the dialect. Checked, except for errors that only the
 * model's template can detect.
 *
 * @param parameters sampling, and the end of the response
 * @param transcript messages of the conversation
 * @param promptMode where the response begins
 * @param tools tools that the model may call
 * @param responseFormat required format of the content
 * @param reasoning whether the model reasons, and how much
 * @param variables further template variables
 * @param promptOptions options for the prefix cache and compression
 */
public record ConversationRequest(
        GenerationParameters parameters,
        Transcript transcript,
        GenerationPromptMode promptMode,
        RequestTools tools,
        ResponseFormatFields responseFormat,
        ReasoningParameters reasoning,
        Map<String, Object> variables,
        CacheAndCompressionOptions promptOptions) {
    /** Returns the request with another form of its messages. */
    ConversationRequest with(Transcript other) {
        return new ConversationRequest(
                parameters,
                other,
                promptMode,
                tools,
                responseFormat,
                reasoning,
                variables,
                promptOptions);
    }

    /**
     * Returns the maximum number of reasoning tokens in a response of {@code maxOutput} tokens,
     * empty for no limit; 0 if the response continues existing content.
     */
    OptionalInt reasoningBudget(int maxOutput) {
        return promptMode == GenerationPromptMode.CONTINUE
                ? OptionalInt.of(0)
                : reasoning.budget(maxOutput);
    }

    /**
     * Options for the prefix cache and compression.
     *
     * @param cache use of the prefix cache
     * @param compression compression of long prompts
     */
    public record CacheAndCompressionOptions(
            RequestCacheOptions cache, CompressionOverrides compression) {
        /** Reads the options from the fields that all dialects share. */
        public static CacheAndCompressionOptions read(RequestFields fields, ServedModel served) {
            return new CacheAndCompressionOptions(
                    CacheFields.read(fields),
                    CompressionFields.read(fields, served.compressor().isPresent()));
        }
    }
}

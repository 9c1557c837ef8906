package dev.varve.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import dev.varve.api.VarveException;
import dev.varve.embedded.ToolCall;

/** Converts responses and errors to those of LangChain4j. */
final class ResponseConverter {
    private ResponseConverter() {}

    /**
     * Converts a response.
     *
     * @param model name of the model
     */
    static ChatResponse response(dev.varve.embedded.ChatResponse response, String model) {
        AiMessage message =
                AiMessage.builder()
                        .text(emptyToNull(response.text()))
                        .thinking(emptyToNull(response.reasoning()))
                        .toolExecutionRequests(
                                response.calls().stream().map(ResponseConverter::call).toList())
                        .build();
        return ChatResponse.builder()
                .aiMessage(message)
                .modelName(model)
                .tokenUsage(
                        new TokenUsage(
                                response.usage().promptTokens(),
                                response.usage().responseTokens(),
                                response.usage().totalTokens()))
                .finishReason(reason(response.finish()))
                .build();
    }

    /** LangChain4j represents a missing text by null. */
    private static String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }

    static ToolExecutionRequest call(ToolCall call) {
        return ToolExecutionRequest.builder()
                .id(call.id())
                .name(call.name())
                .arguments(call.arguments())
                .build();
    }

    private static FinishReason reason(dev.varve.embedded.FinishReason reason) {
        return switch (reason) {
            case STOP -> FinishReason.STOP;
            case LENGTH -> FinishReason.LENGTH;
            case TOOL_CALLS -> FinishReason.TOOL_EXECUTION;
        };
    }

    /** Converts an error; those that a repetition may solve become retriable ones. */
    static LangChain4jException error(VarveException error) {
        return switch (error.kind()) {
            case INVALID_REQUEST, CONTEXT_OVERFLOW ->
                    new InvalidRequestException(text(error), error);
            case OVERLOADED -> new RateLimitException(text(error), error);
            case BACKEND_FAILED, UNAVAILABLE, OUT_OF_MEMORY ->
                    new InternalServerException(text(error), error);
            case UNSUPPORTED_MODEL, CORRUPT_FILE, UNREADABLE_FILE, CANCELLED ->
                    new LangChain4jException(text(error), error);
        };
    }

    private static String text(VarveException error) {
        return error.getMessage();
    }
}

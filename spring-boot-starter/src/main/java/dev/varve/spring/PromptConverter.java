package dev.varve.spring;

import dev.varve.embedded.ChatRequest;
import dev.varve.embedded.Message;
import dev.varve.embedded.Sampling;
import dev.varve.embedded.Tool;
import dev.varve.embedded.ToolCall;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.StructuredOutputChatOptions;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Converts prompts of Spring AI. */
final class PromptConverter {
    private PromptConverter() {}

    /**
     * Converts a prompt.
     *
     * @throws UnsupportedOperationException if a message has anything but text
     */
    static ChatRequest request(Prompt prompt) {
        ChatRequest request =
                ChatRequest.of(
                        prompt.getInstructions().stream()
                                .flatMap(PromptConverter::messages)
                                .toList());
        return prompt.getOptions() == null ? request : with(request, prompt.getOptions());
    }

    private static ChatRequest with(ChatRequest request, ChatOptions options) {
        ChatRequest changed =
                request.withSampling(sampling(options))
                        .withStops(
                                Optional.ofNullable(options.getStopSequences()).orElse(List.of()));
        if (options.getMaxTokens() != null) {
            changed = changed.withMaxTokens(options.getMaxTokens());
        }
        if (options instanceof ToolCallingChatOptions calling) {
            changed = changed.withTools(tools(calling.getToolCallbacks()));
        }
        return options instanceof StructuredOutputChatOptions structured
                        && structured.getOutputSchema() != null
                ? changed.withSchema(structured.getOutputSchema())
                : changed;
    }

    private static Stream<Message> messages(org.springframework.ai.chat.messages.Message message) {
        return switch (message) {
            case SystemMessage system -> Stream.of(Message.system(system.getText()));
            case UserMessage user when user.getMedia().isEmpty() ->
                    Stream.of(Message.user(user.getText()));
            case AssistantMessage assistant -> Stream.of(assistant(assistant));
            case ToolResponseMessage results ->
                    results.getResponses().stream().map(PromptConverter::result);
            default ->
                    throw new UnsupportedOperationException(
                            "expected messages with text alone, found one of type "
                                    + message.getMessageType()
                                    + " with media");
        };
    }

    private static Message assistant(AssistantMessage message) {
        return new Message.Assistant(
                Optional.ofNullable(message.getText()).orElse(""),
                message.getToolCalls().stream()
                        .map(call -> new ToolCall(call.id(), call.name(), call.arguments()))
                        .toList());
    }

    private static Message result(ToolResponseMessage.ToolResponse result) {
        return Message.toolResult(
                new ToolCall(result.id(), result.name(), "{}"), result.responseData());
    }

    private static List<Tool> tools(List<ToolCallback> callbacks) {
        return Optional.ofNullable(callbacks).orElse(List.of()).stream()
                .map(ToolCallback::getToolDefinition)
                .map(PromptConverter::tool)
                .toList();
    }

    private static Tool tool(ToolDefinition tool) {
        return new Tool(tool.name(), tool.description(), tool.inputSchema(), false);
    }

    private static Sampling sampling(ChatOptions options) {
        Sampling sampling = Sampling.DEFAULT;
        if (options.getTopK() != null) {
            sampling = sampling.topK(options.getTopK());
        }
        sampling = with(sampling, "temperature", options.getTemperature());
        sampling = with(sampling, "top_p", options.getTopP());
        sampling = with(sampling, "frequency_penalty", options.getFrequencyPenalty());
        return with(sampling, "presence_penalty", options.getPresencePenalty());
    }

    private static Sampling with(Sampling sampling, String name, Double value) {
        return value == null ? sampling : sampling.with(name, value);
    }
}

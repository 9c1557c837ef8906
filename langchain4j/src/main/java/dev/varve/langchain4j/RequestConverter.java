package dev.varve.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.varve.embedded.ChatRequest;
import dev.varve.embedded.Message;
import dev.varve.embedded.Sampling;
import dev.varve.embedded.Tool;
import dev.varve.embedded.ToolCall;
import dev.varve.embedded.ToolChoice;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Converts requests of LangChain4j. */
final class RequestConverter {
    private static final String ANY_OBJECT = "{\"type\":\"object\"}";

    private RequestConverter() {}

    /**
     * Converts a request.
     *
     * @throws UnsupportedFeatureException if it contains anything but text
     */
    static ChatRequest request(dev.langchain4j.model.chat.request.ChatRequest request) {
        ChatRequest converted =
                ChatRequest.of(messages(request.messages()))
                        .withTools(tools(request.toolSpecifications()))
                        .withToolChoice(choice(request.toolChoice()))
                        .withSampling(sampling(request))
                        .withStops(Optional.ofNullable(request.stopSequences()).orElse(List.of()));
        if (request.maxOutputTokens() != null) {
            converted = converted.withMaxTokens(request.maxOutputTokens());
        }
        return schema(request.responseFormat()).map(converted::withSchema).orElse(converted);
    }

    /** Converts messages. */
    static List<Message> messages(List<ChatMessage> messages) {
        return messages.stream().map(RequestConverter::message).toList();
    }

    /** Converts one message. */
    static Message message(ChatMessage message) {
        return switch (message) {
            case SystemMessage system -> Message.system(system.text());
            case UserMessage user -> Message.user(text(user.contents()));
            case AiMessage ai ->
                    new Message.Assistant(
                            Optional.ofNullable(ai.text()).orElse(""),
                            ai.toolExecutionRequests().stream()
                                    .map(RequestConverter::call)
                                    .toList());
            case ToolExecutionResultMessage result ->
                    Message.toolResult(
                            new ToolCall(id(result.id()), result.toolName(), "{}"),
                            text(result.contents()));
            default ->
                    throw new UnsupportedFeatureException(
                            "a message of type " + message.type() + " is not supported");
        };
    }

    private static ToolCall call(ToolExecutionRequest call) {
        return new ToolCall(id(call.id()), call.name(), call.arguments());
    }

    private static String id(String id) {
        return Optional.ofNullable(id).orElse("");
    }

    private static String text(List<Content> contents) {
        return contents.stream().map(RequestConverter::text).collect(Collectors.joining("\n"));
    }

    private static String text(Content content) {
        if (content instanceof TextContent text) {
            return text.text();
        }
        throw new UnsupportedFeatureException(
                "content of type " + content.type() + " is not supported");
    }

    private static List<Tool> tools(List<ToolSpecification> tools) {
        return Optional.ofNullable(tools).orElse(List.of()).stream()
                .map(RequestConverter::tool)
                .toList();
    }

    private static Tool tool(ToolSpecification tool) {
        return new Tool(
                tool.name(),
                Optional.ofNullable(tool.description()).orElse(""),
                tool.parameters() == null ? ANY_OBJECT : json(tool.parameters()),
                Boolean.TRUE.equals(tool.strict()));
    }

    private static ToolChoice choice(dev.langchain4j.model.chat.request.ToolChoice choice) {
        if (choice == null) {
            return ToolChoice.AUTO;
        }
        return switch (choice) {
            case AUTO -> ToolChoice.AUTO;
            case REQUIRED -> ToolChoice.REQUIRED;
            case NONE -> ToolChoice.NONE;
        };
    }

    private static Sampling sampling(dev.langchain4j.model.chat.request.ChatRequest request) {
        Sampling sampling = Sampling.DEFAULT;
        if (request.topK() != null) {
            sampling = sampling.topK(request.topK());
        }
        sampling = with(sampling, "temperature", request.temperature());
        sampling = with(sampling, "top_p", request.topP());
        sampling = with(sampling, "frequency_penalty", request.frequencyPenalty());
        return with(sampling, "presence_penalty", request.presencePenalty());
    }

    private static Sampling with(Sampling sampling, String name, Double value) {
        return value == null ? sampling : sampling.with(name, value);
    }

    private static Optional<String> schema(ResponseFormat format) {
        if (format == null || format.type() != ResponseFormatType.JSON) {
            return Optional.empty();
        }
        return Optional.of(
                format.jsonSchema() == null ? ANY_OBJECT : json(format.jsonSchema().rootElement()));
    }

    private static String json(JsonSchemaElement schema) {
        return Json.toJson(JsonSchemaElementUtils.toMap(schema));
    }
}

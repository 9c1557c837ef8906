package dev.varve.spring;

import dev.varve.embedded.ChatListener;
import dev.varve.embedded.ChatResponse;
import dev.varve.embedded.RunningChat;
import dev.varve.embedded.ToolCall;
import dev.varve.embedded.Usage;
import dev.varve.embedded.Varve;

import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatGenerationMetadata;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;

import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

import java.util.List;
import java.util.Objects;

/**
 * Chats with a model inside this program. Calls of tools are returned; a {@code ChatClient}
 * executes them. A response with a schema always satisfies it, unless it is cut off.
 *
 * @since 0.1.0
 */
public final class VarveChatModel implements ChatModel {
    private final Varve model;

    /**
     * @param model which the caller closes
     */
    public VarveChatModel(Varve model) {
        this.model = Objects.requireNonNull(model);
    }

    @Override
    public org.springframework.ai.chat.model.ChatResponse call(Prompt prompt) {
        ChatResponse response = model.chat(PromptConverter.request(prompt));
        return response(response, response.text());
    }

    /** The last part has no text, but the calls of tools, the reason of the end and the usage. */
    @Override
    public Flux<org.springframework.ai.chat.model.ChatResponse> stream(Prompt prompt) {
        return Flux.create(sink -> start(prompt, sink));
    }

    private void start(
            Prompt prompt, FluxSink<org.springframework.ai.chat.model.ChatResponse> sink) {
        RunningChat running =
                model.start(
                        PromptConverter.request(prompt),
                        new ChatListener() {
                            @Override
                            public void onText(String text) {
                                sink.next(part(text));
                            }
                        });
        sink.onCancel(running::cancel);
        running.whenDone()
                .whenComplete(
                        (response, failure) -> {
                            if (failure != null) {
                                sink.error(failure);
                            } else {
                                sink.next(response(response, ""));
                                sink.complete();
                            }
                        });
    }

    @Override
    public ChatOptions getOptions() {
        return VarveChatOptions.builder().build();
    }

    private static org.springframework.ai.chat.model.ChatResponse part(String text) {
        return new org.springframework.ai.chat.model.ChatResponse(
                List.of(new Generation(new AssistantMessage(text))));
    }

    private org.springframework.ai.chat.model.ChatResponse response(
            ChatResponse response, String text) {
        AssistantMessage message =
                AssistantMessage.builder()
                        .content(text)
                        .toolCalls(response.calls().stream().map(VarveChatModel::call).toList())
                        .build();
        Generation generation =
                new Generation(
                        message,
                        ChatGenerationMetadata.builder()
                                .finishReason(response.finish().name())
                                .build());
        return new org.springframework.ai.chat.model.ChatResponse(
                List.of(generation),
                ChatResponseMetadata.builder()
                        .model(model.info().name())
                        .usage(usage(response.usage()))
                        .build());
    }

    private static AssistantMessage.ToolCall call(ToolCall call) {
        return new AssistantMessage.ToolCall(call.id(), "function", call.name(), call.arguments());
    }

    private static DefaultUsage usage(Usage usage) {
        return new DefaultUsage(
                usage.promptTokens(), usage.responseTokens(), usage.totalTokens(), usage);
    }
}

package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatGeneration;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.PromptLimit;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ResponseState;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.cli.chat.ChatModel;
import dev.varve.platform.cli.chat.ChatResponse;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingValues;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;

/** A loaded model that answers conversations in this process. */
final class LocalChatModel implements ChatModel {
    /** Shorter prompts take so little time that a progress line would only flicker. */
    private static final int LONG_PROMPT = 512;

    /**
     * Settings of all responses.
     *
     * @param sampling values for responses without other ones
     * @param reasoning whether and how long the model reasons
     * @param maxTokens most tokens of a response; empty: up to the end of the context
     * @param endTokens ids that end a response
     */
    record Settings(
            SamplingValues sampling,
            ReasoningDefaults reasoning,
            OptionalInt maxTokens,
            Set<Integer> endTokens) {}

    private final String name;
    private final HostedModel runtime;
    private final ChatRenderer renderer;
    private final ResponseSyntax syntax;
    private final Settings settings;
    private final Supplier<ProgressBar> progress;

    private final Optional<LocalChatImages> images;
    private final RunningResponse running = new RunningResponse();

    /**
     * @param renderer chat template of the model
     * @param progress creates the progress line of a prompt
     */
    LocalChatModel(
            String name,
            HostedModel runtime,
            ChatRenderer renderer,
            Settings settings,
            Supplier<ProgressBar> progress) {
        this.name = name;
        this.runtime = runtime;
        this.renderer = renderer;
        this.settings = settings;
        this.progress = progress;
        images = runtime.images().map(each -> new LocalChatImages(each, runtime.tokenizer()));
        syntax =
                ResponseSyntax.of(
                        runtime.adapter().chatDialect(),
                        Optional.of(renderer.dialect()),
                        runtime.tokenizer(),
                        UnmarkedCallPolicy.AUTO);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SamplingValues sampling() {
        return settings.sampling();
    }

    @Override
    public Optional<String> imageProblem() {
        return images.isPresent()
                ? Optional.empty()
                : Optional.of("it was started without --mmproj");
    }

    @Override
    public ChatResponse respond(
            List<ChatMessage> messages, SamplingValues overrides, ResponseListener listener)
            throws InterruptedException {
        running.prepare();
        int context = runtime.engine().status().load().contextTokens();
        // A response has at least one token.
        ChatPrompt text =
                new PromptLimit(context)
                        .apply(1, limit -> renderer.render(variables(messages), limit));
        ChatPrompt prompt =
                images.isPresent()
                        ? images.get().prompt(text, messages, context, running::isStopRequested)
                        : text;
        if (running.isStopRequested()) {
            return new ChatResponse(
                    new ChatMessage(ChatMessage.Role.ASSISTANT, ""),
                    ChatResponse.End.STOPPED,
                    Optional.empty());
        }
        int room = Math.max(1, context - prompt.tokens().length);
        int maxOutput = Math.min(room, settings.maxTokens().orElse(room));
        ResponseState state = syntax.open(prompt.tokens(), options(maxOutput));
        GenerationRequest request =
                new GenerationRequest(
                        GenerationRequest.Prompt.of(prompt.tokens(), prompt.boundaries())
                                .with(prompt.images()),
                        new GenerationRequest.Ending(maxOutput, settings.endTokens()),
                        new GenerationRequest.Choice(
                                SamplingOptions.of(
                                        overrides.over(settings.sampling()), runtime.tokenizer()),
                                OptionalInt.empty(),
                                state.constraint()));
        ChatGeneration generation = new ChatGeneration(StoppingResponseParser.of(state.text()));
        GenerationHandle handle = runtime.engine().submit(request, generation);
        return running.await(
                () -> generation.stop(handle),
                handle::cancel,
                new Collector(generation, listener, context)::await);
    }

    @Override
    public void stop() {
        running.stop();
    }

    private Map<String, Object> variables(List<ChatMessage> messages) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("messages", messages.stream().map(LocalChatModel::message).toList());
        settings.reasoning()
                .thinking()
                .ifPresent(enabled -> variables.put("enable_thinking", enabled));
        return variables;
    }

    static Map<String, Object> message(ChatMessage message) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("role", message.role().wireName());
        fields.put("content", content(message));
        if (!message.reasoning().isEmpty()) {
            fields.put("reasoning_content", message.reasoning());
        }
        return fields;
    }

    private static Object content(ChatMessage message) {
        if (message.images().isEmpty()) {
            return message.content();
        }
        List<Map<String, String>> parts = new ArrayList<>();
        message.images().forEach(image -> parts.add(Map.of("type", "image")));
        parts.add(Map.of("type", "text", "text", message.content()));
        return parts;
    }

    private ResponseOptions options(int maxOutput) {
        return new ResponseOptions(
                List.of(),
                List.of(),
                settings.reasoning().budget(maxOutput),
                new ToolCallRequirement.None());
    }

    /** Passes the text of a response on, and collects it. */
    private final class Collector {
        private final ChatGeneration generation;
        private final ResponseListener listener;
        private final int contextTokens;
        private final StringBuilder reasoning = new StringBuilder();
        private final StringBuilder content = new StringBuilder();

        Collector(ChatGeneration generation, ResponseListener listener, int contextTokens) {
            this.generation = generation;
            this.listener = listener;
            this.contextTokens = contextTokens;
        }

        ChatResponse await() throws InterruptedException {
            try (ProgressBar bar = progress.get()) {
                while (true) {
                    switch (generation.next()) {
                        case GenerationEvent.Prefill<ResponseParser.Piece>(int done, int total) -> {
                            if (total >= LONG_PROMPT) {
                                bar.show(done, total);
                            }
                        }
                        case GenerationEvent.Output<ResponseParser.Piece>(
                                        ResponseParser.Piece piece) -> {
                            bar.wipe();
                            add(piece);
                        }
                        case GenerationEvent.End<ResponseParser.Piece>(GenerationEnd end) -> {
                            return response(end(end), Optional.of(statistics(end)));
                        }
                        case GenerationEvent.Failure<ResponseParser.Piece>(
                                        VarveException error) -> {
                            if (!generation.isStopped()) {
                                throw error;
                            }
                            return response(ChatResponse.End.STOPPED, Optional.empty());
                        }
                    }
                }
            }
        }

        private void add(ResponseParser.Piece piece) {
            reasoning.append(piece.reasoning());
            content.append(piece.content());
            listener.reasoning(piece.reasoning());
            listener.content(piece.content());
        }

        private ChatResponse.End end(GenerationEnd end) {
            return switch (end.reason()) {
                case END_TOKEN -> ChatResponse.End.COMPLETE;
                case STOPPED -> ChatResponse.End.STOPPED;
                case LENGTH -> ChatResponse.End.LENGTH;
            };
        }

        private ChatResponse.Statistics statistics(GenerationEnd end) {
            return new ChatResponse.Statistics(
                    end.tokens().prompt(),
                    end.tokens().cached(),
                    end.tokens().generated(),
                    end.prefillTokensPerSecond(),
                    end.decodeTokensPerSecond(),
                    contextTokens);
        }

        private ChatResponse response(
                ChatResponse.End end, Optional<ChatResponse.Statistics> statistics) {
            return new ChatResponse(
                    new ChatMessage(
                            ChatMessage.Role.ASSISTANT, content.toString(), reasoning.toString()),
                    end,
                    statistics);
        }
    }
}

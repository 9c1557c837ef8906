package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.cli.chat.ChatImage;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.cli.chat.ChatModel;
import dev.varve.platform.cli.chat.ChatResponse;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A model of a server with OpenAI's API that answers conversations. */
final class RemoteChatModel implements ChatModel {
    private static final int OK = 200;

    /**
     * Settings of all responses. What is not set is left to the server: servers refuse fields that
     * they do not know.
     *
     * @param sampling values of flags
     * @param reasoning whether and how long the model reasons, if flags say so
     * @param maxTokens most tokens of a response
     */
    record Settings(SamplingValues sampling, ReasoningDefaults reasoning, OptionalInt maxTokens) {}

    private final ChatServerClient client;
    private final ChatServerClient.Model model;
    private final Settings settings;

    private final RunningResponse running = new RunningResponse();

    RemoteChatModel(ChatServerClient client, ChatServerClient.Model model, Settings settings) {
        this.client = client;
        this.model = model;
        this.settings = settings;
    }

    @Override
    public String name() {
        return model.name();
    }

    @Override
    public SamplingValues sampling() {
        return settings.sampling();
    }

    /** Only the server knows. */
    @Override
    public Optional<String> imageProblem() {
        return Optional.empty();
    }

    @Override
    public ChatResponse respond(
            List<ChatMessage> messages, SamplingValues overrides, ResponseListener listener)
            throws InterruptedException {
        running.prepare();
        ObjectNode body = body(messages, overrides.over(settings.sampling()));
        ChatStream stream = client.chat(body);
        return running.await(stream::cancel, stream::cancel, () -> read(stream, listener));
    }

    @Override
    public void stop() {
        running.stop();
    }

    private ChatResponse read(ChatStream stream, ResponseListener listener)
            throws InterruptedException {
        ChatEventReader events = new ChatEventReader(listener, model.contextTokens());
        ChatStream.Part part = stream.next();
        if (part instanceof ChatStream.Part.Begin(int status, boolean isStream)) {
            if (status == OK && isStream) {
                return events.end(readEvents(stream, events));
            }
            String text = text(stream);
            if (stream.isCancelled()) {
                return events.end(true);
            }
            if (status != OK) {
                throw refused(status, text);
            }
            events.whole(text);
            return events.end(false);
        }
        return events.end(isStopped(stream, part));
    }

    /** Reads events; returns whether the user stopped the response. */
    private static boolean readEvents(ChatStream stream, ChatEventReader events)
            throws InterruptedException {
        while (true) {
            ChatStream.Part part = stream.next();
            if (stream.isCancelled() || !(part instanceof ChatStream.Part.Line(String line))) {
                return isStopped(stream, part);
            }
            events.line(line);
        }
    }

    /** Returns all lines of a response that is no stream. */
    private static String text(ChatStream stream) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        while (true) {
            ChatStream.Part part = stream.next();
            if (stream.isCancelled() || !(part instanceof ChatStream.Part.Line(String line))) {
                isStopped(stream, part);
                return text.toString();
            }
            text.append(line).append('\n');
        }
    }

    private static boolean isStopped(ChatStream stream, ChatStream.Part last) {
        if (!stream.isCancelled() && last instanceof ChatStream.Part.Failure(var error)) {
            throw error;
        }
        return stream.isCancelled();
    }

    private static VarveException refused(int status, String text) {
        return new VarveException(
                status < 500
                        ? VarveException.Kind.INVALID_REQUEST
                        : VarveException.Kind.UNAVAILABLE,
                "the server refused the request with status "
                        + status
                        + ": "
                        + ChatServerClient.problem(text));
    }

    private ObjectNode body(List<ChatMessage> messages, SamplingValues sampling) {
        ObjectNode body = CliJson.object().put("model", model.name()).put("stream", true);
        body.putObject("stream_options").put("include_usage", true);
        ArrayNode list = body.putArray("messages");
        for (ChatMessage message : messages) {
            // Some servers refuse the reasoning of earlier responses, and templates omit it.
            ObjectNode each = list.addObject().put("role", message.role().wireName());
            if (message.images().isEmpty()) {
                each.put("content", message.content());
            } else {
                putParts(message, each.putArray("content"));
            }
        }
        settings.maxTokens().ifPresent(most -> body.put("max_tokens", most));
        for (SamplingParameter each : SamplingParameter.values()) {
            sampling.find(each).ifPresent(value -> put(body, each, value));
        }
        sampling.seed().ifPresent(seed -> body.put("seed", seed));
        settings.reasoning()
                .thinking()
                .ifPresent(
                        enabled ->
                                body.putObject("chat_template_kwargs")
                                        .put("enable_thinking", enabled));
        settings.reasoning().budget().ifPresent(tokens -> body.put("thinking_budget", tokens));
        return body;
    }

    private static void putParts(ChatMessage message, ArrayNode parts) {
        for (ChatImage image : message.images()) {
            parts.addObject()
                    .put("type", "image_url")
                    .putObject("image_url")
                    .put("url", image.url());
        }
        parts.addObject().put("type", "text").put("text", message.content());
    }

    private static void put(ObjectNode body, SamplingParameter parameter, double value) {
        if (parameter.isWhole()) {
            body.put(parameter.wireName(), (long) value);
        } else {
            body.put(parameter.wireName(), value);
        }
    }
}

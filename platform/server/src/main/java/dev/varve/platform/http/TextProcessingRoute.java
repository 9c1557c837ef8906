package dev.varve.platform.http;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.conversation.PendingPrompt;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.intake.RequestBody;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A route that turns a body into an object without the engine, such as {@code /tokenize}. */
final class TextProcessingRoute extends JsonPostRoute {
    private static final long serialVersionUID = 1L;

    private final transient BiFunction<OfferedModels.ModelWithReaders, ObjectNode, TextResult> use;
    private final Optional<ErrorForm> errors;

    /** Result of a body. */
    private sealed interface TextResult {
        /** A serialized object. */
        record Ready(byte[] json) implements TextResult {}

        /** A prompt that waits for images of other hosts, and the object that it becomes. */
        record Waiting(PendingPrompt.Task task, Function<ChatPrompt, JsonNode> show)
                implements TextResult {}

        static TextResult of(JsonNode object) {
            return new Ready(Json.writeBytes(object));
        }

        static TextResult of(PendingPrompt prompt, Function<ChatPrompt, JsonNode> show) {
            return switch (prompt) {
                case PendingPrompt.Ready(ChatPrompt ready) -> of(show.apply(ready));
                case PendingPrompt.Remote(PendingPrompt.Task task) -> new Waiting(task, show);
            };
        }
    }

    private TextProcessingRoute(
            String label,
            RouteContext context,
            Optional<ErrorForm> errors,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, TextResult> use) {
        super(label, context);
        this.use = use;
        this.errors = errors;
    }

    TextProcessingRoute(
            String label,
            RouteContext context,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, JsonNode> use) {
        this(
                label,
                context,
                Optional.empty(),
                (model, body) -> TextResult.of(use.apply(model, body)));
    }

    /** Makes a route for the prompts of a dialect, which accepts fields of any name. */
    static TextProcessingRoute ofPrompts(
            String label,
            RouteContext context,
            ApiDialect dialect,
            Function<ChatPrompt, JsonNode> show) {
        return new TextProcessingRoute(
                label,
                context,
                Optional.empty(),
                (model, body) -> TextResult.of(model.preparer().prompt(dialect, body), show));
    }

    /** Makes a route for the prompts of a dialect, with that dialect's fields and errors. */
    static TextProcessingRoute ofDialect(
            String label,
            RouteContext context,
            ApiDialect dialect,
            Function<ChatPrompt, JsonNode> show) {
        return new TextProcessingRoute(
                label,
                context,
                Optional.of(dialect.errors()),
                (model, body) -> {
                    dialect.rules().check(body, context.policy());
                    return TextResult.of(model.preparer().prompt(dialect, body), show);
                });
    }

    @Override
    ErrorForm errors(HttpServletRequest request) {
        return errors.orElseGet(() -> super.errors(request));
    }

    /**
     * Serializes the response beside the engine too: it may be larger than the request body, and
     * takes that body's share of memory. A thread of the request waits for other hosts, so that
     * none of the others does.
     */
    @Override
    RequestOutcome answer(
            Exchange exchange,
            RequestBody body,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException {
        TextResult result =
                work(
                        exchange,
                        body,
                        fields -> {
                            new RequestFields(fields).text("model");
                            return use.apply(acquired.model(), fields);
                        });
        byte[] answer =
                switch (result) {
                    case TextResult.Ready(byte[] json) -> json;
                    case TextResult.Waiting waiting -> awaited(waiting, probe);
                };
        JsonResponse.write(exchange.response(), 200, answer);
        return RequestOutcome.PLAIN;
    }

    private static byte[] awaited(TextResult.Waiting waiting, ConnectionProbe probe)
            throws IOException {
        try {
            ChatPrompt prompt = waiting.task().prompt(probe::isDisconnected);
            return Json.writeBytes(waiting.show().apply(prompt));
        } catch (CancellationException e) {
            throw new ClientGoneException(e);
        }
    }
}

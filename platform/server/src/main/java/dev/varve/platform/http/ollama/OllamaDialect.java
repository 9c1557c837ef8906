package dev.varve.platform.http.ollama;

import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.PreparedRequest;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.conversation.ConversationRequest;
import dev.varve.platform.http.conversation.PromptFacts;
import dev.varve.platform.http.conversation.ResponseFormatFields;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.ChatCompletionsDialect;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.openai.InfillFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The dialects of {@code /api/chat} and {@code /api/generate}; they read bodies that {@link
 * OllamaRequestTranslator} translated.
 */
public enum OllamaDialect implements ApiDialect {
    /** {@code /api/chat}: a response is a message. */
    CHAT(OllamaRequestTranslator.CHAT_RULES, OllamaSerializer.Shape.MESSAGE),

    /** {@code /api/generate}: a response is a text. */
    GENERATE(OllamaRequestTranslator.GENERATE_RULES, OllamaSerializer.Shape.TEXT);

    private static final ChatCompletionsDialect OPENAI = new ChatCompletionsDialect();

    private final FieldRules rules;
    private final OllamaSerializer.Shape shape;

    OllamaDialect(FieldRules rules, OllamaSerializer.Shape shape) {
        this.rules = rules;
        this.shape = shape;
    }

    @Override
    public FieldRules rules() {
        return rules;
    }

    @Override
    public ConversationRequest read(RequestFields fields, ServedModel served) {
        ConversationRequest asked = OPENAI.read(fields, served);
        Optional<ResponseFormatFields> form =
                fields.find(OllamaRequestTranslator.FORMAT).flatMap(OllamaDialect::form);
        if (form.isPresent() && asked.responseFormat().source().isPresent()) {
            throw ApiException.invalid(
                    OllamaRequestTranslator.FORMAT,
                    "expected one of format and "
                            + asked.responseFormat().field()
                            + ", found both");
        }
        return new ConversationRequest(
                asked.parameters().reducingOutput(),
                asked.transcript(),
                asked.promptMode(),
                asked.tools(),
                form.orElse(asked.responseFormat()),
                asked.reasoning(),
                asked.variables(),
                asked.promptOptions());
    }

    /** Reads {@code "json"} or a schema; an empty string means no format. */
    private static Optional<ResponseFormatFields> form(JsonNode format) {
        if (format.isObject()) {
            return Optional.of(
                    ResponseFormatFields.ofSchema(OllamaRequestTranslator.FORMAT, format));
        }
        return switch (format.asString("?")) {
            case "" -> Optional.empty();
            case "json" ->
                    Optional.of(
                            ResponseFormatFields.of(
                                    TextGrammarSource.anyObject(), OllamaRequestTranslator.FORMAT));
            default ->
                    throw ApiException.invalid(
                            OllamaRequestTranslator.FORMAT,
                            "format: expected \"json\" or a JSON schema");
        };
    }

    /** Reads a body with a raw prompt, or with a suffix. */
    public static PreparedRequest readRaw(ObjectNode body, ServedModel served) {
        return CompletionRequests.read(
                new RequestFields(OllamaRequestTranslator.raw(body)),
                served,
                OptionalInt.empty(),
                new CompletionRequests.Kind(
                        "gen-",
                        Integer.MAX_VALUE,
                        InfillFields.SUFFIX,
                        asked ->
                                new OllamaSerializer(
                                        asked.parameters().head().model(),
                                        OllamaSerializer.Shape.TEXT)));
    }

    /** Returns the response to a body that only loads its model. */
    public ObjectNode loaded(String model) {
        return new OllamaSerializer(model, shape).loaded();
    }

    @Override
    public ResponseSerializer format(ConversationRequest conversation, PromptFacts prompt) {
        return new OllamaSerializer(
                conversation.parameters().head().model(),
                shape,
                conversation.reasoning().isRequested());
    }

    /** Returns the heartbeats of its streams before the response's format is known. */
    public HeartbeatFormat.Maker early() {
        return model -> new OllamaHeartbeat(shape, model);
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OLLAMA;
    }
}

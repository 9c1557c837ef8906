package dev.varve.platform.http.ollama;

import dev.varve.platform.grammar.source.TextSource;
import dev.varve.platform.http.answer.AnswerFormat;
import dev.varve.platform.http.answer.EarlyForm;
import dev.varve.platform.http.answer.PendingAnswer;
import dev.varve.platform.http.conversation.Conversation;
import dev.varve.platform.http.conversation.Dialect;
import dev.varve.platform.http.conversation.FormFields;
import dev.varve.platform.http.conversation.PreparedPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.ChatDialect;
import dev.varve.platform.http.openai.CompletionRequests;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;
import java.util.OptionalInt;

/** {@code /api/chat} and {@code /api/generate}; reads what {@link OllamaBody} translated. */
public enum OllamaDialect implements Dialect {
    /** {@code /api/chat}: an answer is a message. */
    CHAT(OllamaBody.CHAT_RULES, OllamaFormat.Shape.MESSAGE),

    /** {@code /api/generate}: an answer is a text. */
    GENERATE(OllamaBody.GENERATE_RULES, OllamaFormat.Shape.TEXT);

    private static final ChatDialect OPENAI = new ChatDialect();

    private final FieldRules rules;
    private final OllamaFormat.Shape shape;

    OllamaDialect(FieldRules rules, OllamaFormat.Shape shape) {
        this.rules = rules;
        this.shape = shape;
    }

    @Override
    public FieldRules rules() {
        return rules;
    }

    @Override
    public Conversation read(Fields fields, ServedModel served) {
        Conversation asked = OPENAI.read(fields, served);
        Optional<FormFields> form = fields.find(OllamaBody.FORMAT).flatMap(OllamaDialect::form);
        if (form.isPresent() && asked.form().source().isPresent()) {
            throw ApiException.invalid(
                    OllamaBody.FORMAT,
                    "expected one of format and " + asked.form().field() + ", found both");
        }
        return new Conversation(
                asked.call().yielding(),
                asked.transcript(),
                asked.turn(),
                asked.tools(),
                form.orElse(asked.form()),
                asked.thinking(),
                asked.variables(),
                asked.wishes());
    }

    /** {@code "json"} or a schema; an empty text is none. */
    private static Optional<FormFields> form(JsonNode format) {
        if (format.isObject()) {
            return Optional.of(FormFields.ofSchema(OllamaBody.FORMAT, format));
        }
        return switch (format.asString("?")) {
            case "" -> Optional.empty();
            case "json" ->
                    Optional.of(
                            new FormFields(Optional.of(TextSource.anyObject()), OllamaBody.FORMAT));
            default ->
                    throw ApiException.invalid(
                            OllamaBody.FORMAT, "format: expected \"json\" or a JSON schema");
        };
    }

    /** Reads a body that gives the prompt as the model gets it. */
    public static PendingAnswer readRaw(ObjectNode body, ServedModel served) {
        return CompletionRequests.read(
                new Fields(OllamaBody.raw(body)),
                served,
                OptionalInt.empty(),
                new CompletionRequests.Kind(
                        "gen-",
                        Integer.MAX_VALUE,
                        asked ->
                                new OllamaFormat(
                                        asked.call().head().model(), OllamaFormat.Shape.TEXT)));
    }

    /** The answer to a body without anything to answer: its model is loaded. */
    public ObjectNode loaded(String model) {
        return new OllamaFormat(model, shape).loaded();
    }

    @Override
    public AnswerFormat format(Conversation conversation, PreparedPrompt prompt) {
        return new OllamaFormat(
                conversation.call().head().model(), shape, conversation.thinking().asked());
    }

    /** Signs of life of its streams before the response's format is known. */
    public EarlyForm.Maker early() {
        return model -> new OllamaEarlyForm(shape, model);
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OLLAMA;
    }
}

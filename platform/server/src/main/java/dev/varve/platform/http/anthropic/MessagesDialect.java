package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.conversation.ConversationRequest;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.GenerationPromptMode;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.PromptFacts;
import dev.varve.platform.http.conversation.ReasoningParameters;
import dev.varve.platform.http.conversation.RequestTools;
import dev.varve.platform.http.conversation.ResponseFormatFields;
import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The dialect of {@code /v1/messages} and {@code /v1/messages/count_tokens}. */
public final class MessagesDialect implements ApiDialect {
    /** Heartbeats of its streams before the response's format is known. */
    public static final HeartbeatFormat EARLY = MessagesHeartbeat.INSTANCE;

    private static final String THINKING = "thinking";
    private static final String OUTPUT = "output_config";

    private static final FieldRules RULES =
            SharedFieldRules.text()
                    .more()
                    .only("logprobs", "false", value -> !value.asBoolean(true))
                    .onlyNumber("top_logprobs", 0)
                    .only("parallel_tool_calls", "true", value -> value.asBoolean(false))
                    .supported("messages system tools tool_choice thinking")
                    .supported("output_config output_format")
                    .supported("enable_thinking thinking_budget chat_template_kwargs")
                    .ignores("cache_control context_management inference_geo speed betas")
                    .onlyNumber("n", 1)
                    .refuses("mcp_servers container", "is not supported by this server")
                    .build();

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public ConversationRequest read(RequestFields fields, ServedModel served) {
        // Yielding, since agents request more tokens than the context has.
        GenerationParameters parameters =
                GenerationParameters.read("msg_", fields, served, OptionalInt.empty())
                        .reducingOutput();
        Transcript transcript = MessagesTranscript.read(fields, ImageCollector.of(served));
        return new ConversationRequest(
                parameters,
                transcript,
                transcript.nonEmptyAssistantPrefix().isPresent()
                        ? GenerationPromptMode.CONTINUE
                        : GenerationPromptMode.RESPONSE,
                RequestTools.read(MessagesTools.read(fields)),
                form(fields),
                ReasoningParameters.read(
                        reasoning(fields), served.textProcessing().reasoningDefaults()),
                Map.of(),
                ConversationRequest.CacheAndCompressionOptions.read(fields, served));
    }

    /**
     * Reads {@code output_config.format}, its earlier name {@code output_format}, or other vendors'
     * fields.
     */
    private static ResponseFormatFields form(RequestFields fields) {
        Optional<ResponseFormatFields> format =
                fields.nested(OUTPUT)
                        .flatMap(output -> output.nested("format"))
                        .map(each -> form(OUTPUT + ".format", each));
        return format.or(
                        () ->
                                fields.nested("output_format")
                                        .map(each -> form("output_format", each)))
                .orElseGet(() -> ResponseFormatFields.read(fields));
    }

    private static ResponseFormatFields form(String field, RequestFields format) {
        String type = format.text("type").orElse("");
        if (!type.equals("json_schema")) {
            throw ApiException.invalid(field, field + ".type: expected json_schema");
        }
        return ResponseFormatFields.ofSchema(field + ".schema", format.require("schema"));
    }

    /**
     * Returns the fields about reasoning; without any of them an effort does not concern reasoning.
     */
    private static RequestFields reasoning(RequestFields fields) {
        ObjectNode asked = Json.object();
        Optional<ObjectNode> thinking = fields.object(THINKING);
        thinking.ifPresent(each -> asked.set(THINKING, each));
        for (String name : List.of("chat_template_kwargs", "enable_thinking", "thinking_budget")) {
            fields.find(name).ifPresent(value -> asked.set(name, value));
        }
        Optional<String> effort = fields.nested(OUTPUT).flatMap(output -> output.text("effort"));
        boolean thinks =
                thinking.filter(each -> !each.path("type").asString("").equals("disabled"))
                        .isPresent();
        effort.ifPresent(each -> ReasoningParameters.checkEffort(OUTPUT + ".effort", each));
        effort.filter(each -> thinks).ifPresent(each -> asked.put("reasoning_effort", each));
        return new RequestFields(asked);
    }

    @Override
    public ResponseSerializer format(ConversationRequest conversation, PromptFacts prompt) {
        return new MessagesSerializer(
                conversation.parameters().head(), prompt, conversation.reasoning().isRequested());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.ANTHROPIC;
    }
}

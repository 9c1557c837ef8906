package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.conversation.ConversationRequest;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.GenerationPromptMode;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.PromptFacts;
import dev.varve.platform.http.conversation.ReasoningParameters;
import dev.varve.platform.http.conversation.ResponseFormatFields;
import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.Logprobs;

import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/**
 * The dialect of {@code /v1/responses}, for one request: its response repeats fields of the request
 * and uses its names for tools.
 */
public final class ResponsesDialect implements ApiDialect {
    private static final String STATELESS = "is not supported; the server stores no ";

    /** Rules for the fields of request bodies. */
    public static final FieldRules RULES =
            SharedFieldRules.text()
                    .more()
                    .supported("input instructions text reasoning include top_logprobs")
                    .supported("tools tool_choice parallel_tool_calls")
                    .supported("reasoning_effort thinking enable_thinking thinking_budget")
                    .supported("chat_template_kwargs")
                    .supported("metadata user prompt_cache_key prompt_cache_retention")
                    .supported("safety_identifier max_tool_calls")
                    .ignores("truncation prompt_cache_options moderation client_metadata")
                    .onlyNumber("n", 1)
                    .refuses(
                            "previous_response_id",
                            STATELESS + "responses: send the whole conversation as input")
                    .refuses(
                            "conversation",
                            STATELESS + "conversations: send the whole conversation as input")
                    .refuses("prompt", STATELESS + "prompts: send the text itself")
                    .refuses("background", STATELESS + "responses for later retrieval")
                    .build();

    private final ResponsesTools tools;
    private EchoedFields repeated;

    private ResponsesDialect(ResponsesTools tools, EchoedFields repeated) {
        this.tools = tools;
        this.repeated = repeated;
    }

    /**
     * Returns the dialect for a body whose fields were checked by {@link #RULES}.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    public static ResponsesDialect of(ObjectNode body) {
        RequestFields fields = new RequestFields(body);
        ResponsesTools tools = ResponsesTools.read(fields);
        return new ResponsesDialect(tools, EchoedFields.read(fields, tools));
    }

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public ConversationRequest read(RequestFields fields, ServedModel served) {
        repeated = repeated.withDefaults(fields, served.sampling().effective());
        ResponseFormatFields form = ResponseFormatFields.readText(fields);
        Transcript transcript =
                ResponsesInput.read(fields, tools.names(), ImageCollector.of(served));
        return new ConversationRequest(
                GenerationParameters.read("resp_", fields, served, repeated.topLogprobs()),
                transcript,
                transcript.nonEmptyAssistantPrefix().isPresent()
                        ? GenerationPromptMode.CONTINUE
                        : GenerationPromptMode.RESPONSE,
                tools.use(),
                form,
                ReasoningParameters.read(fields, served.textProcessing().reasoningDefaults()),
                Map.of(),
                ConversationRequest.CacheAndCompressionOptions.read(fields, served));
    }

    @Override
    public ResponseSerializer format(ConversationRequest conversation, PromptFacts prompt) {
        return new ResponsesSerializer(
                new ResponseObject(
                        conversation.parameters().head(), repeated, prompt.compression()),
                tools.names(),
                new Logprobs(prompt.tokenizer()),
                conversation.reasoning().isRequested());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OPENAI;
    }
}

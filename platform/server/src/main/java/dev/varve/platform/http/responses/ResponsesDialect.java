package dev.varve.platform.http.responses;

import dev.varve.platform.http.answer.AnswerFormat;
import dev.varve.platform.http.conversation.CacheFields;
import dev.varve.platform.http.conversation.CompressionFields;
import dev.varve.platform.http.conversation.Conversation;
import dev.varve.platform.http.conversation.Dialect;
import dev.varve.platform.http.conversation.FormFields;
import dev.varve.platform.http.conversation.GenerationCall;
import dev.varve.platform.http.conversation.PreparedPrompt;
import dev.varve.platform.http.conversation.SharedFields;
import dev.varve.platform.http.conversation.Thinking;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.conversation.Turn;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.Logprobs;

import tools.jackson.databind.node.ObjectNode;

import java.util.Map;

/**
 * {@code /v1/responses}, for one request: answers repeat fields of their requests, and call tools
 * by the names that these gave them.
 */
public final class ResponsesDialect implements Dialect {
    private static final String STATELESS = "is not supported; the server keeps no ";

    /** The fields of bodies. */
    public static final FieldRules RULES =
            SharedFields.text()
                    .more()
                    .honours("input instructions text reasoning include top_logprobs")
                    .honours("tools tool_choice parallel_tool_calls")
                    .honours("reasoning_effort thinking enable_thinking thinking_budget")
                    .honours("chat_template_kwargs")
                    .honours("metadata user prompt_cache_key prompt_cache_retention")
                    .honours("safety_identifier max_tool_calls")
                    .ignores("truncation prompt_cache_options moderation client_metadata")
                    .onlyNumber("n", 1)
                    .refuses(
                            "previous_response_id",
                            STATELESS + "answers: send the whole conversation as input")
                    .refuses(
                            "conversation",
                            STATELESS + "conversations: send the whole one as input")
                    .refuses("prompt", STATELESS + "prompts: send the text itself")
                    .refuses("background", STATELESS + "answers that could be fetched later")
                    .build();

    private final ResponsesTools tools;
    private final RepeatedFields repeated;

    private ResponsesDialect(ResponsesTools tools, RepeatedFields repeated) {
        this.tools = tools;
        this.repeated = repeated;
    }

    /**
     * The dialect for a body whose fields were checked by {@link #RULES}.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    public static ResponsesDialect of(ObjectNode body) {
        Fields fields = new Fields(body);
        ResponsesTools tools = ResponsesTools.read(fields);
        return new ResponsesDialect(tools, RepeatedFields.read(fields, tools));
    }

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public Conversation read(Fields fields, ServedModel served) {
        FormFields form = FormFields.readText(fields);
        Transcript transcript = ResponsesInput.read(fields, tools.names());
        return new Conversation(
                GenerationCall.read("resp_", fields, served, repeated.topLogprobs()),
                transcript,
                transcript.begun().isPresent() ? Turn.CONTINUE : Turn.ANSWER,
                tools.use(),
                form,
                Thinking.read(fields, served.language().reasoningDefaults()),
                Map.of(),
                new Conversation.Wishes(
                        CacheFields.read(fields),
                        CompressionFields.read(fields, served.compressor().isPresent())));
    }

    @Override
    public AnswerFormat format(Conversation conversation, PreparedPrompt prompt) {
        return new ResponsesFormat(
                new ResponseObject(conversation.call().head(), repeated, prompt.compression()),
                tools.names(),
                new Logprobs(prompt.tokenizer()),
                conversation.thinking().asked());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OPENAI;
    }
}

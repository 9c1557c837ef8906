package dev.varve.platform.http.openai;

import dev.varve.platform.chat.AnswerDialect;
import dev.varve.platform.chat.AnswerForm;
import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.chat.AnswerSession;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ForcedCall;
import dev.varve.platform.http.answer.AnswerReader;
import dev.varve.platform.http.answer.CacheWish;
import dev.varve.platform.http.answer.PendingAnswer;
import dev.varve.platform.http.conversation.CacheFields;
import dev.varve.platform.http.conversation.FormFields;
import dev.varve.platform.http.conversation.GenerationCall;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.model.PromptLimit;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.TextAllowance;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code POST /v1/completions}: no chat template; special tokens in the prompt are parsed. */
public final class CompletionRequests {
    private static final int DEFAULT_TOKENS = 16;
    private static final int MAX_LOGPROBS = 20;

    private CompletionRequests() {}

    /** Reads the body of {@code /v1/completions}. */
    public static PendingAnswer read(ObjectNode body, ServedModel served) {
        Fields fields = new Fields(body);
        if (fields.text("suffix").filter(suffix -> !suffix.isEmpty()).isPresent()) {
            throw ApiException.invalid("suffix", "suffix: filling in the middle is not supported");
        }
        OptionalInt topLogprobs =
                fields.whole("logprobs", 0, MAX_LOGPROBS).stream()
                        .mapToInt(top -> (int) top)
                        .findFirst();
        FormFields asked = FormFields.read(fields);
        GenerationCall call = GenerationCall.read("cmpl-", fields, served, topLogprobs);
        CacheWish cache = CacheFields.read(fields);
        Optional<TextAllowance> echoed =
                fields.flag("echo").orElse(false)
                        ? Optional.of(new TextAllowance("prompt", call.choices()))
                        : Optional.empty();
        JsonNode given = fields.require("prompt");
        List<ChatPrompt> prompts =
                PromptLimit.of(served)
                        .apply(
                                call.end().maxTokens().orElse(DEFAULT_TOKENS),
                                limit ->
                                        new CompletionPrompts(
                                                        served.language().tokenizer(),
                                                        limit,
                                                        echoed)
                                                .read(given));
        List<PendingAnswer.Choice> choices = new ArrayList<>();
        List<String> echoes = new ArrayList<>();
        AnswerDialect dialect = AnswerDialect.plain(served.language().tokenizer());
        AnswerForm form =
                asked.compile(
                        () ->
                                dialect.form(
                                        List.of(),
                                        new ForcedCall.None(),
                                        asked.source(),
                                        served.language().grammars()));
        AnswerOptions options = AnswerOptions.stoppingAt(call.end().stops()).of(form);
        for (ChatPrompt prompt : prompts) {
            int maxOutput = call.maxOutput(prompt, DEFAULT_TOKENS, served);
            for (int choice = 0; choice < call.choices(); choice++) {
                AnswerSession session = dialect.open(prompt.tokens(), options);
                choices.add(
                        new PendingAnswer.Choice(
                                call.request(prompt, choice, maxOutput, session.guide(), served),
                                AnswerReader.of(session.text())));
                echoes.add(prompt.text());
            }
        }
        return new PendingAnswer(
                call.delivery(),
                choices,
                new CompletionFormat(call, new Logprobs(served.language().tokenizer()), echoes),
                cache);
    }
}

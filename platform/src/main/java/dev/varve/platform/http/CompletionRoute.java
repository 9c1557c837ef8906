package dev.varve.platform.http;

import dev.varve.platform.chat.AnswerDialect;
import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.chat.AnswerSession;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** {@code POST /v1/completions}: no chat template; special tokens in the prompt are parsed. */
final class CompletionRoute {
    private static final int DEFAULT_TOKENS = 16;
    private static final int MAX_LOGPROBS = 20;
    private static final int MAX_PROMPTS = 64;

    private CompletionRoute() {}

    static PendingAnswer read(ObjectNode body, ServedModel served) {
        Fields fields = new Fields(body);
        if (fields.text("suffix").filter(suffix -> !suffix.isEmpty()).isPresent()) {
            throw ApiException.invalid("suffix", "suffix: filling in the middle is not supported");
        }
        int topLogprobs = (int) fields.whole("logprobs", 0, MAX_LOGPROBS).orElse(-1);
        GenerationCall call = GenerationCall.read("cmpl-", fields, served, topLogprobs);
        boolean echo = fields.flag("echo", false);
        JsonNode given = fields.require("prompt");
        List<ChatPrompt> prompts =
                PromptLimit.of(served)
                        .apply(
                                call.maxTokens().orElse(DEFAULT_TOKENS),
                                limit -> prompts(given, served.tokenizer(), limit));
        List<PendingAnswer.Choice> choices = new ArrayList<>();
        List<String> echoes = new ArrayList<>();
        AnswerDialect dialect = AnswerDialect.plain(served.tokenizer());
        AnswerOptions options = AnswerOptions.stoppingAt(call.stops());
        for (ChatPrompt prompt : prompts) {
            int maxOutput = call.maxOutput(prompt, DEFAULT_TOKENS, served);
            for (int choice = 0; choice < call.choices(); choice++) {
                AnswerSession session = dialect.open(prompt.tokens(), options);
                choices.add(
                        new PendingAnswer.Choice(
                                call.request(prompt, choice, maxOutput, session.guide(), served),
                                new AnswerReader(session.text(), false)));
                echoes.add(echo ? prompt.text() : "");
            }
        }
        return new PendingAnswer(
                call,
                choices,
                new CompletionFormat(call, new Logprobs(served.tokenizer()), echoes));
    }

    /** A string, an array of strings, an array of ids, or an array of arrays of ids. */
    private static List<ChatPrompt> prompts(
            JsonNode prompt, Tokenizer tokenizer, TokenLimit limit) {
        List<ChatPrompt> prompts = new ArrayList<>();
        boolean several = prompt.isArray() && !prompt.isEmpty() && !prompt.get(0).isNumber();
        if (several && prompt.size() > MAX_PROMPTS) {
            throw ApiException.invalid(
                    "prompt",
                    "prompt: expected at most " + MAX_PROMPTS + " prompts, found " + prompt.size());
        }
        if (prompt.isString()) {
            prompts.add(prompt(prompt.stringValue(), tokenizer, limit));
        } else if (several) {
            for (JsonNode element : prompt) {
                if (element.isString()) {
                    prompts.add(prompt(element.stringValue(), tokenizer, limit));
                } else if (element.isArray()) {
                    prompts.add(ids(element, tokenizer));
                } else {
                    throw Fields.wrong("prompt", "strings or arrays of token ids", element);
                }
            }
        } else if (prompt.isArray() && !prompt.isEmpty()) {
            prompts.add(ids(prompt, tokenizer));
        } else {
            throw Fields.wrong(
                    "prompt", "a string, strings, token ids or arrays of token ids", prompt);
        }
        return prompts;
    }

    private static ChatPrompt prompt(String text, Tokenizer tokenizer, TokenLimit limit) {
        return new ChatPrompt(withBos(tokenizer.encode(text, true, limit), tokenizer), 0, text);
    }

    private static ChatPrompt ids(JsonNode array, Tokenizer tokenizer) {
        int[] ids = Fields.tokenIds("prompt", array, tokenizer.vocabularySize());
        return new ChatPrompt(ids, 0, tokenizer.decode(ids));
    }

    static int[] withBos(int[] tokens, Tokenizer tokenizer) {
        if (!tokenizer.addsBos() || tokenizer.bosId().isEmpty()) {
            return tokens;
        }
        int[] longer = new int[tokens.length + 1];
        longer[0] = tokenizer.bosId().getAsInt();
        System.arraycopy(tokens, 0, longer, 1, tokens.length);
        return longer;
    }
}

package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.tokenizer.InfillTokens;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import tools.jackson.databind.node.ObjectNode;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Reads a prompt whose middle the model fills in: {@code prompt} and {@code suffix} of OpenAI, or
 * llama.cpp's fields. No special token that a text spells is recognised.
 */
final class InfillPrompt {
    /** Name that models saw before the files of a repository. */
    private static final String REPOSITORY_NAME = "repository\n";

    private static final String INPUT_PREFIX = "input_prefix";
    private static final String EXTRA = "input_extra";

    private final Tokenizer tokenizer;
    private final InfillTokens tokens;
    private final TokenLimit limit;
    private final IntStream.Builder ids = IntStream.builder();
    private boolean continuesText;
    private int count;

    private InfillPrompt(Tokenizer tokenizer, InfillTokens tokens, TokenLimit limit) {
        this.tokenizer = tokenizer;
        this.tokens = tokens;
        this.limit = limit;
    }

    /**
     * Reads the prompt of a body that asks for the middle of a text.
     *
     * @param names the route's fields
     * @param shown which text of the prompt the response contains
     * @throws ApiException with status 400 if the vocabulary has no tokens for it
     */
    static ChatPrompt read(
            RequestFields fields,
            InfillFields names,
            Tokenizer tokenizer,
            TokenLimit limit,
            PromptEcho shown) {
        String place = names.suffix();
        InfillTokens tokens =
                tokenizer
                        .infillTokens()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                place,
                                                place
                                                        + ": the model's vocabulary has no tokens"
                                                        + " to fill in the middle of a text"));
        InfillPrompt prompt = new InfillPrompt(tokenizer, tokens, limit);
        if (names == InfillFields.INPUT) {
            prompt.addFiles(fields);
        }
        prompt.add(tokens.prefix());
        if (names == InfillFields.INPUT) {
            fields.text(INPUT_PREFIX).ifPresent(prompt::add);
        }
        Optional<String> typed = fields.text("prompt");
        typed.ifPresent(prompt::add);
        prompt.add(tokens.suffix());
        fields.text(place).ifPresent(prompt::add);
        prompt.add(tokens.middle());
        int[] ids = prompt.ids.build().toArray();
        return ChatPrompt.ofText(
                BosToken.before(ids, tokenizer),
                shown.limit()
                        .map(
                                allowance ->
                                        shown.isWhole()
                                                ? allowance.decode(tokenizer, ids, true)
                                                : allowance.countText(typed.orElse("")))
                        .orElse(""));
    }

    /** Adds other files of the repository. */
    private void addFiles(RequestFields fields) {
        if (fields.find(EXTRA).isEmpty()) {
            return;
        }
        if (tokens.repository().isPresent() && tokens.file().isPresent()) {
            add(tokens.repository().getAsInt());
            add(REPOSITORY_NAME);
        }
        for (ObjectNode file : fields.objects(EXTRA)) {
            RequestFields parts = RequestFields.at(EXTRA, file);
            if (tokens.file().isPresent()) {
                add(tokens.file().getAsInt());
                add(parts.text("filename").orElse("file") + "\n");
            }
            add(parts.text("text").orElse("") + "\n");
        }
        if (tokens.file().isPresent()) {
            add(tokens.file().getAsInt());
            add("file\n");
        }
    }

    private void add(String text) {
        int[] part =
                continuesText
                        ? tokenizer.encodeContinuation(text, false, limit)
                        : tokenizer.encode(text, false, limit);
        count(part.length);
        Arrays.stream(part).forEach(ids);
        continuesText |= part.length > 0;
    }

    private void add(int token) {
        count(1);
        ids.add(token);
        continuesText = false;
    }

    private void count(int more) {
        count += more;
        if (count > limit.tokens()) {
            throw new TooManyTokensException(limit.tokens());
        }
    }
}

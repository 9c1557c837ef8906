package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.http.model.DecodedTextLimit;
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

    private static final String SUFFIX = "suffix";
    private static final String INPUT_PREFIX = "input_prefix";
    private static final String INPUT_SUFFIX = "input_suffix";
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

    /** Returns whether a body asks for the middle of a text. */
    static boolean isAsked(RequestFields fields) {
        return fields.text(SUFFIX).filter(text -> !text.isEmpty()).isPresent()
                || fields.find(INPUT_PREFIX).isPresent()
                || fields.find(INPUT_SUFFIX).isPresent();
    }

    /**
     * Reads the prompt of a body that asks for the middle of a text.
     *
     * @param shown limits the text of the prompt, if the response contains it
     * @throws ApiException with status 400 if the vocabulary has no tokens for it
     */
    static ChatPrompt read(
            RequestFields fields,
            Tokenizer tokenizer,
            TokenLimit limit,
            Optional<DecodedTextLimit> shown) {
        String place = fields.find(INPUT_SUFFIX).isPresent() ? INPUT_SUFFIX : SUFFIX;
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
        prompt.addFiles(fields);
        prompt.add(tokens.prefix());
        fields.text(INPUT_PREFIX).ifPresent(prompt::add);
        Optional<String> typed = fields.text("prompt");
        typed.ifPresent(prompt::add);
        prompt.add(tokens.suffix());
        fields.text(place).ifPresent(prompt::add);
        prompt.add(tokens.middle());
        return ChatPrompt.ofText(
                BosToken.before(prompt.ids.build().toArray(), tokenizer),
                shown.map(allowance -> allowance.countText(typed.orElse(""))).orElse(""));
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

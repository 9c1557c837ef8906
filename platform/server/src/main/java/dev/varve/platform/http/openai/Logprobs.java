package dev.varve.platform.http.openai;

import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes log probabilities in OpenAI's formats. */
public final class Logprobs {
    private static final float IMPOSSIBLE = -9999;

    private final Tokenizer tokenizer;

    /** Makes a writer that decodes tokens with the model's tokenizer. */
    public Logprobs(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** Returns an entry of {@code logprobs.content} of a chat completion. */
    public ObjectNode chatEntry(GeneratedToken token) {
        TokenLogprobs logprobs = token.logprobs().orElseThrow();
        ObjectNode entry = entry(token.id(), logprobs.chosen());
        ArrayNode top = entry.putArray("top_logprobs");
        logprobs.top()
                .forEach(alternative -> top.add(entry(alternative.id(), alternative.logprob())));
        return entry;
    }

    /** Returns whether a token is special and has no text. */
    public boolean isSpecial(GeneratedToken token) {
        return tokenizer.isSpecial(token.id());
    }

    private ObjectNode entry(int id, float logprob) {
        ObjectNode entry = Json.object();
        byte[] bytes = tokenizer.piece(id, true);
        entry.put("token", new String(bytes, StandardCharsets.UTF_8));
        entry.put("logprob", finite(logprob));
        ArrayNode array = entry.putArray("bytes");
        for (byte each : bytes) {
            array.add(each & 0xFF);
        }
        return entry;
    }

    /** Returns the {@code logprobs} object of a text completion without tokens. */
    static ObjectNode emptyCompletion() {
        ObjectNode logprobs = Json.object();
        for (String name : List.of("tokens", "token_logprobs", "text_offset", "top_logprobs")) {
            logprobs.putArray(name);
        }
        return logprobs;
    }

    /** Adds a token to the {@code logprobs} object of a text completion. */
    void addCompletion(ObjectNode logprobs, GeneratedToken token, int textOffset) {
        TokenLogprobs values = token.logprobs().orElseThrow();
        array(logprobs, "tokens").add(text(token.id()));
        array(logprobs, "token_logprobs").add(finite(values.chosen()));
        array(logprobs, "text_offset").add(textOffset);
        ObjectNode top = array(logprobs, "top_logprobs").addObject();
        values.top()
                .forEach(
                        alternative ->
                                top.put(text(alternative.id()), finite(alternative.logprob())));
    }

    /**
     * Returns a finite value: JSON has no infinity, and OpenAI writes this number for impossible
     * tokens.
     */
    private static float finite(float logprob) {
        return Math.max(logprob, IMPOSSIBLE);
    }

    private String text(int id) {
        return new String(tokenizer.piece(id, true), StandardCharsets.UTF_8);
    }

    private static ArrayNode array(ObjectNode parent, String name) {
        return (ArrayNode) parent.get(name);
    }
}

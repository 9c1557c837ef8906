package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.conversation.CompressionWish;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.conversation.Shortened;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.openai.CompressionFields;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The body of a chat on its way to the other server. A body of which nothing is to be changed goes
 * on byte by byte. One thread at a time.
 */
public final class ForwardedChat {
    private static final String MODEL = "model";

    private final ObjectNode body;
    private final CompressionWish wish;
    private Optional<byte[]> asItCame;

    private ForwardedChat(ObjectNode body, CompressionWish wish, Optional<byte[]> asItCame) {
        this.body = body;
        this.wish = wish;
        this.asItCame = asItCame;
    }

    /**
     * Reads a body; the fields that only this server knows are taken out.
     *
     * @param model in the place of the one in the body
     * @throws dev.varve.platform.http.json.ApiException if it is no JSON object, or these fields
     *     are wrong
     */
    static ForwardedChat read(byte[] bytes, Optional<String> model) {
        ObjectNode body = Json.parseExact(bytes);
        CompressionWish wish = CompressionFields.read(new Fields(body), true);
        boolean changed = CompressionFields.remove(body) || model.isPresent();
        model.ifPresent(name -> body.put(MODEL, name));
        return new ForwardedChat(body, wish, changed ? Optional.empty() : Optional.of(bytes));
    }

    /**
     * Makes the messages shorter, if they are to be.
     *
     * @param cancelled whether nobody waits any more
     * @return what became of them, in the drafter's tokens; empty where they stay as they are
     * @throws dev.varve.api.VarveException if the drafter cannot read them; they stay as they are
     * @throws java.util.concurrent.CancellationException if nobody waits any more
     */
    Optional<CompressionReport> shorten(
            ConversationCompressor compressor, BooleanSupplier cancelled) {
        if (!compressor.mayCompress(wish)) {
            return Optional.empty();
        }
        return ForwardedMessages.of(body.path("messages"))
                .flatMap(messages -> shorten(messages, compressor, cancelled));
    }

    private Optional<CompressionReport> shorten(
            ForwardedMessages messages,
            ConversationCompressor compressor,
            BooleanSupplier cancelled) {
        int tokens = tokens(compressor, messages.plain());
        Optional<Shortened> shorter =
                compressor.compress(
                        new ConversationCompressor.Conversation(
                                messages.plain(),
                                ForwardedMessages::render,
                                each -> tokens(compressor, each)),
                        wish,
                        cancelled);
        shorter.ifPresent(
                each -> {
                    messages.shorten(each.messages());
                    asItCame = Optional.empty();
                });
        return shorter.map(each -> each.report(tokens, tokens(compressor, each.messages())));
    }

    private static int tokens(
            ConversationCompressor compressor, List<Map<String, Object>> messages) {
        return compressor.tokens(ForwardedMessages.render(messages).text());
    }

    /** What is sent on. */
    byte[] bytes() {
        return asItCame.orElseGet(() -> Json.writeBytes(body));
    }
}

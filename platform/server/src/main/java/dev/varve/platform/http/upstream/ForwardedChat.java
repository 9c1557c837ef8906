package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.conversation.ChatMlRenderer;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.http.conversation.CompressionFields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The body of a chat that is forwarded to the upstream server. An unchanged body is forwarded byte
 * for byte. Not thread-safe.
 */
public final class ForwardedChat {
    private static final String MODEL = "model";

    /** Longer prompts are forwarded unchanged: a drafter would take too long to read them. */
    static final int MOST_TOKENS = 1 << 20;

    private final ObjectNode body;
    private final Optional<CompressiblePrompt> shortening;
    private Optional<byte[]> originalBody;

    /**
     * A prompt that may be compressed.
     *
     * @param tokens length of the unchanged messages, in the drafter's tokens
     */
    private record CompressiblePrompt(
            ConversationCompressor compressor,
            CompressionOverrides overrides,
            ForwardedMessages messages,
            int tokens) {
        static CompressiblePrompt of(
                ConversationCompressor compressor,
                CompressionOverrides overrides,
                ForwardedMessages messages) {
            return new CompressiblePrompt(
                    compressor, overrides, messages, count(compressor, messages.plain()));
        }

        private static int count(
                ConversationCompressor compressor, List<Map<String, Object>> messages) {
            return compressor.tokens(ChatMlRenderer.render(messages).text());
        }

        private int tokens(List<Map<String, Object>> others) {
            return others.equals(messages.plain()) ? tokens : count(compressor, others);
        }

        Optional<CompressedConversation> run(BooleanSupplier cancelled) {
            return compressor.compress(
                    new ConversationCompressor.Conversation(
                            messages.plain(), ChatMlRenderer::render, each -> tokens(each)),
                    overrides,
                    cancelled);
        }

        CompressionReport report(CompressedConversation shorter) {
            return shorter.report(tokens, tokens(shorter.messages()));
        }
    }

    private ForwardedChat(
            ObjectNode body,
            Optional<CompressiblePrompt> shortening,
            Optional<byte[]> originalBody) {
        this.body = body;
        this.shortening = shortening;
        this.originalBody = originalBody;
    }

    /**
     * Reads a body, and counts its tokens if it may be compressed; removes the fields that only
     * this server knows.
     *
     * @param model replaces the model in the body, if present
     * @throws dev.varve.platform.http.json.ApiException if it is no JSON object, or these fields
     *     are wrong
     */
    static ForwardedChat read(
            byte[] bytes, Optional<String> model, ConversationCompressor compressor) {
        ObjectNode body = Json.parseExact(bytes);
        CompressionOverrides overrides = CompressionFields.readAnonymous(new RequestFields(body));
        boolean changed = CompressionFields.remove(body) || model.isPresent();
        model.ifPresent(name -> body.put(MODEL, name));
        Optional<ForwardedMessages> messages =
                compressor.mayCompress(overrides)
                        ? ForwardedMessages.of(body.path("messages"))
                        : Optional.empty();
        return new ForwardedChat(
                body,
                messages.map(found -> CompressiblePrompt.of(compressor, overrides, found))
                        .filter(each -> each.tokens() <= MOST_TOKENS),
                changed ? Optional.empty() : Optional.of(bytes));
    }

    /**
     * Compresses the messages, if required.
     *
     * @param cancelled whether the request was abandoned
     * @return report in the drafter's tokens; empty if the messages stay unchanged
     * @throws dev.varve.api.VarveException if the drafter fails; the messages stay unchanged
     * @throws java.util.concurrent.CancellationException if the request was abandoned
     */
    Optional<CompressionReport> shorten(BooleanSupplier cancelled) {
        return shortening.flatMap(each -> each.run(cancelled).map(found -> take(each, found)));
    }

    private CompressionReport take(CompressiblePrompt before, CompressedConversation shorter) {
        before.messages().shorten(shorter.messages());
        originalBody = Optional.empty();
        return before.report(shorter);
    }

    /** Returns the body to forward. */
    byte[] bytes() {
        return originalBody.orElseGet(() -> Json.writeBytes(body));
    }
}

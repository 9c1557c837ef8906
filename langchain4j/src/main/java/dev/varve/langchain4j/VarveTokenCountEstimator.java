package dev.varve.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.model.TokenCountEstimator;
import dev.varve.embedded.Message;
import dev.varve.embedded.Varve;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Counts tokens with the tokenizer and the chat template of a model. Counts of several messages are
 * exact: they include the text of the template up to the start of the response.
 *
 * @since 0.1.0
 */
public final class VarveTokenCountEstimator implements TokenCountEstimator {
    private final Varve model;

    /**
     * @param model which the caller closes
     */
    public VarveTokenCountEstimator(Varve model) {
        this.model = Objects.requireNonNull(model);
    }

    @Override
    public int estimateTokenCountInText(String text) {
        return model.countTokens(text);
    }

    /** Counts the text of the message alone: templates refuse some messages without others. */
    @Override
    public int estimateTokenCountInMessage(ChatMessage message) {
        return model.countTokens(text(RequestConverter.message(message)));
    }

    @Override
    public int estimateTokenCountInMessages(Iterable<ChatMessage> messages) {
        List<Message> all = new ArrayList<>();
        messages.forEach(message -> all.add(RequestConverter.message(message)));
        return all.isEmpty() ? 0 : model.countTokens(all);
    }

    private static String text(Message message) {
        return switch (message) {
            case Message.System(String text) -> text;
            case Message.User(String text) -> text;
            case Message.Assistant(String text, var calls) -> {
                StringBuilder all = new StringBuilder(text);
                calls.forEach(call -> all.append(call.name()).append(call.arguments()));
                yield all.toString();
            }
            case Message.ToolResult(var call, String text) -> text;
        };
    }
}

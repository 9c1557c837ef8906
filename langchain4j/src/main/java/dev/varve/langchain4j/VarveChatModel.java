package dev.varve.langchain4j;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.varve.api.VarveException;
import dev.varve.embedded.Varve;

import java.util.List;

/**
 * Chats with a model inside this program. Responses in JSON always satisfy the schema of the
 * request, unless they are cut off. An interruption of the waiting thread cancels the response.
 *
 * @since 0.1.0
 */
public final class VarveChatModel extends ConfiguredModel implements ChatModel {
    /**
     * @param model which the caller closes
     */
    public VarveChatModel(Varve model) {
        this(model, noDefaults(), List.of());
    }

    /**
     * @param model which the caller closes
     * @param defaults parameters of requests that set none
     * @param listeners receive requests, responses and errors
     */
    public VarveChatModel(
            Varve model, ChatRequestParameters defaults, List<ChatModelListener> listeners) {
        super(model, defaults, listeners);
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        try {
            return ResponseConverter.response(
                    model.chat(RequestConverter.request(request)), model.info().name());
        } catch (VarveException e) {
            throw ResponseConverter.error(e);
        }
    }
}

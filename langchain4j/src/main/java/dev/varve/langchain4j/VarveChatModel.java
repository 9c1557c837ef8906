package dev.varve.langchain4j;

import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.varve.api.VarveException;
import dev.varve.embedded.Varve;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Chats with a model inside this program. Responses in JSON always satisfy the schema of the
 * request, unless they are cut off. An interruption of the waiting thread cancels the response.
 */
public final class VarveChatModel implements ChatModel {
    private final Varve model;
    private final ChatRequestParameters defaults;
    private final List<ChatModelListener> listeners;

    /**
     * @param model which the caller closes
     */
    public VarveChatModel(Varve model) {
        this(model, ChatRequestParameters.builder().build(), List.of());
    }

    /**
     * @param model which the caller closes
     * @param defaults parameters of requests that set none
     * @param listeners receive requests, responses and errors
     */
    public VarveChatModel(
            Varve model, ChatRequestParameters defaults, List<ChatModelListener> listeners) {
        this.model = Objects.requireNonNull(model);
        this.defaults = Objects.requireNonNull(defaults);
        this.listeners = List.copyOf(listeners);
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

    @Override
    public ChatRequestParameters defaultRequestParameters() {
        return defaults;
    }

    @Override
    public List<ChatModelListener> listeners() {
        return listeners;
    }

    @Override
    public ModelProvider provider() {
        return ModelProvider.OTHER;
    }

    @Override
    public Set<Capability> supportedCapabilities() {
        return Set.of(Capability.RESPONSE_FORMAT_JSON_SCHEMA);
    }
}

package dev.varve.langchain4j;

import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.varve.api.VarveException;
import dev.varve.embedded.RunningChat;
import dev.varve.embedded.Varve;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Chats with a model inside this program whose responses arrive in parts. A handler cancels its
 * response with the handle that each part brings, and then receives nothing more.
 */
public final class VarveStreamingChatModel implements StreamingChatModel {
    private final Varve model;
    private final ChatRequestParameters defaults;
    private final List<ChatModelListener> listeners;

    /**
     * @param model which the caller closes
     */
    public VarveStreamingChatModel(Varve model) {
        this(model, ChatRequestParameters.builder().build(), List.of());
    }

    /**
     * @param model which the caller closes
     * @param defaults parameters of requests that set none
     * @param listeners receive requests, responses and errors
     */
    public VarveStreamingChatModel(
            Varve model, ChatRequestParameters defaults, List<ChatModelListener> listeners) {
        this.model = Objects.requireNonNull(model);
        this.defaults = Objects.requireNonNull(defaults);
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
        HandlerListener listener = new HandlerListener(handler, model.info().name());
        RunningChat running;
        try {
            running = model.start(RequestConverter.request(request), listener);
        } catch (VarveException e) {
            handler.onError(ResponseConverter.error(e));
            return;
        }
        listener.attach(running);
        running.whenDone().whenComplete(listener::end);
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

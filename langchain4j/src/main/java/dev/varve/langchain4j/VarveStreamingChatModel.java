package dev.varve.langchain4j;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.varve.api.VarveException;
import dev.varve.embedded.RunningChat;
import dev.varve.embedded.Varve;

import java.util.List;

/**
 * Chats with a model inside this program whose responses arrive in parts. A handler cancels its
 * response with the handle that each part brings, and then receives nothing more.
 *
 * @since 0.1.0
 */
public final class VarveStreamingChatModel extends ConfiguredModel implements StreamingChatModel {
    /**
     * @param model which the caller closes
     */
    public VarveStreamingChatModel(Varve model) {
        this(model, noDefaults(), List.of());
    }

    /**
     * @param model which the caller closes
     * @param defaults parameters of requests that set none
     * @param listeners receive requests, responses and errors
     */
    public VarveStreamingChatModel(
            Varve model, ChatRequestParameters defaults, List<ChatModelListener> listeners) {
        super(model, defaults, listeners);
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
}

package dev.varve.langchain4j;

import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.varve.embedded.Varve;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The common part of both kinds of chat models: a model, with defaults and listeners. */
abstract sealed class ConfiguredModel permits VarveChatModel, VarveStreamingChatModel {
    final Varve model;
    private final ChatRequestParameters defaults;
    private final List<ChatModelListener> listeners;

    ConfiguredModel(
            Varve model, ChatRequestParameters defaults, List<ChatModelListener> listeners) {
        this.model = Objects.requireNonNull(model);
        this.defaults = Objects.requireNonNull(defaults);
        this.listeners = List.copyOf(listeners);
    }

    static ChatRequestParameters noDefaults() {
        return ChatRequestParameters.builder().build();
    }

    /** Returns the parameters of requests that set none. */
    public ChatRequestParameters defaultRequestParameters() {
        return defaults;
    }

    /** Returns the receivers of requests, responses and errors. */
    public List<ChatModelListener> listeners() {
        return listeners;
    }

    /** Returns the provider, for which LangChain4j has no constant. */
    public ModelProvider provider() {
        return ModelProvider.OTHER;
    }

    /** Returns what requests may demand: JSON that satisfies a schema. */
    public Set<Capability> supportedCapabilities() {
        return Set.of(Capability.RESPONSE_FORMAT_JSON_SCHEMA);
    }
}

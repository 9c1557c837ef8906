package dev.varve.spring;

import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.model.tool.DefaultToolCallingChatOptions;
import org.springframework.ai.model.tool.StructuredOutputChatOptions;
import org.springframework.ai.tool.ToolCallback;

import java.util.List;
import java.util.Map;

/**
 * Options of one request: tools, sampling, limits, and the JSON schema of the response.
 *
 * @since 0.1.0
 */
public final class VarveChatOptions extends DefaultToolCallingChatOptions
        implements StructuredOutputChatOptions {
    private final String outputSchema;

    private VarveChatOptions(Builder builder) {
        super(
                builder.tools(),
                builder.context(),
                builder.modelName(),
                builder.frequency(),
                builder.limit(),
                builder.presence(),
                builder.stops(),
                builder.heat(),
                builder.candidates(),
                builder.probability());
        outputSchema = builder.outputSchema;
    }

    /** Returns a builder that sets nothing. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the JSON schema of the response; null for any text. */
    @Override
    public String getOutputSchema() {
        return outputSchema;
    }

    @Override
    public Builder mutate() {
        return new Builder()
                .model(getModel())
                .frequencyPenalty(getFrequencyPenalty())
                .maxTokens(getMaxTokens())
                .presencePenalty(getPresencePenalty())
                .stopSequences(getStopSequences())
                .temperature(getTemperature())
                .topK(getTopK())
                .topP(getTopP())
                .toolCallbacks(getToolCallbacks())
                .toolContext(getToolContext())
                .outputSchema(outputSchema);
    }

    /** Builds options; what is not set is null. */
    public static final class Builder extends DefaultToolCallingChatOptions.Builder<Builder>
            implements StructuredOutputChatOptions.Builder<Builder> {
        private String outputSchema;

        private Builder() {}

        @Override
        public Builder outputSchema(String schema) {
            outputSchema = schema;
            return this;
        }

        /** Takes what another builder sets. */
        @Override
        public Builder combineWith(ChatOptions.Builder<?> other) {
            super.combineWith(other);
            if (other instanceof Builder own && own.outputSchema != null) {
                outputSchema = own.outputSchema;
            }
            return this;
        }

        @Override
        public VarveChatOptions build() {
            return new VarveChatOptions(this);
        }

        private List<ToolCallback> tools() {
            return toolCallbacks;
        }

        private Map<String, Object> context() {
            return toolContext;
        }

        private String modelName() {
            return model;
        }

        private Double frequency() {
            return frequencyPenalty;
        }

        private Integer limit() {
            return maxTokens;
        }

        private Double presence() {
            return presencePenalty;
        }

        private List<String> stops() {
            return stopSequences;
        }

        private Double heat() {
            return temperature;
        }

        private Integer candidates() {
            return topK;
        }

        private Double probability() {
            return topP;
        }
    }
}

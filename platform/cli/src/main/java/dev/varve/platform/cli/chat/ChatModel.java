package dev.varve.platform.cli.chat;

import dev.varve.platform.sampling.SamplingValues;

import java.util.List;
import java.util.Optional;

/** A model that answers conversations, one at a time. */
public interface ChatModel {
    /** Receives the text of a response while it is generated, on the thread that waits for it. */
    interface ResponseListener {
        /** Receives further reasoning. */
        void reasoning(String text);

        /** Receives further text of the response. */
        void content(String text);
    }

    /** Returns the name of the model, for the user. */
    String name();

    /** Returns the sampling values of a response without other ones. */
    SamplingValues sampling();

    /** Returns why the model reads no images; empty if it does. */
    default Optional<String> imageProblem() {
        return Optional.of("it reads text only");
    }

    /**
     * Generates the response to a conversation and waits for its end.
     *
     * @param messages messages in order; the last one is the user's
     * @param overrides sampling values that replace those of the model
     * @return the response, which is shorter if {@link #stop} was called
     * @throws dev.varve.api.VarveException if the prompt exceeds the context, the chat template
     *     rejects it, or the engine fails
     * @throws InterruptedException if this thread is interrupted; the response is cancelled
     */
    ChatResponse respond(
            List<ChatMessage> messages, SamplingValues overrides, ResponseListener listener)
            throws InterruptedException;

    /** Stops the response that is being generated, if any. Any thread; never waits. */
    void stop();
}

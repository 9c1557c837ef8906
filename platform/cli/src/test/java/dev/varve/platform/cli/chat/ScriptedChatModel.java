package dev.varve.platform.cli.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.cli.chat.ChatMessage.Role;
import dev.varve.platform.sampling.SamplingValues;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A model whose responses are prepared, and which records the conversations that it answers. */
final class ScriptedChatModel implements ChatModel {
    private final Deque<ChatMessage> responses = new ArrayDeque<>();
    private final List<List<ChatMessage>> prompts = new ArrayList<>();
    private final List<SamplingValues> overrides = new ArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private boolean waits;
    private boolean sees;

    /** Adds a response without reasoning. */
    ScriptedChatModel thenSays(String text) {
        return thenSays("", text);
    }

    ScriptedChatModel thenSays(String reasoning, String text) {
        responses.add(new ChatMessage(Role.ASSISTANT, text, reasoning));
        return this;
    }

    /** Lets the next response wait for a stop after its text. */
    ScriptedChatModel untilStopped() {
        waits = true;
        return this;
    }

    /** Waits until a response was begun. */
    void awaitBegin() throws InterruptedException {
        begun.await();
    }

    /** The conversations that were answered. */
    List<List<ChatMessage>> prompts() {
        return prompts;
    }

    /** The sampling values of the responses. */
    List<SamplingValues> overrides() {
        return overrides;
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public SamplingValues sampling() {
        return SamplingValues.NONE;
    }

    /** Lets the model read images. */
    ScriptedChatModel seeing() {
        sees = true;
        return this;
    }

    @Override
    public Optional<String> imageProblem() {
        return sees ? Optional.empty() : ChatModel.super.imageProblem();
    }

    @Override
    public ChatResponse respond(
            List<ChatMessage> messages, SamplingValues values, ResponseListener listener)
            throws InterruptedException {
        prompts.add(messages);
        overrides.add(values);
        if (responses.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.CONTEXT_OVERFLOW, "{setting:max-context}: too long");
        }
        ChatMessage message = responses.remove();
        listener.reasoning(message.reasoning());
        listener.content(message.content());
        begun.countDown();
        ChatResponse.End end = ChatResponse.End.COMPLETE;
        if (waits) {
            stopped.await();
            waits = false;
            end = ChatResponse.End.STOPPED;
        }
        return new ChatResponse(
                message, end, Optional.of(new ChatResponse.Statistics(10, 4, 3, 20, 30, 100)));
    }

    @Override
    public void stop() {
        stopped.countDown();
    }
}

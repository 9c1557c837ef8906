package dev.varve.langchain4j;

import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.PartialThinking;
import dev.langchain4j.model.chat.response.PartialThinkingContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import dev.varve.api.VarveException;
import dev.varve.embedded.ChatListener;
import dev.varve.embedded.ChatResponse;
import dev.varve.embedded.RunningChat;
import dev.varve.embedded.ToolCall;

import java.util.concurrent.CompletableFuture;

/** Passes the parts of one response to a handler, until the handler cancels it. */
final class HandlerListener implements ChatListener, StreamingHandle {
    private final StreamingChatResponseHandler handler;
    private final String model;

    /** The first part may arrive before the method that started the response has returned. */
    private final CompletableFuture<RunningChat> running = new CompletableFuture<>();

    private volatile boolean cancelled;
    private int calls;

    HandlerListener(StreamingChatResponseHandler handler, String model) {
        this.handler = handler;
        this.model = model;
    }

    void attach(RunningChat chat) {
        running.complete(chat);
    }

    @Override
    public void onReasoning(String text) {
        if (!cancelled) {
            handler.onPartialThinking(new PartialThinking(text), new PartialThinkingContext(this));
        }
    }

    @Override
    public void onText(String text) {
        if (!cancelled) {
            handler.onPartialResponse(new PartialResponse(text), new PartialResponseContext(this));
        }
    }

    @Override
    public void onToolCall(ToolCall call) {
        if (!cancelled) {
            handler.onCompleteToolCall(new CompleteToolCall(calls++, ResponseConverter.call(call)));
        }
    }

    /** Reports the end: one of both is null. */
    void end(ChatResponse response, Throwable failure) {
        if (cancelled) {
            return;
        }
        if (failure == null) {
            handler.onCompleteResponse(ResponseConverter.response(response, model));
        } else {
            handler.onError(
                    failure instanceof VarveException error
                            ? ResponseConverter.error(error)
                            : failure);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        running.thenAccept(RunningChat::cancel);
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }
}

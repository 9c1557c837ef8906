package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatGeneration;
import dev.varve.platform.chat.CollectedCalls;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ResponseSummary;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the parts of one response and passes them on. For one thread. */
final class ResponseCollector {
    private static final double NANOS_PER_MILLI = 1e6;

    private final ChatGeneration generation;
    private final ChatListener listener;
    private final Supplier<String> ids;
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder text = new StringBuilder();
    private final CollectedCalls parts = new CollectedCalls();
    private final List<ToolCall> calls = new ArrayList<>();

    /**
     * @param ids returns the id of the next call
     */
    ResponseCollector(ChatGeneration generation, ChatListener listener, Supplier<String> ids) {
        this.generation = generation;
        this.listener = listener;
        this.ids = ids;
    }

    /**
     * Waits for the end of the response.
     *
     * @throws VarveException if it fails or is cancelled
     */
    ChatResponse collect() throws InterruptedException {
        while (true) {
            switch (generation.next()) {
                case GenerationEvent.Prefill<ResponseParser.Piece> _ -> {}
                case GenerationEvent.Output<ResponseParser.Piece>(var piece) -> add(piece);
                case GenerationEvent.End<ResponseParser.Piece>(var end) -> {
                    return response(end);
                }
                case GenerationEvent.Failure<ResponseParser.Piece>(var error) -> throw error;
            }
        }
    }

    private void add(ResponseParser.Piece piece) {
        if (!piece.reasoning().isEmpty()) {
            reasoning.append(piece.reasoning());
            listener.onReasoning(piece.reasoning());
        }
        if (!piece.content().isEmpty()) {
            text.append(piece.content());
            listener.onText(piece.content());
        }
        parts.add(piece.calls());
        // A call is complete once the next one has begun.
        completeCalls(parts.calls().size() - 1);
    }

    private void completeCalls(int count) {
        while (calls.size() < count) {
            CollectedCalls.Call next = parts.calls().get(calls.size());
            ToolCall call = new ToolCall(ids.get(), next.name(), next.arguments().toString());
            calls.add(call);
            listener.onToolCall(call);
        }
    }

    private ChatResponse response(GenerationEnd end) {
        completeCalls(parts.calls().size());
        return new ChatResponse(
                text.toString(), reasoning.toString(), calls, finish(end), usage(end));
    }

    private FinishReason finish(GenerationEnd end) {
        if (end.reason() == GenerationEnd.Reason.LENGTH) {
            return FinishReason.LENGTH;
        }
        return calls.isEmpty() ? FinishReason.STOP : FinishReason.TOOL_CALLS;
    }

    private Usage usage(GenerationEnd end) {
        ResponseSummary summary = generation.summary();
        return new Usage(
                end.tokens().prompt(),
                end.tokens().cached(),
                end.tokens().generated(),
                summary.reasoningTokens(),
                duration(end.times().queueMillis()),
                duration(end.times().prefillMillis()),
                duration(end.times().decodeMillis()));
    }

    private static Duration duration(double millis) {
        return Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI));
    }
}

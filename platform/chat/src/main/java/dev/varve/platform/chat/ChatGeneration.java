package dev.varve.platform.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One response of a chat. The engine's thread parses its tokens and adds events to an unbounded
 * queue, so that it never blocks; one thread takes them, and any thread may stop the response.
 */
public final class ChatGeneration implements GenerationListener {
    private final StoppingResponseParser parser;
    private final BlockingQueue<GenerationEvent<ResponseParser.Piece>> events =
            new LinkedBlockingQueue<>();
    private volatile boolean started;
    private volatile boolean stopped;

    /**
     * @param parser parses the tokens of this response only
     */
    public ChatGeneration(StoppingResponseParser parser) {
        this.parser = parser;
    }

    /** Waits for the next event; nothing follows an end or a failure. */
    public GenerationEvent<ResponseParser.Piece> next() throws InterruptedException {
        return events.take();
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Stops at the next token, so that the engine reports the cost. During prefill, or if this is
     * called again, the response is cancelled.
     */
    public void stop(GenerationHandle handle) {
        boolean again = stopped;
        stopped = true;
        if (!started || again) {
            handle.cancel();
        }
    }

    /** Returns what the response consisted of; call it after its end. */
    public ResponseSummary summary() {
        return parser.summary();
    }

    @Override
    public void onPrefill(int doneTokens, int promptTokens) {
        events.add(new GenerationEvent.Prefill<>(doneTokens, promptTokens));
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        started = true;
        add(parser.push(token.id()));
        return !stopped && !parser.isComplete();
    }

    @Override
    public void onEnd(GenerationEnd end) {
        add(parser.finish());
        events.add(new GenerationEvent.End<>(end));
    }

    @Override
    public void onError(VarveException error) {
        add(parser.finish());
        events.add(new GenerationEvent.Failure<>(error));
    }

    private void add(ResponseParser.Piece piece) {
        if (!piece.isEmpty()) {
            events.add(new GenerationEvent.Output<>(piece));
        }
    }
}

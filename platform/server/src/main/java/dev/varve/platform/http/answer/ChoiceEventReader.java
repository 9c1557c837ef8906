package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ClientGoneException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Reads the events of running choices, counts usage, and detects that the client disconnected. */
final class ChoiceEventReader {
    /** A client receives data at least this often, and its connection is probed this often. */
    static final Duration TICK = Duration.ofMillis(700);

    private final ChoiceEventQueue choices;
    private final BooleanSupplier disconnected;
    private final Usage usage = new Usage();
    private String finishReason = "";
    private long lastProbe = System.nanoTime();

    /**
     * Makes a reader; {@code disconnected} returns whether the client disconnected and is called
     * about once a tick.
     */
    ChoiceEventReader(ChoiceEventQueue choices, BooleanSupplier disconnected) {
        this.choices = choices;
        this.disconnected = disconnected;
    }

    /**
     * Returns the next event, or empty after a tick.
     *
     * @throws IOException if the client disconnected or reads too slowly
     */
    Optional<ChoiceEvent> next() throws IOException, InterruptedException {
        Optional<ChoiceEvent> event = choices.next(TICK);
        long now = System.nanoTime();
        if (event.isEmpty() || now - lastProbe > TICK.toNanos()) {
            lastProbe = now;
            if (disconnected.getAsBoolean() || choices.isOverflown()) {
                throw new ClientGoneException();
            }
        }
        return event;
    }

    /** Counts a choice that ended. */
    void end(ChoiceEvent.Ended ended) {
        usage.add(ended);
        CacheLog.report(ended.end());
        finishReason = ended.finishReason();
    }

    /** Records that a choice, and so the response, failed. */
    void fail() {
        finishReason = "error";
    }

    Usage usage() {
        return usage;
    }

    /** Returns how the response ended. */
    RequestOutcome outcome() {
        return new RequestOutcome(Optional.of(finishReason), usage.generatedTokens());
    }
}

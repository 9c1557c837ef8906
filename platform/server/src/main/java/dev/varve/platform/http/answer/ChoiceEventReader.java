package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ClientGoneException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Takes the events of running choices, counts them, and notices when nobody wants them. */
final class ChoiceEventReader {
    /**
     * A client hears something at least this often; it is also how often its connection is probed.
     */
    static final Duration TICK = Duration.ofMillis(700);

    private final ChoiceEventQueue choices;
    private final BooleanSupplier gone;
    private final Usage usage = new Usage();
    private String finishReason = "";
    private long lastProbe = System.nanoTime();

    /** {@code gone}: whether nobody reads the answer any more; asked now and then. */
    ChoiceEventReader(ChoiceEventQueue choices, BooleanSupplier gone) {
        this.choices = choices;
        this.gone = gone;
    }

    /**
     * The next event, or empty after a tick.
     *
     * @throws IOException if nobody reads the answer, or too slowly
     */
    Optional<ChoiceEvent> next() throws IOException, InterruptedException {
        Optional<ChoiceEvent> event = choices.next(TICK);
        long now = System.nanoTime();
        if (event.isEmpty() || now - lastProbe > TICK.toNanos()) {
            lastProbe = now;
            if (gone.getAsBoolean() || choices.isOverflown()) {
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

    /** A choice failed, and the answer with it. */
    void fail() {
        finishReason = "error";
    }

    Usage usage() {
        return usage;
    }

    /** How the answer ended. */
    RequestOutcome outcome() {
        return new RequestOutcome(Optional.of(finishReason), usage.generatedTokens());
    }
}

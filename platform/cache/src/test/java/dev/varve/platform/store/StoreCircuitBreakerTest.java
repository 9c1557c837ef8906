package dev.varve.platform.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** When a shared store is left alone, and when it is asked again. */
@Timeout(60)
class StoreCircuitBreakerTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final AtomicBoolean sound = new AtomicBoolean(true);

    private StoreCircuitBreaker breaker() {
        StoreCircuitBreaker breaker =
                new StoreCircuitBreaker(
                        "a store",
                        () -> {
                            if (!sound.get()) {
                                throw new IOException("no answer");
                            }
                        });
        breaker.begin(SOON);
        return breaker;
    }

    @Test
    void failedStoreIsSuspendedUntilItResponds() {
        try (StoreCircuitBreaker breaker = breaker()) {
            assertTrue(breaker.isClosed());
            sound.set(false);
            breaker.failed("no answer");
            assertFalse(breaker.isClosed());

            sound.set(true);
            Await.until("the store is used again", breaker::isClosed);
        }
    }

    @Test
    void storeTooSlowForAShortPromptIsUsedForTheNextOne() {
        try (StoreCircuitBreaker breaker = breaker()) {
            breaker.late("too late");
            breaker.late("too late");
            assertTrue(breaker.isClosed(), "two prompts were computed sooner");
            breaker.succeeded();
            breaker.late("too late");
            breaker.late("too late");
            assertTrue(breaker.isClosed(), "it was of use in between");

            sound.set(false);
            breaker.late("too late");
            assertFalse(breaker.isClosed(), "three in a row");
        }
    }

    @Test
    void storeThatDoesNotRespondAtFirstIsSuspended() {
        sound.set(false);
        try (StoreCircuitBreaker breaker = breaker()) {
            assertFalse(breaker.isClosed());
        }
    }

    /** A store that starts may be slow first, and then refuse the token. */
    @Test
    void eachReasonOfAnOutageIsLoggedOnce() {
        Queue<String> logged = new ConcurrentLinkedQueue<>();
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord record) {
                        logged.add(new SimpleFormatter().formatMessage(record));
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("dev.varve.store");
        logger.addHandler(handler);
        try (StoreCircuitBreaker breaker = breaker()) {
            sound.set(false);
            for (String reason : List.of("slow", "slow", "wrong token", "slow")) {
                breaker.failed(reason);
            }
        } finally {
            logger.removeHandler(handler);
        }
        assertEquals(1, logged.stream().filter(line -> line.endsWith(": slow")).count());
        assertEquals(1, logged.stream().filter(line -> line.endsWith(": wrong token")).count());
    }
}
